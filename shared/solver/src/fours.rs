//! Wins by fours alone, with one stone a turn: moves that leave the defender a single square.
//!
//! Such a search has no branches but the attacker's own, so it needs no proof numbers and no tree.

use gridproof_game::{Colour, Square};
use gridproof_threats::windows::offsets;
use gridproof_threats::{Segment, Shape, ThreatBoard};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::budget::Budget;
use crate::mutation::{Rule, holds};
use crate::zone::Stones;

/// What a search for fours found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fours {
    /// The attacker's moves, first to last: the last completes a line or leaves two squares.
    Won(Vec<Stones>),
    /// All fours were tried.
    NoWin,
    /// The nodes ran out.
    Unknown,
}

/// Positions that a table keeps before it is emptied.
const KEPT: usize = 1 << 18;

/// Finds wins by fours for one side, and remembers where there is none.
#[derive(Debug, Default)]
pub(crate) struct FourSearch {
    /// Keys of positions with the attacker to move.
    failed: FxHashSet<u64>,
    /// The attacker's moves, last first.
    line: Vec<Square>,
}

/// A four: a move and the square that it leaves the defender.
pub(crate) type Four = (Square, Square);

impl FourSearch {
    /// Looks for a win of the attacker, who is to move, with at most `nodes`.
    pub(crate) fn search<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        nodes: u64,
        budget: &mut Budget<'_>,
    ) -> Fours {
        debug_assert_eq!(board.shape().stones_per_turn(), 1);
        if self.failed.len() > KEPT {
            self.failed.clear();
        }
        self.line.clear();
        let mut left = nodes;
        match self.deepen(board, attacker, &mut left, budget) {
            Some(true) => {
                let moves = self.line.iter().rev();
                Fours::Won(moves.map(|&square| Stones::from_slice(&[square])).collect())
            }
            Some(false) => Fours::NoWin,
            None => Fours::Unknown,
        }
    }

    /// Whether fours win; `None` if the nodes ran out.
    fn deepen<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        attacker: Colour,
        left: &mut u64,
        budget: &mut Budget<'_>,
    ) -> Option<bool> {
        if let Some(square) = board.threat_empties(attacker).iter().next() {
            self.line.push(square);
            return Some(true);
        }
        if board.seed_lines(attacker).iter().next().is_none() {
            return Some(false);
        }
        if *left == 0 || budget.is_over() {
            return None;
        }
        *left -= 1;
        budget.spend();
        if self.failed.contains(&board.key()) {
            return Some(false);
        }
        let guards = holds(Rule::DefenderCompletes);
        let forced = match guards {
            true => forced_block(board, attacker.other()),
            false => Ok(None),
        };
        let Ok(forced) = forced else {
            return Some(false);
        };
        let fours = fours(board, attacker, forced);
        if let Some(square) = doubles(&fours).next() {
            self.line.push(square);
            return Some(true);
        }
        let mut all = true;
        for (square, reply) in fours {
            // With this four the board may be full but for the reply, and then nobody wins.
            if holds(Rule::FullBoard) && board.empty_count() <= 2 {
                continue;
            }
            board.place(square, attacker);
            board.place(reply, attacker.other());
            let won = match guards && board.has_completed(attacker.other()) {
                true => Some(false),
                false => self.deepen(board, attacker, left, budget),
            };
            board.undo_all(2);
            match won {
                Some(true) => {
                    self.line.push(square);
                    return won;
                }
                Some(false) => {}
                None => all = false,
            }
        }
        if !all {
            return None;
        }
        self.failed.insert(board.key());
        Some(false)
    }
}

/// The defender completes a line on one of several squares, and one stone does not stop that.
pub(crate) struct Unstoppable;

/// Where the attacker must play so that the defender does not complete a line, if anywhere.
pub(crate) fn forced_block<S: Shape>(
    board: &ThreatBoard<S>,
    defender: Colour,
) -> Result<Option<Square>, Unstoppable> {
    if !board.can_complete(defender) {
        return Ok(None);
    }
    let squares = board.threat_empties(defender);
    let mut squares = squares.iter();
    let first = squares.next();
    match squares.next() {
        None => Ok(first),
        Some(_) => Err(Unstoppable),
    }
}

/// The fours of a side that threatens nothing yet; only those on one square if that is forced.
pub(crate) fn fours<S: Shape>(
    board: &ThreatBoard<S>,
    attacker: Colour,
    forced: Option<Square>,
) -> SmallVec<[Four; 16]> {
    let mut found: SmallVec<[Four; 16]> = SmallVec::new();
    for line in board.seed_lines(attacker).iter() {
        for start in offsets(board.seeds_on(line, attacker)) {
            let segment = Segment { line, start };
            let mut empties = board.empties_of(segment);
            let (Some(a), Some(b)) = (empties.next(), empties.next()) else {
                continue;
            };
            for four in [(a, b), (b, a)] {
                if forced.is_none_or(|forced| forced == four.0) && !found.contains(&four) {
                    found.push(four);
                }
            }
        }
    }
    found
}

/// Squares of fours that leave more than one square.
pub(crate) fn doubles(fours: &[Four]) -> impl Iterator<Item = Square> + '_ {
    let is_double = |&(square, reply): &Four| {
        let others = fours.iter().filter(move |other| other.0 == square);
        others.clone().any(|other| other.1 != reply)
    };
    let squares = fours.iter().filter(move |four| is_double(four));
    squares.map(|four| four.0)
}
