//! Segments to hit, and the fewest stones that hit them.

use gridproof_game::{Colour, Direction, Square};
use smallvec::SmallVec;

use crate::board::ThreatBoard;
use crate::geometry::{Geometry, LineId, LineRef};
use crate::shape::Shape;
use crate::windows::{Windows, cells, common_cells, covering, offsets};

/// Segments to hit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    lines: SmallVec<[PendingLine; 8]>,
}

#[derive(Clone, Copy, Debug)]
struct PendingLine {
    line: LineId,
    direction: Direction,
    /// By their starts; never none.
    segments: u32,
    /// Where a stone can go.
    empties: u32,
}

/// A stone that hits segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hitter {
    pub(crate) square: Square,
    at: [LineRef; 4],
}

impl Hitter {
    #[inline(always)]
    pub(crate) fn new(geometry: &Geometry, square: Square) -> Self {
        let at = *geometry.on_lines(square);
        Self { square, at }
    }
}

pub(crate) type Hitters = SmallVec<[Hitter; 4]>;

impl PendingLine {
    /// The segments that a stone does not hit.
    #[inline(always)]
    fn missed_by<S: Shape>(&self, shape: S, stone: &Hitter) -> u32 {
        let at = stone.at[self.direction as usize];
        if at.line == self.line {
            self.segments & !covering(shape, at.offset)
        } else {
            self.segments
        }
    }
}

impl Pending {
    #[inline(always)]
    pub(crate) fn push<S: Shape>(
        &mut self,
        board: &ThreatBoard<S>,
        line: LineId,
        segments: u32,
        empties: u32,
    ) {
        if segments != 0 {
            self.lines.push(PendingLine {
                line,
                direction: board.geometry().direction(line),
                segments,
                empties,
            });
        }
    }

    /// The line from an index on with segments that some stones do not hit, and its index.
    #[inline(always)]
    fn left_from<S: Shape>(
        &self,
        index: usize,
        shape: S,
        stones: &[Hitter],
    ) -> Option<(usize, PendingLine)> {
        for (i, at) in self.lines.iter().enumerate().skip(index) {
            let mut at = *at;
            for stone in stones {
                at.segments = at.missed_by(shape, stone);
            }
            if at.segments != 0 {
                return Some((i, at));
            }
        }
        None
    }

    #[inline(always)]
    pub(crate) fn all_hit<S: Shape>(&self, shape: S, stones: &[Hitter]) -> bool {
        self.left_from(0, shape, stones).is_none()
    }

    /// Squares one of which must be taken beside some stones, if `more` are to hit all that
    /// they leave. `None` if they leave nothing.
    #[inline(always)]
    pub(crate) fn choice<S: Shape>(
        &self,
        board: &ThreatBoard<S>,
        stones: &[Hitter],
        more: u32,
    ) -> Option<Choice> {
        let (shape, geometry) = (board.shape(), board.geometry());
        let (index, first) = self.left_from(0, shape, stones)?;
        let mut choice = Choice {
            line: first.line,
            offsets: first.empties & cells(shape, first.segments.trailing_zeros()),
        };
        if more == 1 {
            choice.offsets &= common_cells(shape, first.segments);
            let mut next = index + 1;
            while let Some((index, at)) = self.left_from(next, shape, stones) {
                for offset in offsets(choice.offsets) {
                    let stone = Hitter::new(geometry, geometry.square(first.line, offset));
                    choice.offsets ^= u32::from(at.missed_by(shape, &stone) != 0) << offset;
                }
                next = index + 1;
            }
        }
        Some(choice)
    }

    /// Whether so many stones can hit all.
    pub(crate) fn can_hit<S: Shape>(&self, board: &ThreatBoard<S>, stones: u32) -> bool {
        self.can_hit_with(board, &mut Hitters::new(), stones)
    }

    fn can_hit_with<S: Shape>(
        &self,
        board: &ThreatBoard<S>,
        stones: &mut Hitters,
        more: u32,
    ) -> bool {
        let Some(choice) = self.choice(board, stones, more) else {
            return true;
        };
        match more {
            0 => false,
            1 => choice.offsets != 0,
            // What is too much on one line is too much on all: most failures end here.
            _ if self.most_on_a_line(board.shape(), stones, more + 1) > more => false,
            _ => choice.squares(board.geometry()).any(|square| {
                stones.push(Hitter::new(board.geometry(), square));
                let can = self.can_hit_with(board, stones, more - 1);
                stones.pop();
                can
            }),
        }
    }

    /// The most stones that one line needs beside some; `most` stands for more, too.
    fn most_on_a_line<S: Shape>(&self, shape: S, stones: &[Hitter], most: u32) -> u32 {
        let (mut next, mut needed) = (0, 0);
        while let Some((index, at)) = self.left_from(next, shape, stones) {
            needed = needed.max(number_on_line(shape, at.segments, at.empties, most));
            next = index + 1;
        }
        needed
    }

    /// Whether it takes at least so many stones to hit all.
    pub(crate) fn needs<S: Shape>(&self, board: &ThreatBoard<S>, least: u32) -> bool {
        let mut enough = 0;
        for at in &self.lines {
            let alone = number_on_line(board.shape(), at.segments, at.empties, least);
            if alone >= least {
                return true;
            }
            enough += alone;
        }
        enough >= least && !self.can_hit(board, least - 1)
    }

    /// The fewest stones that hit all; `most` stands for more, too.
    pub(crate) fn number<S: Shape>(&self, board: &ThreatBoard<S>, most: u32) -> u32 {
        let (mut fewest, mut enough) = (0, 0);
        for at in &self.lines {
            let alone = number_on_line(board.shape(), at.segments, at.empties, most);
            fewest = fewest.max(alone);
            enough = most.min(enough + alone);
        }
        (fewest..enough)
            .find(|&stones| self.can_hit(board, stones))
            .unwrap_or(enough)
    }
}

impl<S: Shape> ThreatBoard<S> {
    /// The threats of a side.
    #[inline(always)]
    pub(crate) fn pending(&self, colour: Colour) -> Pending {
        let mut pending = Pending::default();
        self.push_threats(colour, &[], &mut pending);
        pending
    }

    /// The threats of a side once it has some stones more.
    #[inline(always)]
    pub(crate) fn pending_after(&self, colour: Colour, stones: &[Square]) -> Pending {
        let mut pending = Pending::default();
        let stones: Hitters = stones
            .iter()
            .map(|&square| Hitter::new(self.geometry(), square))
            .collect();
        for direction in Direction::ALL {
            let at = |stone: &Hitter| stone.at[direction as usize];
            for (i, stone) in stones.iter().enumerate() {
                let line = at(stone).line;
                if stones[..i].iter().any(|earlier| at(earlier).line == line) {
                    continue;
                }
                let here = stones[i..].iter().map(at).filter(|at| at.line == line);
                let added = here.fold(0, |mask, at| mask | 1 << at.offset);
                let segments = self.threats_with(line, colour, added);
                pending.push(self, line, segments, self.empties_on(line) & !added);
            }
        }
        self.push_threats(colour, &stones, &mut pending);
        pending
    }

    /// Adds a side's threats on lines that some stones are not on.
    #[inline(always)]
    fn push_threats(&self, colour: Colour, not_at: &[Hitter], pending: &mut Pending) {
        for line in self.threat_lines(colour).iter() {
            let direction = self.geometry().direction(line) as usize;
            if not_at.iter().all(|stone| stone.at[direction].line != line) {
                let segments = self.threats_on(line, colour);
                pending.push(self, line, segments, self.empties_on(line));
            }
        }
    }

    /// Threat segments of a line once a side also has stones at the offsets of a mask.
    #[inline(always)]
    fn threats_with(&self, line: LineId, colour: Colour, added: u32) -> u32 {
        let shape = self.shape();
        if added.is_power_of_two() {
            let made = covering(shape, added.trailing_zeros() as u8) & self.near_on(line, colour);
            return self.threats_on(line, colour) | made;
        }
        let least = shape.in_a_row() as i32 - shape.stones_per_turn() as i32;
        let stones = self.stones_on(line, colour) | added;
        Windows::count(shape, stones).at_least(least) & self.open_on(line, colour)
    }
}

/// Squares to choose from, by their offsets on a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    line: LineId,
    offsets: u32,
}

impl Choice {
    #[inline(always)]
    pub(crate) fn squares(self, geometry: &Geometry) -> impl Iterator<Item = Square> + '_ {
        geometry.squares_of(self.line, self.offsets)
    }
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
