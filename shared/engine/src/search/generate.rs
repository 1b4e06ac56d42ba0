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
    for base in bases {
        let mut worth = 0;
        for &square in base {
            worth += state.cells.half_move(square, us);
            state.place(square, us);
        }
        let mut stones = base.clone();
        extend(
            state,
            us,
            length - base.len(),
            width,
            worth,
            &mut stones,
            &mut found,
        );
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

/// The best squares for one more stone.
pub(super) fn half_moves<S: Shape>(
    state: &State<S>,
    us: Colour,
    count: usize,
) -> Vec<(i32, Square)> {
    let mut best = Best::of(count);
    let squares = near_stones(&state.board);
    if squares.len() < count.min(8) {
        for square in state.board.empties().iter() {
            best.offer(state.cells.half_move(square, us), || square);
        }
    } else {
        for square in squares {
            best.offer(state.cells.half_move(square, us), || square);
        }
    }
    best.into_vec()
}

fn extend<S: Shape>(
    state: &mut State<S>,
    us: Colour,
    more: usize,
    width: Width,
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
        width.second
    } else {
        width.first / (more - 1)
    };
    for (more_worth, square) in half_moves(state, us, count.max(2)) {
        stones.push(square);
        if more > 1 {
            state.place(square, us);
        }
        extend(
            state,
            us,
            more - 1,
            width,
            worth + more_worth,
            stones,
            found,
        );
        if more > 1 {
            state.undo();
        }
        stones.pop();
    }
}
