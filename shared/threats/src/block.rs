//! Who blocks what: sets of squares that hit every threat of a side.

use gridproof_game::{Colour, Square};
use smallvec::SmallVec;

use crate::board::ThreatBoard;
use crate::pending::Pending;
use crate::shape::Shape;

/// Stones that block together, in ascending order.
pub type Blocks = SmallVec<[Square; 4]>;
/// All inclusion-minimal ways to block, in ascending order.
pub type BlockList = SmallVec<[Blocks; 6]>;

impl<S: Shape> ThreatBoard<S> {
    #[inline(always)]
    fn pending(&self, colour: Colour) -> Pending {
        let mut pending = Pending::default();
        for line in self.threat_lines(colour).iter() {
            pending.push(line, self.threats_on(line, colour), self.empties_on(line));
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
        let pending = self.pending(colour);
        let mut search = BlockSearch {
            board: self,
            all: &pending,
            chosen: Blocks::new(),
            tried: Blocks::new(),
            found: BlockList::new(),
        };
        search.collect(&pending, self.shape().stones_per_turn());
        search.found.sort_unstable();
        search.found
    }
}

struct BlockSearch<'a, S: Shape> {
    board: &'a ThreatBoard<S>,
    all: &'a Pending,
    chosen: Blocks,
    /// Squares that need not be chosen: all sets that go on with them are found already.
    tried: Blocks,
    found: BlockList,
}

impl<S: Shape> BlockSearch<'_, S> {
    fn collect(&mut self, left: &Pending, stones: u32) {
        if left.is_empty() {
            self.keep_if_minimal();
            return;
        }
        let board = self.board;
        let choice = match stones {
            0 => return,
            1 => left.hits_of_all(board),
            _ => left.first_choice(board),
        };
        let tried_before = self.tried.len();
        for square in choice.squares(board.geometry()) {
            if self.tried.contains(&square) {
                continue;
            }
            self.chosen.push(square);
            if stones == 1 {
                self.keep_if_minimal();
            } else {
                self.collect(&left.without(board, square), stones - 1);
                self.tried.push(square);
            }
            self.chosen.pop();
        }
        self.tried.truncate(tried_before);
    }

    /// The last stone hit something that the others left. Each other one must do so, too.
    fn keep_if_minimal(&mut self) {
        let count = self.chosen.len();
        for i in 0..count.saturating_sub(1) {
            let mut others = self.chosen.clone();
            others.remove(i);
            if self.all.all_hit(self.board, &others) {
                return;
            }
        }
        let mut set = self.chosen.clone();
        set.sort_unstable();
        self.found.push(set);
    }
}
