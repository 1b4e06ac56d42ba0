//! Who blocks what: sets of squares that hit every threat of a side.

use gridproof_game::{Colour, Square};
use smallvec::SmallVec;

use crate::board::ThreatBoard;
use crate::geometry::{Geometry, LineId};
use crate::shape::Shape;
use crate::windows::{cells, covering, offsets};

/// Stones that block together, in ascending order.
pub type Blocks = SmallVec<[Square; 4]>;
/// All inclusion-minimal ways to block.
pub type BlockList = SmallVec<[Blocks; 6]>;

/// Threat segments that no stone blocks yet, by line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    lines: SmallVec<[(LineId, u32); 8]>,
}

impl Pending {
    #[inline]
    pub(crate) fn push(&mut self, line: LineId, segments: u32) {
        if segments != 0 {
            self.lines.push((line, segments));
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// What is left when a blocking stone stands on a square.
    #[inline]
    fn without<S: Shape>(&self, shape: S, geometry: &Geometry, square: Square) -> Self {
        let mut left = Self::default();
        let refs = geometry.on_lines(square);
        for &(line, segments) in &self.lines {
            let hit = refs
                .iter()
                .find(|at| at.line == line)
                .map_or(0, |at| covering(shape, at.offset));
            left.push(line, segments & !hit);
        }
        left
    }
}

impl<S: Shape> ThreatBoard<S> {
    fn pending(&self, colour: Colour) -> Pending {
        let mut pending = Pending::default();
        for line in self.threat_lines(colour).iter() {
            pending.push(line, self.threats_on(line, colour));
        }
        pending
    }

    /// The exact number of threats of a side: the least number of squares that hit all its
    /// threat segments. `None` if no number of stones blocks them, because a line is complete.
    #[must_use]
    pub fn threat_number(&self, colour: Colour) -> Option<u32> {
        let pending = self.pending(colour);
        (0..=self.empty_count() as u32)
            .find(|&stones| self.blockable(&pending, &|line| self.empties_on(line), stones))
    }

    /// Whether a side has at least this many threats.
    #[must_use]
    pub fn has_threats(&self, colour: Colour, least: u32) -> bool {
        least == 0
            || !self.blockable(
                &self.pending(colour),
                &|line| self.empties_on(line),
                least - 1,
            )
    }

    /// Whether `stones` stones can hit all of some segments.
    pub(crate) fn blockable(
        &self,
        pending: &Pending,
        empties_on: &impl Fn(LineId) -> u32,
        stones: u32,
    ) -> bool {
        let Some(&(line, segments)) = pending.lines.first() else {
            return true;
        };
        if stones == 0 {
            return false;
        }
        let segment = cells(self.shape(), segments.trailing_zeros());
        let geometry = self.geometry();
        offsets(segment & empties_on(line)).any(|offset| {
            let left = pending.without(self.shape(), geometry, geometry.square(line, offset));
            self.blockable(&left, empties_on, stones - 1)
        })
    }

    /// All inclusion-minimal sets of at most p squares that hit every threat of a side:
    /// the empty set alone if there is no threat, and no set if they are too many.
    #[must_use]
    pub fn minimal_blocks(&self, colour: Colour) -> BlockList {
        let mut found = BlockList::new();
        let mut chosen = Blocks::new();
        let pending = self.pending(colour);
        self.collect_blocks(
            &pending,
            self.shape().stones_per_turn(),
            &mut chosen,
            &mut found,
        );
        found.sort_unstable();
        found.dedup();
        let minimal: SmallVec<[bool; 6]> = found
            .iter()
            .map(|set| {
                !found.iter().any(|other| {
                    other.len() < set.len() && other.iter().all(|square| set.contains(square))
                })
            })
            .collect();
        let mut keep = minimal.into_iter();
        found.retain(|_| keep.next().unwrap_or(true));
        found
    }

    fn collect_blocks(
        &self,
        pending: &Pending,
        stones: u32,
        chosen: &mut Blocks,
        found: &mut BlockList,
    ) {
        let Some(&(line, segments)) = pending.lines.first() else {
            let mut set = chosen.clone();
            set.sort_unstable();
            found.push(set);
            return;
        };
        if stones == 0 {
            return;
        }
        let geometry = self.geometry();
        let segment = cells(self.shape(), segments.trailing_zeros());
        for offset in offsets(segment & self.empties_on(line)) {
            let square = geometry.square(line, offset);
            let left = pending.without(self.shape(), geometry, square);
            // Too many left to block: a cheap look ahead that ends most branches.
            if left.lines.is_empty() || stones > 1 {
                chosen.push(square);
                self.collect_blocks(&left, stones - 1, chosen, found);
                chosen.pop();
            }
        }
    }
}
