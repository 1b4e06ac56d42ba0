//! Opinions of positions.

use gridproof_game::Move;
use serde::{Deserialize, Serialize};

use super::Numbers;
use crate::job::Side;

/// An engine's opinion of a position, from the attacker's side. It only orders the search:
/// not even `Won` closes anything.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum Status {
    Won,
    AlmostWon,
    Strong3,
    Strong2,
    Strong1,
    /// Nothing is happening.
    Quiet,
    /// Much is happening, and it may go either way.
    #[default]
    Unclear,
    Weak1,
    Weak2,
    Weak3,
    AlmostLost,
    Lost,
    /// A verifier could not answer this many of the defender's stones left out. Behind one
    /// such move wait all the real moves that it stands for.
    SemiNullOpen,
    NullOpen,
    /// Opinions do not count.
    NoOpinion,
}

impl Status {
    pub const ALL: [Self; 12] = [
        Self::Won,
        Self::AlmostWon,
        Self::Strong3,
        Self::Strong2,
        Self::Strong1,
        Self::Quiet,
        Self::Unclear,
        Self::Weak1,
        Self::Weak2,
        Self::Weak3,
        Self::AlmostLost,
        Self::Lost,
    ];

    /// What to think of a defender's move that a verifier could not settle.
    #[must_use]
    pub fn of_open_reply(mv: &Move) -> Self {
        if mv.is_null() {
            Self::NullOpen
        } else if mv.is_semi_null() {
            Self::SemiNullOpen
        } else {
            Self::Unclear
        }
    }

    /// The first numbers of a node with this status. With the defender to move, a proof must
    /// answer all of his moves that no verifier settles, each of which starts at 5: so the
    /// proof number guesses how many there will be. It guesses low, at one or two: a verifier
    /// is cheaper than the jobs that its open replies make, so all that an engine thinks well
    /// of are verified before the best of them is gone into. Measured on eight openings: a tenth
    /// fewer nodes than with guesses of up to ten.
    #[must_use]
    pub fn numbers_for(self, side: Side) -> Numbers {
        let Numbers { proof, disproof } = self.numbers();
        let proof = match (side, self) {
            (Side::Attacker, _) | (_, Self::NoOpinion) => proof,
            (Side::Defender, Self::Won) => 4,
            (Side::Defender, Self::AlmostWon) => 5,
            (Side::Defender, Self::Strong3) => 6,
            (Side::Defender, Self::Strong2) => 8,
            (Side::Defender, Self::Strong1) => 10,
            (Side::Defender, _) => 12 * proof,
        };
        Numbers::new(proof, disproof)
    }

    /// The numbers of asking an engine once more, whose last suggestion had this status: what
    /// it names then is worse, and first all that it has named should be gone into. Of the
    /// winning moves of 67 openings all but four were among the first eight.
    #[must_use]
    pub fn numbers_of_next_ask(self) -> Numbers {
        let last = self.numbers_for(Side::Defender);
        let proof = last.proof.saturating_add(last.proof / 2);
        let least = if self == Self::NoOpinion { 1 } else { 100 };
        Numbers::new(proof.max(least), last.disproof.saturating_sub(1).max(1))
    }

    /// The numbers of a status: the one table of them.
    const fn numbers(self) -> Numbers {
        match self {
            Self::Won => Numbers::new(1, 24),
            Self::AlmostWon => Numbers::new(1, 18),
            Self::Strong3 => Numbers::new(2, 12),
            Self::Strong2 => Numbers::new(3, 10),
            Self::Strong1 => Numbers::new(4, 8),
            Self::Quiet => Numbers::new(6, 6),
            Self::Unclear => Numbers::new(5, 5),
            Self::Weak1 => Numbers::new(8, 4),
            Self::Weak2 => Numbers::new(10, 3),
            Self::Weak3 => Numbers::new(12, 2),
            Self::AlmostLost => Numbers::new(18, 1),
            Self::Lost => Numbers::new(24, 1),
            // Measured on TX-H9: a good third move leaves some thirty full moves open, at 5
            // each; a bad one leaves the null move open, and must not look better for that.
            Self::SemiNullOpen => Numbers::new(40, 3),
            Self::NullOpen => Numbers::new(250, 2),
            Self::NoOpinion => Numbers::new(1, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_for_one_side_is_as_bad_for_the_other() {
        let best_first = Status::ALL
            .iter()
            .filter(|status| **status != Status::Unclear);
        let best_first: Vec<_> = best_first.map(|status| status.numbers()).collect();
        let worst_first = best_first.iter().rev();
        for (ours, theirs) in best_first.iter().zip(worst_first) {
            assert_eq!(*ours, Numbers::new(theirs.disproof, theirs.proof));
        }
    }

    #[test]
    fn no_opinion_settles_anything() {
        for status in Status::ALL {
            for side in [Side::Attacker, Side::Defender] {
                assert!(!status.numbers_for(side).is_solved(), "{status:?}");
            }
        }
    }

    #[test]
    fn a_better_status_is_nearer_to_a_proof() {
        let even = |status: &Status| *status == Status::Unclear;
        let numbers = Status::ALL.into_iter().filter(|status| !even(status));
        let numbers: Vec<_> = numbers.map(Status::numbers).collect();
        assert!(numbers.windows(2).all(|pair| {
            pair[0].proof <= pair[1].proof && pair[0].disproof >= pair[1].disproof
        }));
    }
}
