//! Moves worth a look: pairs of good half-moves, best first.

use gridproof_game::{Colour, Move, Rules, STRIDE, Square};
use gridproof_threats::{BlockList, Blocks, Shape, ThreatBoard};

use crate::evaluate::Potential;

/// A move and what its stones are worth where they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) mv: Move,
    pub(crate) worth: i32,
}

/// How many moves are made of how many half-moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Width {
    pub(crate) half_moves: usize,
    pub(crate) moves: usize,
}

/// The best moves of `length` stones by worth alone. Where the other side is about to
/// complete a line, only moves that block it, if there are any.
pub(crate) fn candidates<S: Shape>(
    board: &mut ThreatBoard<S>,
    colour: Colour,
    length: usize,
    potential: Potential,
    width: Width,
) -> Vec<Candidate> {
    let mut found: Vec<(i32, Blocks)> = Vec::new();
    for base in blocks_within(board, colour, length) {
        let mut worth = 0;
        for &square in &base {
            worth += potential.gain(board, square, colour);
            board.place(square, colour);
        }
        found.extend(extended(
            board,
            colour,
            length - base.len(),
            potential,
            width,
            (worth, base.clone()),
        ));
        board.undo_all(base.len());
    }
    for (_, stones) in &mut found {
        stones.sort_unstable();
    }
    best_first(board.rules(), &mut found);
    found.dedup_by(|a, b| a.1 == b.1);
    found.truncate(width.moves);
    found
        .into_iter()
        .map(|(worth, stones)| Candidate {
            mv: Move::full(stones),
            worth,
        })
        .collect()
}

/// The stones that a move of `colour` must have: what blocks the other side's lines. Without
/// threats, or where no move blocks them all, nothing.
pub(crate) fn blocks_within<S: Shape>(
    board: &ThreatBoard<S>,
    colour: Colour,
    length: usize,
) -> BlockList {
    let mut blocks = board.minimal_blocks(colour.other());
    blocks.retain(|block| block.len() <= length);
    if blocks.is_empty() {
        blocks.push(Blocks::new());
    }
    blocks
}

/// How many squares away is near.
const NEAR: u8 = 2;

/// Empty squares that are near a stone: the active area of the beam-search paper.
pub(crate) fn near_stones<S: Shape>(board: &ThreatBoard<S>) -> Vec<Square> {
    // One word a row, with room for what is near beyond the borders.
    let mut near = [0u64; STRIDE as usize + 2 * NEAR as usize];
    for colour in Colour::BOTH {
        for stone in board.stones(colour).iter() {
            let width = (1 << (2 * NEAR + 1)) - 1;
            let row = usize::from(stone.row());
            for row in &mut near[row..=row + 2 * usize::from(NEAR)] {
                *row |= width << stone.column();
            }
        }
    }
    let (columns, rows) = (board.rules().columns(), board.rules().rows());
    let mut squares = Vec::new();
    for (row, near) in (0..rows).zip(&near[NEAR.into()..]) {
        let mut left = near >> NEAR & ((1 << columns) - 1);
        while left != 0 {
            let square = Square::new(left.trailing_zeros() as u8, row);
            left &= left - 1;
            if board.is_empty_at(square) {
                squares.push(square);
            }
        }
    }
    squares
}

/// Squares for one more stone, best first.
fn half_moves<S: Shape>(
    board: &ThreatBoard<S>,
    colour: Colour,
    potential: Potential,
    count: usize,
) -> Vec<(i32, Square)> {
    let mut squares: Vec<(i32, Square)> = board
        .empties()
        .iter()
        .map(|square| (potential.gain(board, square, colour), square))
        .collect();
    let rules = *board.rules();
    squares.sort_unstable_by_key(|&(worth, square)| (-worth, from_centre(&rules, square), square));
    squares.truncate(count);
    squares
}

fn extended<S: Shape>(
    board: &mut ThreatBoard<S>,
    colour: Colour,
    more: usize,
    potential: Potential,
    width: Width,
    base: (i32, Blocks),
) -> Vec<(i32, Blocks)> {
    let pool = half_moves(board, colour, potential, width.half_moves);
    // The place in the pool of a set's last stone: later stones come after it, so that no set
    // is made twice.
    let mut level = vec![(base, 0)];
    for step in 0..more {
        let mut next = Vec::new();
        for ((worth, stones), from) in level {
            let placed = &stones[stones.len() - step..];
            board.place_all(placed, colour);
            for (at, &(_, square)) in pool.iter().enumerate().skip(from) {
                let mut larger = stones.clone();
                larger.push(square);
                let worth = worth + potential.gain(board, square, colour);
                next.push(((worth, larger), at + 1));
            }
            board.undo_all(step);
        }
        if step + 1 < more {
            next.sort_by_key(|((worth, _), _)| -worth);
            next.truncate(width.moves);
        }
        level = next;
    }
    level.into_iter().map(|(set, _)| set).collect()
}

/// By worth; where that is equal, nearer to the centre, so that empty boards are opened there.
fn best_first(rules: &Rules, sets: &mut [(i32, Blocks)]) {
    let distance = |stones: &Blocks| -> u32 {
        let distances = stones.iter().map(|&square| from_centre(rules, square));
        distances.sum()
    };
    sets.sort_unstable_by(|a, b| {
        let nearer = || distance(&a.1).cmp(&distance(&b.1));
        b.0.cmp(&a.0).then_with(nearer).then_with(|| a.1.cmp(&b.1))
    });
}

pub(crate) fn from_centre(rules: &Rules, square: Square) -> u32 {
    squared_distance(rules.centre(), square)
}

/// The square of the straight distance.
pub(crate) fn squared_distance(a: Square, b: Square) -> u32 {
    let columns = u32::from(a.column().abs_diff(b.column()));
    let rows = u32::from(a.row().abs_diff(b.row()));
    columns * columns + rows * rows
}
