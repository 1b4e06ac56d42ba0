//! Segments to hit, and the fewest stones that hit them.

use gridproof_game::Square;
use smallvec::SmallVec;

use crate::board::ThreatBoard;
use crate::geometry::{Geometry, LineId};
use crate::shape::Shape;
use crate::windows::{cells, common_cells, covering, offsets};

/// Segments that no stone hits yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    lines: SmallVec<[PendingLine; 8]>,
}

#[derive(Clone, Copy, Debug)]
struct PendingLine {
    line: LineId,
    /// By their starts; never none.
    segments: u32,
    /// Where a stone can go.
    empties: u32,
}

impl Pending {
    #[inline(always)]
    pub(crate) fn push(&mut self, line: LineId, segments: u32, empties: u32) {
        if segments != 0 {
            self.lines.push(PendingLine {
                line,
                segments,
                empties,
            });
        }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Squares one of which must be taken: the empties of one segment.
    #[inline(always)]
    pub(crate) fn first_choice<S: Shape>(&self, board: &ThreatBoard<S>) -> Choice {
        let first = self.lines[0];
        let segment = cells(board.shape(), first.segments.trailing_zeros());
        Choice {
            line: first.line,
            offsets: segment & first.empties,
        }
    }

    /// What is left when a stone stands on a square.
    #[inline(always)]
    pub(crate) fn without<S: Shape>(&self, board: &ThreatBoard<S>, square: Square) -> Self {
        let mut left = Self::default();
        for pending in &self.lines {
            let hit = hit_by(board, square, pending.line);
            left.push(pending.line, pending.segments & !hit, pending.empties);
        }
        left
    }

    /// Whether stones on these squares hit all.
    pub(crate) fn all_hit<S: Shape>(&self, board: &ThreatBoard<S>, squares: &[Square]) -> bool {
        self.lines.iter().all(|pending| {
            let hits = squares
                .iter()
                .map(|&square| hit_by(board, square, pending.line));
            pending.segments & !hits.fold(0, |all, hit| all | hit) == 0
        })
    }

    /// The squares that hit all at once. They lie on the first line.
    #[inline(always)]
    pub(crate) fn hits_of_all<S: Shape>(&self, board: &ThreatBoard<S>) -> Choice {
        let (first, rest) = (self.lines[0], &self.lines[1..]);
        let mut choice = Choice {
            line: first.line,
            offsets: common_cells(board.shape(), first.segments) & first.empties,
        };
        if !rest.is_empty() {
            for offset in offsets(choice.offsets) {
                let square = board.geometry().square(first.line, offset);
                let hits_all = rest
                    .iter()
                    .all(|pending| pending.segments & !hit_by(board, square, pending.line) == 0);
                choice.offsets ^= u32::from(!hits_all) << offset;
            }
        }
        choice
    }

    /// Whether so many stones can hit all.
    pub(crate) fn can_hit<S: Shape>(&self, board: &ThreatBoard<S>, stones: u32) -> bool {
        if self.is_empty() {
            return true;
        }
        match stones {
            0 => false,
            1 => self.hits_of_all(board).offsets != 0,
            _ => {
                let alone = |pending: &PendingLine| pending.number(board.shape(), stones + 1);
                // What is too much on one line is too much on all: most failures end here.
                self.lines.iter().all(|pending| alone(pending) <= stones)
                    && self
                        .first_choice(board)
                        .squares(board.geometry())
                        .any(|square| self.without(board, square).can_hit(board, stones - 1))
            }
        }
    }

    /// The fewest stones that hit all; `most` stands for more, too.
    pub(crate) fn number<S: Shape>(&self, board: &ThreatBoard<S>, most: u32) -> u32 {
        let of_lines = |pending: &PendingLine| pending.number(board.shape(), most);
        let fewest = self.lines.iter().map(of_lines).max().unwrap_or(0);
        let enough = self.lines.iter().map(of_lines).sum::<u32>().min(most);
        (fewest..enough)
            .find(|&stones| self.can_hit(board, stones))
            .unwrap_or(enough)
    }
}

impl PendingLine {
    fn number<S: Shape>(&self, shape: S, most: u32) -> u32 {
        number_on_line(shape, self.segments, self.empties, most)
    }
}

/// Squares to choose from, by their offsets on a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) line: LineId,
    pub(crate) offsets: u32,
}

impl Choice {
    #[inline(always)]
    pub(crate) fn squares(self, geometry: &Geometry) -> impl Iterator<Item = Square> + '_ {
        geometry.squares_of(self.line, self.offsets)
    }
}

/// The segments of a line that a stone on a square hits.
#[inline(always)]
fn hit_by<S: Shape>(board: &ThreatBoard<S>, square: Square, line: LineId) -> u32 {
    let refs = board.geometry().on_lines(square);
    refs.iter()
        .find(|at| at.line == line)
        .map_or(0, |at| covering(board.shape(), at.offset))
}

/// The fewest stones that hit some segments of one line; `most` stands for more, too.
///
/// Hitting the leftmost segment as far right as possible is best: any other square of it hits
/// no segment more.
#[inline(always)]
pub(crate) fn number_on_line<S: Shape>(shape: S, segments: u32, empties: u32, most: u32) -> u32 {
    let mut left = segments;
    let mut stones = 0;
    while left != 0 && stones < most {
        let squares = cells(shape, left.trailing_zeros()) & empties;
        if squares == 0 {
            return most;
        }
        left &= !covering(shape, (31 - squares.leading_zeros()) as u8);
        stones += 1;
    }
    stones
}
