//! Who blocks what: sets of squares that hit every threat of a side.

use gridproof_game::{Colour, Square};
use smallvec::SmallVec;

use crate::board::ThreatBoard;
use crate::pending::{Hitter, Hitters, Pending};
use crate::shape::Shape;

/// Stones that block together, in ascending order.
pub type Blocks = SmallVec<[Square; 4]>;
/// All inclusion-minimal ways to block.
pub type BlockList = SmallVec<[Blocks; 6]>;

impl<S: Shape> ThreatBoard<S> {
    #[inline(always)]
    fn pending(&self, colour: Colour) -> Pending {
        let mut pending = Pending::default();
        for line in self.threat_lines(colour).iter() {
            pending.push(
                self,
                line,
                self.threats_on(line, colour),
                self.empties_on(line),
            );
        }
        pending
    }

    /// The exact number of threats of a side: the least number of squares that hit all its
    /// threat segments. `None` if no number of stones blocks them, because a line is complete.
    #[must_use]
    pub fn threat_number(&self, colour: Colour) -> Option<u32> {
        if self.has_completed(colour) {
            return None;
        }
        Some(self.pending(colour).number(self, u32::MAX))
    }

    /// Whether a side has at least this many threats.
    #[must_use]
    pub fn has_threats(&self, colour: Colour, least: u32) -> bool {
        least == 0 || !self.pending(colour).can_hit(self, least - 1)
    }

    /// All inclusion-minimal sets of at most p squares that hit every threat of a side:
    /// the empty set alone if there is no threat, and no set if they are too many.
    #[must_use]
    pub fn minimal_blocks(&self, colour: Colour) -> BlockList {
        let mut found = BlockList::new();
        let pending = self.pending(colour);
        let mut search = BlockSearch {
            board: self,
            pending: &pending,
            chosen: Hitters::new(),
            tried: Blocks::new(),
            found: &mut found,
        };
        search.collect(self.shape().stones_per_turn());
        found
    }
}

struct BlockSearch<'a, S: Shape> {
    board: &'a ThreatBoard<S>,
    pending: &'a Pending,
    chosen: Hitters,
    /// Squares that need not be chosen: all sets that go on with them are found already.
    tried: Blocks,
    found: &'a mut BlockList,
}

impl<S: Shape> BlockSearch<'_, S> {
    /// Adds the sets that go on from the squares chosen with so many stones more.
    fn collect(&mut self, stones: u32) {
        let Some(choice) = self.pending.choice(self.board, &self.chosen, stones) else {
            self.keep_if_minimal();
            return;
        };
        if stones == 0 {
            return;
        }
        let geometry = self.board.geometry();
        let tried_before = self.tried.len();
        for square in choice.squares(geometry) {
            if self.tried.contains(&square) {
                continue;
            }
            self.chosen.push(Hitter::new(geometry, square));
            if stones == 1 {
                self.keep_if_minimal();
            } else {
                self.collect(stones - 1);
                self.tried.push(square);
            }
            self.chosen.pop();
        }
        self.tried.truncate(tried_before);
    }

    /// The last stone hits what the others leave. So must each other one.
    #[inline(always)]
    fn keep_if_minimal(&mut self) {
        let shape = self.board.shape();
        let useless = |others: &[Hitter]| self.pending.all_hit(shape, others);
        let set = match self.chosen.as_slice() {
            [] => Blocks::new(),
            [stone] => Blocks::from_slice(&[stone.square]),
            [_, last] if useless(&[*last]) => return,
            [a, b] => Blocks::from_slice(&[a.square.min(b.square), a.square.max(b.square)]),
            [stones @ .., _] => {
                let without = |i: usize| -> Hitters {
                    let others = self.chosen.iter().enumerate();
                    others.filter(|(j, _)| i != *j).map(|(_, s)| *s).collect()
                };
                if (0..stones.len()).any(|i| useless(&without(i))) {
                    return;
                }
                let mut set: Blocks = self.chosen.iter().map(|stone| stone.square).collect();
                set.sort_unstable();
                set
            }
        };
        self.found.push(set);
    }
}
