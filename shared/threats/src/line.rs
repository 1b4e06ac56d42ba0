//! What a line holds for both sides, and which lines hold anything.

use gridproof_game::Colour;

use crate::geometry::{LineId, LineSet};
use crate::shape::Shape;
use crate::windows::{Windows, pack, unpack};

/// One side's segments on a line, by their starts. The other side's stones only ever take
/// segments away, from all four sets alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Segments {
    /// Without a stone of the other side.
    pub(crate) open: u32,
    /// Open, with at most p empty squares.
    pub(crate) threats: u32,
    /// Open, and one stone short of a threat.
    pub(crate) near: u32,
    /// Open, with at most 2p empty squares: one move can make them threats.
    pub(crate) seeds: u32,
}

/// What is known of one line, for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct LineState {
    pub(crate) segments: [Segments; 2],
    pub(crate) stones: [u32; 2],
}

/// The lines where there is something to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Summary {
    pub(crate) threat_lines: [LineSet; 2],
    pub(crate) seed_lines: [LineSet; 2],
}

impl Segments {
    /// A side's segments on two lines where it has these stones and these are open to it,
    /// and whether one of them is full.
    #[inline(always)]
    pub(crate) fn on_two_lines<S: Shape>(
        shape: S,
        stones: [u32; 2],
        open: [u32; 2],
    ) -> ([Self; 2], bool) {
        let (k, p) = (shape.in_a_row() as i32, shape.stones_per_turn() as i32);
        let windows = Windows::count(shape, pack(stones[0], stones[1]));
        let mask = pack(open[0], open[1]);
        let threats = windows.at_least(k - p) & mask;
        let near = windows.at_least(k - p - 1) & !threats & mask;
        let seeds = windows.at_least(k - 2 * p) & mask;
        let complete = windows.at_least(k) & mask;
        let (threats, near, seeds) = (unpack(threats), unpack(near), unpack(seeds));
        let segments = [0, 1].map(|i| Self {
            open: open[i],
            threats: threats[i],
            near: near[i],
            seeds: seeds[i],
        });
        (segments, complete != 0)
    }

    /// What is left when the other side takes a square that some segments contain.
    #[inline(always)]
    pub(crate) fn without(self, taken: u32) -> Self {
        Self {
            open: self.open & !taken,
            threats: self.threats & !taken,
            near: self.near & !taken,
            seeds: self.seeds & !taken,
        }
    }
}

impl Summary {
    /// Own stones only ever add to what a side has on a line.
    #[inline(always)]
    pub(crate) fn gain(&mut self, line: LineId, colour: Colour, now: &Segments) {
        self.threat_lines[colour.index()].insert_if(line, now.threats != 0);
        self.seed_lines[colour.index()].insert_if(line, now.seeds != 0);
    }

    /// The other side's stones only ever take away.
    #[inline(always)]
    pub(crate) fn lose(&mut self, line: LineId, colour: Colour, now: &Segments) {
        self.threat_lines[colour.index()].remove_if(line, now.threats == 0);
        self.seed_lines[colour.index()].remove_if(line, now.seeds == 0);
    }
}
