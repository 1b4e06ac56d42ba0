//! Full search of small boards: does a side hold, that is, not lose?
//!
//! A depth-first proof-number search over all moves of both sides. Positions are kept once for
//! all their images. Three things make it short: a side that is about to lose a line must block, a
//! pairing ends the search (`docs/theory.md`, "Draws"), and the better-looking moves come first.
//! What it proves is written as a [`HoldProof`], which the checker confirms without a search.

mod board;
mod pairing;
mod write;

use gridproof_certificate::HoldProof;
use gridproof_game::{Colour, Position, State};
use rustc_hash::FxHashMap;

use crate::budget::Budget;
use board::{Geometry, Key, Stones, Turn};

/// The largest board that is searched in full.
pub const MOST_SQUARES: usize = 128;

/// What a full search says.
#[derive(Clone, Debug)]
pub enum Hold {
    /// The side does not lose, and this proves it.
    Holds(Box<HoldProof>),
    /// The other side wins: all moves were tried. Its win is to be proved by other means.
    Loses,
    /// The budget ran out, or the board is too large.
    Unknown,
}

/// Positions that a search may keep: each takes some sixty bytes.
const MOST_POSITIONS: usize = 30_000_000;

/// Where the holder has more moves than these, with several stones a turn, only some are tried:
/// the search may then miss that it holds, but one move that does is enough.
const MANY_MOVES: usize = 150;
const MOVES_OF_MANY: usize = 50;

type Number = u32;
const INFINITE: Number = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// What is left to show that the holder holds.
    proof: Number,
    /// What is left to show that it does not.
    disproof: Number,
}

const HOLDS: Numbers = Numbers {
    proof: 0,
    disproof: INFINITE,
};
const LOSES: Numbers = Numbers {
    proof: INFINITE,
    disproof: 0,
};

/// Whether `holder` does not lose a position.
pub fn hold(position: &Position, holder: Colour, budget: &mut Budget<'_>) -> Hold {
    let rules = *position.rules();
    if position.state() != State::Open || rules.area() > MOST_SQUARES {
        return Hold::Unknown;
    }
    let geometry = Geometry::new(rules);
    let stones = geometry.stones_of(position, holder);
    let turn = match position.to_move() == holder {
        true => Turn::Holder,
        false => Turn::Opponent,
    };
    let mut search = Search {
        geometry: &geometry,
        holder,
        known: FxHashMap::default(),
        narrowed: false,
        budget,
    };
    search.grow(stones, turn, INFINITE, INFINITE);
    let numbers = search.numbers(stones, turn);
    if numbers.disproof == 0 && !search.narrowed {
        return Hold::Loses;
    }
    if numbers.proof != 0 {
        return Hold::Unknown;
    }
    Hold::Holds(Box::new(search.write(position, stones, turn)))
}

struct Search<'a, 'b, 'c> {
    geometry: &'a Geometry,
    holder: Colour,
    known: FxHashMap<Key, Numbers>,
    /// Moves of the holder were left out somewhere.
    narrowed: bool,
    budget: &'b mut Budget<'c>,
}

/// A move, and the position after it.
#[derive(Clone, Copy, Debug)]
struct Child {
    stones: Stones,
    key: Key,
    /// What to think of it while nobody has looked.
    guess: Number,
}

impl Search<'_, '_, '_> {
    fn is_over(&self) -> bool {
        self.budget.is_over() || self.known.len() >= MOST_POSITIONS
    }

    fn numbers(&self, stones: Stones, turn: Turn) -> Numbers {
        let key = self.geometry.key(stones, turn);
        let unseen = Numbers {
            proof: 1,
            disproof: 1,
        };
        self.known.get(&key).copied().unwrap_or(unseen)
    }

    /// Looks at a position until a number reaches its threshold.
    fn grow(&mut self, stones: Stones, turn: Turn, most_proof: Number, most_disproof: Number) {
        let key = self.geometry.key(stones, turn);
        self.budget.spend();
        let children = match self.moves(stones, turn) {
            Moves::Settled(numbers) => {
                self.known.insert(key, numbers);
                return;
            }
            Moves::Open(moves) => self.children(stones, turn, &moves),
        };
        loop {
            let (numbers, best, second) = self.look(&children, turn);
            self.known.insert(key, numbers);
            if numbers.proof >= most_proof
                || numbers.disproof >= most_disproof
                || numbers.proof == 0
                || numbers.disproof == 0
                || self.is_over()
            {
                return;
            }
            let child = children[best];
            let known = self.of_child(&child, turn);
            let a_little_more = |number: Number| number.saturating_add(1 + number / 4);
            match turn {
                Turn::Holder => self.grow(
                    child.stones,
                    Turn::Opponent,
                    most_proof.min(a_little_more(second)),
                    most_disproof
                        .saturating_sub(numbers.disproof)
                        .saturating_add(known.disproof),
                ),
                Turn::Opponent => self.grow(
                    child.stones,
                    Turn::Holder,
                    most_proof
                        .saturating_sub(numbers.proof)
                        .saturating_add(known.proof),
                    most_disproof.min(a_little_more(second)),
                ),
            }
        }
    }

    /// The numbers of a position by those of its children, the child to go on with, and the
    /// number of the next best one.
    fn look(&self, children: &[Child], turn: Turn) -> (Numbers, usize, Number) {
        let (mut least, mut second, mut best) = (INFINITE, INFINITE, 0);
        let mut sum: Number = 0;
        let mut endless = false;
        for (at, child) in children.iter().enumerate() {
            let numbers = self.of_child(child, turn);
            let (chosen, summed) = match turn {
                Turn::Holder => (numbers.proof, numbers.disproof),
                Turn::Opponent => (numbers.disproof, numbers.proof),
            };
            endless |= summed == INFINITE;
            sum = sum.saturating_add(summed).min(INFINITE - 1);
            if chosen < least {
                (second, least, best) = (least, chosen, at);
            } else {
                second = second.min(chosen);
            }
        }
        let sum = match endless || least == 0 {
            true => INFINITE,
            false => sum,
        };
        let numbers = match turn {
            Turn::Holder => Numbers {
                proof: least,
                disproof: if least == INFINITE { 0 } else { sum },
            },
            Turn::Opponent => Numbers {
                proof: if least == INFINITE { 0 } else { sum },
                disproof: least,
            },
        };
        (numbers, best, second)
    }

    fn of_child(&self, child: &Child, turn: Turn) -> Numbers {
        let known = self.known.get(&child.key).copied();
        known.unwrap_or(match turn {
            Turn::Holder => Numbers {
                proof: child.guess,
                disproof: 1,
            },
            Turn::Opponent => Numbers {
                proof: 1,
                disproof: child.guess,
            },
        })
    }

    fn children(&mut self, stones: Stones, turn: Turn, moves: &[u128]) -> Vec<Child> {
        let geometry = self.geometry;
        let guess = |&mv: &u128| (geometry.guess(stones.with(turn, mv), turn), mv);
        let mut guessed: Vec<(Number, u128)> = moves.iter().map(guess).collect();
        if turn == Turn::Holder && guessed.len() > MANY_MOVES {
            guessed.sort_unstable();
            guessed.truncate(MOVES_OF_MANY);
            self.narrowed = true;
        }
        let mut children: Vec<Child> = guessed
            .into_iter()
            .map(|(guess, mv)| {
                // Always the same image: what a short look finds in one it may miss in another.
                let (after, _) = geometry.canonical(stones.with(turn, mv));
                Child {
                    stones: after,
                    key: Key::of_canonical(after, turn.other()),
                    guess,
                }
            })
            .collect();
        children.sort_unstable_by_key(|child| (child.key, child.guess));
        children.dedup_by_key(|child| child.key);
        children.sort_by_key(|child| child.guess);
        children
    }

    /// What the side to move can do that is not settled by the rules.
    fn moves(&self, stones: Stones, turn: Turn) -> Moves {
        let geometry = self.geometry;
        let length = geometry.turn_length(stones, turn.colour(self.holder));
        if length == 0 {
            return Moves::Settled(HOLDS);
        }
        match turn {
            Turn::Holder => {
                if geometry
                    .completing(stones.holder, stones.opponent, length)
                    .is_some()
                {
                    return Moves::Settled(HOLDS);
                }
                let p = geometry.stones_per_turn();
                let threats = geometry.threats(stones.opponent, stones.holder, p);
                let moves = geometry.blocking_moves(stones, length, &threats);
                match moves.is_empty() {
                    true => Moves::Settled(LOSES),
                    false => Moves::Open(moves),
                }
            }
            Turn::Opponent => {
                if geometry
                    .completing(stones.opponent, stones.holder, length)
                    .is_some()
                {
                    return Moves::Settled(LOSES);
                }
                if pairing::find(geometry, stones).is_some() {
                    return Moves::Settled(HOLDS);
                }
                let p = geometry.stones_per_turn();
                let threats = geometry.threats(stones.holder, stones.opponent, p);
                let moves = geometry.blocking_moves(stones, length, &threats);
                match moves.is_empty() {
                    // More threats than can be blocked: the holder even wins.
                    true => Moves::Settled(HOLDS),
                    false => Moves::Open(moves),
                }
            }
        }
    }
}

enum Moves {
    Settled(Numbers),
    Open(Vec<u128>),
}
