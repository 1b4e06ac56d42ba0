//! Proof and disproof numbers: what they mean, how they add up, and what an opinion is worth in
//! them.

mod failed_work;
mod first;
mod policy;
mod status;
mod total;

use std::fmt;

pub(crate) use failed_work::FailedWork;
pub use first::FirstNumbers;
pub use policy::{Detour, Policy, RunningNode};
pub use status::Status;
pub use total::Overcounting;
pub(crate) use total::Total;

/// About how many leaves must still be settled.
pub type Number = u32;

/// Never: the other number is 0.
pub const INFINITE: Number = Number::MAX;

/// The largest number that is not [`INFINITE`]: sums stop here.
pub const LARGEST: Number = INFINITE - 1;

/// What is left to do to prove a node, and to disprove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers {
    pub proof: Number,
    pub disproof: Number,
}

impl Numbers {
    pub const PROVED: Self = Self::new(0, INFINITE);
    pub const FAILED: Self = Self::new(INFINITE, 0);
    /// Every reply is answered, and the shell has yet to say whether that closes the node.
    pub const SETTLING: Self = Self::new(1, 24);

    #[must_use]
    pub const fn new(proof: Number, disproof: Number) -> Self {
        Self { proof, disproof }
    }

    #[must_use]
    pub const fn is_solved(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    #[must_use]
    pub const fn is_proved(self) -> bool {
        self.proof == 0
    }

    /// So much harder to prove, unless it is settled.
    #[must_use]
    pub(crate) const fn harder_by(self, more: Number) -> Self {
        let proof = match self.proof {
            settled @ (0 | INFINITE) => settled,
            open if more > LARGEST - open => LARGEST,
            open => open + more,
        };
        Self { proof, ..self }
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |n: Number| match n {
            INFINITE => "∞".to_owned(),
            LARGEST => "…".to_owned(),
            n => n.to_string(),
        };
        write!(f, "{}/{}", text(self.proof), text(self.disproof))
    }
}
