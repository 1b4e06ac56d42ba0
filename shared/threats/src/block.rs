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

/// One stone. Unlike a copy of a slice, this is a store of one word, as is [`pair`].
#[inline(always)]
pub(crate) fn single(square: Square) -> Blocks {
    Blocks::from_buf_and_len([square; 4], 1)
}

#[inline(always)]
pub(crate) fn pair(a: Square, b: Square) -> Blocks {
    let (lower, upper) = (a.min(b), a.max(b));
    Blocks::from_buf_and_len([lower, upper, upper, upper], 2)
}

impl<S: Shape> ThreatBoard<S> {
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
        self.blocks_of(&self.pending(colour))
    }

    /// The [`ThreatBoard::minimal_blocks`] that a side's stones would leave the other. The
    /// board need not change for it, so this is the cheaper way to try many moves.
    #[must_use]
    pub fn minimal_blocks_after(&self, colour: Colour, stones: &[Square]) -> BlockList {
        self.blocks_of(&self.pending_after(colour, stones))
    }

    #[inline(always)]
    fn blocks_of(&self, pending: &Pending) -> BlockList {
        let mut found = BlockList::new();
        let Some(alone) = pending.choice(self, &[], 1) else {
            found.push(Blocks::new());
            return found;
        };
        let mut search = BlockSearch {
            board: self,
            pending,
            excluded: Blocks::new(),
            found: &mut found,
        };
        for square in alone.squares(self.geometry()) {
            search.found.push(single(square));
            search.excluded.push(square);
        }
        if self.shape().stones_per_turn() > 1 {
            search.collect(&[], self.shape().stones_per_turn());
        }
        found
    }
}

/// Looks for sets of two stones or more.
struct BlockSearch<'a, S: Shape> {
    board: &'a ThreatBoard<S>,
    pending: &'a Pending,
    /// Squares not to choose: they block alone, or all sets that go on with them are found.
    excluded: Blocks,
    found: &'a mut BlockList,
}

impl<S: Shape> BlockSearch<'_, S> {
    /// Adds the sets that go on from the stones chosen with so many more.
    fn collect(&mut self, chosen: &[Hitter], more: u32) {
        let Some(choice) = self.pending.choice(self.board, chosen, more) else {
            self.keep_if_minimal(chosen);
            return;
        };
        let geometry = self.board.geometry();
        let excluded_before = self.excluded.len();
        for square in choice.squares(geometry) {
            if self.excluded.contains(&square) {
                continue;
            }
            let stone = Hitter::new(geometry, square);
            match (chosen, more) {
                ([], _) => self.collect(&[stone], more - 1),
                ([first], 1) => self.found.push(pair(first.square, square)),
                _ => {
                    let mut chosen = Hitters::from_slice(chosen);
                    chosen.push(stone);
                    self.collect(&chosen, more - 1);
                }
            }
            self.excluded.push(square);
        }
        self.excluded.truncate(excluded_before);
    }

    /// The last stone hits what the others leave. So must each other one; of two stones it
    /// does, as those that block alone are excluded.
    fn keep_if_minimal(&mut self, chosen: &[Hitter]) {
        let blocks_without = |i: usize| {
            let others = chosen.iter().enumerate().filter(|(j, _)| i != *j);
            let others: Hitters = others.map(|(_, stone)| *stone).collect();
            self.pending.all_hit(self.board.shape(), &others)
        };
        if !(0..chosen.len() - 1).any(blocks_without) {
            let mut set: Blocks = chosen.iter().map(|stone| stone.square).collect();
            set.sort_unstable();
            self.found.push(set);
        }
    }
}
