//! Published ways to find work for many machines, to compare with our own.

use std::fmt;
use std::str::FromStr;

use gridproof_search::{Detour, LARGEST, Number, Numbers, RunningNode};

/// What the search assumes of jobs that are running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Policy {
    /// Running jobs will win.
    VirtualWin,
    /// Running jobs will fail.
    VirtualLoss,
    /// Running jobs will leave the numbers as they are.
    VirtualEqual,
    /// Running jobs will win or fail, whichever looks nearer.
    Greedy,
    /// No assumption, but branches where every job is running are passed by.
    Flag,
    /// Virtual equal, and branches where every job is running are passed by.
    VirtualEqualFlag,
    /// What the search itself uses: see [`Detour`].
    #[default]
    Detour,
}

impl Policy {
    pub const ALL: [Self; 7] = [
        Self::VirtualWin,
        Self::VirtualLoss,
        Self::VirtualEqual,
        Self::Greedy,
        Self::Flag,
        Self::VirtualEqualFlag,
        Self::Detour,
    ];
}

impl gridproof_search::Policy for Policy {
    fn assume(self, node: &RunningNode) -> Numbers {
        let own = node.numbers;
        match self {
            Self::VirtualWin => Numbers::PROVED,
            Self::VirtualLoss => Numbers::FAILED,
            Self::Greedy if own.proof <= own.disproof => Numbers::PROVED,
            Self::Greedy => Numbers::FAILED,
            Self::VirtualEqual | Self::VirtualEqualFlag => {
                Numbers::new(node.least_proof.clamp(1, LARGEST), own.disproof)
            }
            Self::Flag => own,
            Self::Detour => Detour.assume(node),
        }
    }

    fn may_enter(self, has_free_job: bool, assumed: Numbers) -> bool {
        match self {
            // The way goes where the numbers point even if nothing is to be had there.
            Self::VirtualEqual => true,
            Self::VirtualWin | Self::VirtualLoss | Self::Greedy => {
                has_free_job && !assumed.is_solved()
            }
            Self::Flag | Self::VirtualEqualFlag => has_free_job,
            Self::Detour => Detour.may_enter(has_free_job, assumed),
        }
    }

    fn detour(self, off: Number) -> u16 {
        match self {
            Self::Detour => Detour.detour(off),
            _ => 0,
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::VirtualWin => "virtual-win",
            Self::VirtualLoss => "virtual-loss",
            Self::VirtualEqual => "virtual-equal",
            Self::Greedy => "greedy",
            Self::Flag => "flag",
            Self::VirtualEqualFlag => "virtual-equal-flag",
            Self::Detour => "detour",
        })
    }
}

/// Why a text names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no policy: choose {names}", names = Policy::ALL.map(|p| p.to_string()).join(", "))]
pub struct ParsePolicyError(String);

impl FromStr for Policy {
    type Err = ParsePolicyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| ParsePolicyError(text.chars().take(40).collect()))
    }
}
