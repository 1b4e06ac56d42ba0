//! What a position's numbers are before much is known of it.

use super::{FailedWork, Number, Numbers, Status};
use crate::job::Level;

/// What a position's numbers are before any job has looked at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum FirstNumbers {
    /// By what an engine or a verifier thought of it.
    #[default]
    Graded,
    /// 1/1 for all, to measure what opinions are worth.
    Even,
}

impl FirstNumbers {
    /// What an opinion counts as.
    #[must_use]
    pub const fn of(self, status: Status) -> Status {
        match self {
            Self::Graded => status,
            Self::Even => Status::NoOpinion,
        }
    }

    /// By how much a position is harder to prove where an engine found no win. It names moves
    /// that look won, so the position would seem as near to a proof as before; but of 2,900 such
    /// 6% were proved later, and of fresh ones half. So each on the way to a leaf counts, and a
    /// search does not stay with one deep line while other moves have hardly been looked at.
    pub(crate) const fn resistance(self) -> Number {
        match self {
            Self::Graded => 15,
            Self::Even => 0,
        }
    }

    /// By how much each move is harder to prove than the one that an engine named before. It names
    /// the best first: half of those that won were its first two. And it always knows another
    /// move that looks well, so without this a position where a hundred were tried in vain
    /// would look as near to a proof as a new one, and the search would stay there: TX-H7 with 16
    /// workers did so for 35,000 of 45,000 jobs. Measured with jobs of 1,600 and 8,000 nodes: of
    /// ten openings that one worker had not proved eight fall, with 4 for each move seven. With
    /// usual jobs eight of the hardest openings take a fifth fewer nodes.
    pub(crate) const fn lateness(self) -> Number {
        match self {
            Self::Graded => 2,
            Self::Even => 0,
        }
    }

    /// By how much a move is harder to prove that has cost so much in vain. Other numbers hardly
    /// grow while jobs fail, because of a defender's replies only the hardest counts in full: I7-M11
    /// took 16 and 64 workers 70,000 jobs and more, most of them on the last reply to a move,
    /// while others had hardly been gone into. With this it takes them 30,000. Of seven openings
    /// with jobs of 1,600 and 8,000 nodes one worker proves all within 44,000 jobs; without it,
    /// three within some 40,000. 32 and 128 instead of 64 are about as good, 16 is worse.
    pub(crate) const fn weariness(self, failed_work: FailedWork) -> Number {
        match self {
            Self::Graded => failed_work.count() / 64,
            Self::Even => 0,
        }
    }

    /// The numbers of a verifier's next job, of this level, where the last was cut short.
    /// Most replies were not looked at, so it is worse than a whole list of eight; and before
    /// engines go into those that are known, the list should be made longer.
    pub(crate) fn after_cut_short(self, next: Level) -> Option<Numbers> {
        const DOUBLINGS: u8 = 4;
        let doublings = next.0.clamp(1, DOUBLINGS) - 1;
        (self == Self::Graded).then(|| Numbers::new(40 << doublings, 4))
    }

    /// The numbers of an engine's next job where a glance found no win. Of the defender's
    /// replies those that nobody has glanced at come first.
    pub(crate) fn after_glance(self) -> Option<Numbers> {
        (self == Self::Graded).then(|| Numbers::new(5, 12))
    }
}
