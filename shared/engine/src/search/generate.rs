//! Moves worth a search: sets of half-moves that strong players would choose.

use gridproof_game::{Colour, Square};
use gridproof_threats::{Blocks, Shape};

use super::state::State;
use crate::best::Best;
use crate::candidates::near_stones;

/// A move, and how much it looks like one.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) stones: Blocks,
    pub(super) worth: i32,
}

/// How many moves are made of how many half-moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) moves: usize,
}

/// Moves of `length` stones that contain one of the bases, best first.
pub(super) fn generate<S: Shape>(
    state: &mut State<S>,
    us: Colour,
    bases: &[Blocks],
    length: usize,
    width: Width,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let near = near_stones(&state.board);
    let choice = Choice {
        us,
        width,
        near: &near,
    };
    for base in bases {
        let mut worth = 0;
        for &square in base {
            worth += state.cells.half_move(square, us);
            state.place(square, us);
        }
        let mut stones = base.clone();
        let more = length - base.len();
        choice.extend(state, more, worth, &mut stones, &mut found);
        for _ in base {
            state.undo();
        }
    }
    found.sort_unstable_by(|a, b| a.stones.cmp(&b.stones).then(b.worth.cmp(&a.worth)));
    found.dedup_by(|a, b| a.stones == b.stones);
    found.sort_unstable_by(|a, b| b.worth.cmp(&a.worth).then_with(|| a.stones.cmp(&b.stones)));
    found.truncate(width.moves);
    found
}

/// Where fewer squares than these are near stones, all are looked at. What is learnt of squares far
/// from all stones is not to be trusted.
const FEW: usize = 8;

/// What half-moves are chosen from.
#[derive(Clone, Copy, Debug)]
struct Choice<'a> {
    us: Colour,
    width: Width,
    /// Squares near the stones that stood there at first.
    near: &'a [Square],
}

impl Choice<'_> {
    /// The best squares for one more stone.
    fn half_moves<S: Shape>(&self, state: &State<S>, count: usize) -> Vec<(i32, Square)> {
        let mut best = Best::of(count);
        let mut offer = |square: Square| {
            best.offer(state.cells.half_move(square, self.us), || square);
        };
        let is_empty = |square: &Square| state.board.is_empty_at(*square);
        if self.near.len() < FEW {
            state.board.empties().iter().for_each(&mut offer);
        } else {
            let near = self.near.iter().copied();
            near.filter(is_empty).for_each(&mut offer);
        }
        best.into_vec()
    }

    fn extend<S: Shape>(
        &self,
        state: &mut State<S>,
        more: usize,
        worth: i32,
        stones: &mut Blocks,
        found: &mut Vec<Candidate>,
    ) {
        if more == 0 {
            let mut stones = stones.clone();
            stones.sort_unstable();
            found.push(Candidate { stones, worth });
            return;
        }
        let count = if more == 1 {
            self.width.second
        } else {
            self.width.first / (more - 1)
        };
        for (more_worth, square) in self.half_moves(state, count.max(2)) {
            stones.push(square);
            if more > 1 {
                state.place(square, self.us);
            }
            self.extend(state, more - 1, worth + more_worth, stones, found);
            if more > 1 {
                state.undo();
            }
            stones.pop();
        }
    }
}
