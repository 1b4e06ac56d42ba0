//! Moves that make threats.

use gridproof_game::{Colour, Square};

use crate::block::Blocks;
use crate::board::ThreatBoard;
use crate::shape::Shape;

/// Stones that make threats together. The move's other stones, if any, are free.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attack {
    /// In ascending order.
    pub stones: Blocks,
    /// The number of threats on the board after these stones. The larger of p + 1 and the
    /// number asked for stands for more, too.
    pub threats: u32,
}

pub type AttackList = Vec<Attack>;

impl<S: Shape> ThreatBoard<S> {
    /// All inclusion-minimal sets of at most p stones after which a side has at least `least`
    /// threats (1 or more). Every move that makes so many contains one of them.
    #[must_use]
    pub fn attacks(&self, colour: Colour, least: u32) -> AttackList {
        let mut found = AttackList::new();
        self.attacks_into(colour, least, &mut found);
        found
    }

    /// As [`ThreatBoard::attacks`], into a list that is cleared first.
    pub fn attacks_into(&self, colour: Colour, least: u32, found: &mut AttackList) {
        let p = self.shape().stones_per_turn();
        self.attacks_of_at_most(p, colour, least, found);
    }

    /// As [`ThreatBoard::attacks_into`], but of at most `stones` stones (p or fewer).
    pub fn attacks_of_at_most(
        &self,
        stones: u32,
        colour: Colour,
        least: u32,
        found: &mut AttackList,
    ) {
        let p = self.shape().stones_per_turn();
        debug_assert!(least > 0 && stones <= p);
        found.clear();
        let wanted = Wanted {
            colour,
            stones,
            least,
            count_to: least.max(p + 1),
        };
        if self.has_threats(colour, least) {
            let stones = Blocks::new();
            let threats = self.count_after(colour, &stones, wanted.count_to);
            found.push(Attack { stones, threats });
        } else if p <= 2 && !self.can_complete(colour) {
            self.pairs_into(wanted, found);
        } else {
            self.unions_into(wanted, found);
        }
    }

    /// The number of threats of a side after it places some stones; p + 1 stands for more, too.
    #[must_use]
    pub fn threats_after(&self, colour: Colour, stones: &[Square]) -> u32 {
        self.count_after(colour, stones, self.shape().stones_per_turn() + 1)
    }

    /// As [`ThreatBoard::threats_after`], but `most` stands for more.
    pub(crate) fn count_after(&self, colour: Colour, stones: &[Square], most: u32) -> u32 {
        self.pending_after(colour, stones).number(self, most)
    }
}

/// What attacks to find.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) colour: Colour,
    /// No more stones than these.
    pub(crate) stones: u32,
    /// No fewer threats than these.
    pub(crate) least: u32,
    /// This many threats stand for more, too.
    pub(crate) count_to: u32,
}
