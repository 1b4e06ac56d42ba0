//! Moves of a player, judged by the lines they leave.

use std::cmp::Reverse;

use gridproof_game::{Colour, Move};
use gridproof_threats::patterns::Catalogue;
use gridproof_threats::{Shape, ThreatBoard};
use smallvec::SmallVec;

use crate::best::Best;
use crate::candidates::{Width, blocks_within, from_centre, near_stones};
use crate::evaluate::{Lines, Stone, Worth};
use crate::weights::PLAY;

/// Moves of `length` stones, best first: the potential chooses them, and the Connections that
/// they leave tell which of the first few are best. Where the other side is about to complete
/// a line, only moves that block it, if there are any.
pub(crate) fn best_moves<S: Shape>(
    board: &ThreatBoard<S>,
    us: Colour,
    length: usize,
    types: Option<&Catalogue>,
    width: Width,
) -> Vec<Move> {
    let lines = Lines::new(board, us, types);
    let mut pool = pool(&lines, board, us, length, width.half_moves);
    let mut sets = Sets {
        lines,
        length,
        stones: SmallVec::new(),
        best: Best::of(width.moves),
    };
    for base in blocks_within(board, us, length) {
        if let [alone] = base[..] {
            // Its moves with other squares that block alone are found here, not there again.
            pool.retain(|stone| stone.square != alone);
        }
        let mut worth = Worth::default();
        for &square in &base {
            let stone = sets.lines.stone(square);
            worth += sets.adds(&stone);
            sets.stones.push(stone);
        }
        sets.extend(worth, &pool);
        sets.stones.clear();
    }
    let mut found = sets.best.into_vec();
    let first = found.len().min(PLAY.judged);
    found[..first].sort_by_key(|&(potential, (connections, _))| {
        Reverse(potential + PLAY.connections * connections)
    });
    found.into_iter().map(|(_, (_, mv))| mv).collect()
}

/// The best squares near the stones; of all squares if those are too few for a move.
fn pool<S: Shape>(
    lines: &Lines<'_, S>,
    board: &ThreatBoard<S>,
    us: Colour,
    length: usize,
    count: usize,
) -> Vec<Stone> {
    let mut squares = near_stones(board);
    if squares.len() < length {
        // Of equals the first is the best, and empty boards are opened in the centre.
        squares = board.empties().iter().collect();
        squares.sort_by_key(|&square| from_centre(board.rules(), square));
    }
    // Larger sets are more: fewer squares keep their number in bounds.
    let count = (count / length.saturating_sub(1).max(1)).max(length);
    let mut best = Best::of(count);
    for square in squares {
        best.offer(PLAY.potential.gain(board, square, us), || square);
    }
    let best = best.into_vec().into_iter();
    best.map(|(_, square)| lines.stone(square)).collect()
}

/// Sets of stones on their way to become moves.
struct Sets<'a, S: Shape> {
    lines: Lines<'a, S>,
    length: usize,
    stones: SmallVec<[Stone; 4]>,
    /// By potential; what the Connections say stands beside the move.
    best: Best<i32, (i32, Move)>,
}

impl<S: Shape> Sets<'_, S> {
    /// What one more stone is worth beside those of the set.
    fn adds(&self, stone: &Stone) -> Worth {
        let others = self.stones.iter();
        let together: Worth = others.map(|other| self.lines.together(other, stone)).sum();
        stone.worth() + together
    }

    fn extend(&mut self, worth: Worth, pool: &[Stone]) {
        if self.stones.len() == self.length {
            let squares = self.stones.iter().map(|stone| stone.square);
            let make = || (worth.connections, Move::full(squares));
            self.best.offer(worth.potential, make);
            return;
        }
        for (i, stone) in pool.iter().enumerate() {
            // A block of two stones or more is still in the pool.
            if self
                .stones
                .iter()
                .any(|placed| placed.square == stone.square)
            {
                continue;
            }
            let worth = worth + self.adds(stone);
            self.stones.push(*stone);
            self.extend(worth, &pool[i + 1..]);
            self.stones.pop();
        }
    }
}
