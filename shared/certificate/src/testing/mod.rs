//! What the tests of the checker stand on: an exact solver that knows nothing of zones
//! (`gridproof-oracle`), and a prover that finds whatever the checker, whole or with a guard broken, would accept.

mod corruption;
mod graphs;
mod guards;
mod guidance;
mod handmade;
mod holding;
mod prover;
mod pruning;
mod soundness;

use gridproof_game::{Colour, Position, Rules, Square, SquareSet, State};
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

use crate::check::Guards;
use crate::proof::Proof;

pub(crate) use gridproof_oracle::Oracle;
pub(crate) use prover::Prover;

/// Small games that the exact solver settles from positions with some stones: k from 3 to 6,
/// one and two stones a turn, and one of three.
pub(crate) const VARIANTS: [(u32, u32, u32, u32, u32); 12] = [
    (3, 3, 3, 1, 1),
    (4, 3, 3, 1, 1),
    (4, 4, 3, 1, 1),
    (5, 4, 4, 1, 1),
    (3, 3, 3, 2, 1),
    (4, 3, 3, 2, 1),
    (4, 4, 4, 2, 1),
    (5, 4, 4, 2, 2),
    (6, 3, 5, 2, 1),
    (7, 3, 6, 2, 1),
    (5, 5, 5, 2, 2),
    (5, 3, 4, 3, 1),
];

pub(crate) fn rules((m, n, k, p, q): (u32, u32, u32, u32, u32)) -> Rules {
    Rules::new(m, n, k, p, q).unwrap()
}

pub(crate) fn random(seed: u64) -> SmallRng {
    SmallRng::seed_from_u64(seed)
}

pub(crate) fn squares(names: &str) -> Vec<Square> {
    names
        .split_whitespace()
        .map(|name| name.parse().unwrap())
        .collect()
}

/// A proof that the attacker wins, if the rules of proof allow one.
pub(crate) fn prove(start: &Position, attacker: Colour, seed: u64) -> Option<Proof> {
    match Prover::prove(start, attacker, Guards::default(), random(seed)) {
        prover::Outcome::Proof(proof) => Some(*proof),
        prover::Outcome::None | prover::Outcome::OutOfBudget => None,
    }
}

/// A position with further stones of one side.
pub(crate) fn with_stones(position: &Position, colour: Colour, more: &SquareSet) -> Position {
    let mut stones = Colour::BOTH.map(|colour| *position.stones(colour));
    stones[colour.index()].unite(more);
    let [black, white] = stones;
    Position::of_stones(*position.rules(), &black, &white, position.to_move()).unwrap()
}

/// A position drawn as rows of `B`, `W` and `.`, the top row first.
pub(crate) fn drawn(rules: Rules, rows: &[&str], to_move: Colour) -> Position {
    let mut stones = [SquareSet::EMPTY; 2];
    for (row, text) in rows.iter().rev().enumerate() {
        for (column, letter) in text.chars().enumerate() {
            if let Some(colour) = Colour::from_letter(letter) {
                stones[colour.index()].insert(Square::new(column as u8, row as u8));
            }
        }
    }
    Position::of_stones(rules, &stones[0], &stones[1], to_move).unwrap()
}

/// A position of the variant where nobody has won, with at most so many empty squares. The
/// attacker, Black, has more stones as a rule, so that there is something to prove.
pub(crate) fn random_position(
    rules: Rules,
    most_empty: usize,
    to_move: Colour,
    random: &mut SmallRng,
) -> Position {
    loop {
        let mut board: Vec<Square> = rules.squares().collect();
        board.shuffle(random);
        let fewest = board.len().saturating_sub(most_empty).max(1);
        let count = random.random_range(fewest..board.len());
        let black = (count * random.random_range(45..=85)).div_ceil(100);
        let (black, white) = board[..count].split_at(black);
        let [black, white] = [black, white].map(|set| set.iter().copied().collect());
        if let Ok(position) = Position::of_stones(rules, &black, &white, to_move)
            && position.state() == State::Open
        {
            return position;
        }
    }
}
