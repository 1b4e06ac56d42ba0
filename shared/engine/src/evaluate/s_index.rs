//! The s-index of the beam-search paper: a side's s-index is the number of its open segments
//! with s stones, and a position is worth the weighted sum over both sides.

use gridproof_game::{Colour, Square};
use gridproof_threats::windows::covering;
use gridproof_threats::{Shape, ThreatBoard};

use super::segments::{ByMissing, count};

/// Weights by the number of stones a segment lacks: entry 0 is the 6-index of Connect6.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SIndexWeights {
    /// For segments of the side that is judged.
    pub own: [f64; 6],
    /// For segments of the other side.
    pub other: [f64; 6],
}

/// The counts of both sides, kept up to date stone by stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct SIndex([ByMissing<i32>; 2]);

impl SIndex {
    pub(crate) fn of<S: Shape>(board: &ThreatBoard<S>) -> Self {
        let mut index = Self::default();
        for line in board.geometry().lines() {
            for colour in Colour::BOTH {
                let (stones, open) = (board.stones_on(line, colour), board.open_on(line, colour));
                add(
                    &mut index.0[colour.index()],
                    &count(board.shape(), stones, open),
                    1,
                );
            }
        }
        index
    }

    /// The counts once a stone stands on an empty square of the board.
    pub(crate) fn with<S: Shape>(
        mut self,
        board: &ThreatBoard<S>,
        square: Square,
        colour: Colour,
    ) -> Self {
        let shape = board.shape();
        let (us, them) = (colour.index(), colour.other().index());
        for at in board.geometry().on_lines(square) {
            let through = covering(shape, at.offset);
            let (stones, open) = (
                board.stones_on(at.line, colour),
                board.open_on(at.line, colour) & through,
            );
            add(&mut self.0[us], &count(shape, stones, open), -1);
            add(
                &mut self.0[us],
                &count(shape, stones | 1 << at.offset, open),
                1,
            );
            let (theirs, taken) = (
                board.stones_on(at.line, colour.other()),
                board.open_on(at.line, colour.other()) & through,
            );
            add(&mut self.0[them], &count(shape, theirs, taken), -1);
        }
        self
    }

    /// What the position is worth to a side.
    pub(crate) fn worth(&self, colour: Colour, weights: &SIndexWeights) -> f64 {
        let dot = |counts: &ByMissing<i32>, weights: &[f64; 6]| -> f64 {
            let products = counts.iter().zip(weights);
            products.map(|(&n, weight)| f64::from(n) * weight).sum()
        };
        dot(&self.0[colour.index()], &weights.own)
            + dot(&self.0[colour.other().index()], &weights.other)
    }
}

fn add(sum: &mut ByMissing<i32>, counts: &ByMissing<i32>, times: i32) {
    for (sum, count) in sum.iter_mut().zip(counts) {
        *sum += times * count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_game::Rules;
    use gridproof_threats::{Connect6, Geometry};
    use std::sync::Arc;

    fn at(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn a_stone_next_but_one_takes_one_from_the_index_of_four_in_a_row() {
        let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
        let mut board = ThreatBoard::<Connect6>::new(geometry).unwrap();
        for name in ["J10", "K10", "L10", "M10"] {
            board.place(at(name), Colour::Black);
        }
        let open = SIndex::of(&board).0[0][2];
        assert_eq!(open, 3, "both ends open, as the paper counts");
        board.place(at("H10"), Colour::White);
        assert_eq!(SIndex::of(&board).0[0][2], 2);
    }

    #[test]
    fn counts_kept_stone_by_stone_equal_counts_made_anew() {
        let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
        let mut board = ThreatBoard::<Connect6>::new(geometry).unwrap();
        let mut kept = SIndex::of(&board);
        let mut seed = 7u32;
        for turn in 0..120 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let square = Square::new((seed >> 8) as u8 % 19, (seed >> 16) as u8 % 19);
            if board.is_empty_at(square) {
                let colour = Colour::BOTH[turn % 2];
                kept = kept.with(&board, square, colour);
                board.place(square, colour);
                assert_eq!(kept, SIndex::of(&board));
            }
        }
    }
}
