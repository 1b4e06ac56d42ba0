//! Names for things: none of them is a number that another could be mistaken for.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A node of the search graph. The same facts give the same ids, so an id outlives restarts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

impl NodeId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// One root with one attacker. The shell chooses the number; it is never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SearchId(pub u32);

impl fmt::Display for SearchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "search {}", self.0)
    }
}

/// A worker's identity, whatever its connection. The shell gives each name one number for good,
/// since facts tell by it whose results they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WorkerId(pub u32);

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {}", self.0)
    }
}

/// Which of a worker's connections. Higher is newer; what comes over an older one has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Generation(pub u32);

/// Which life of the coordinator: one more at each start from the facts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct Epoch(pub u32);

/// One attempt at one job by one worker. Never used twice, not even after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseId {
    pub epoch: Epoch,
    pub number: u32,
}

impl LeaseId {
    /// For the wire.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.epoch.0 as u64) << 32 | self.number as u64
    }

    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self {
            epoch: Epoch((bits >> 32) as u32),
            number: bits as u32,
        }
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lease {}.{}", self.epoch.0, self.number)
    }
}

/// How often results were withdrawn since the start: proofs from an earlier revision may rest on
/// something that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Revision(pub u32);

/// Milliseconds since whatever moment the shell likes. Must not run backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Time(pub u64);

impl Time {
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// Nothing if `earlier` is in fact later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}
