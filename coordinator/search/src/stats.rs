//! What the core counts: nothing here decides anything.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::effect::AbortReason;

/// Why an event changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum IgnoreReason {
    /// Nobody with this identity has said hello.
    #[error("unknown worker")]
    UnknownWorker,
    /// This identity was banned.
    #[error("banned worker")]
    BannedWorker,
    /// The message came over a connection that a newer one has replaced.
    #[error("stale connection")]
    StaleConnection,
    /// No such lease was ever given out, as far as we remember.
    #[error("unknown lease")]
    UnknownLease,
    /// The lease is another worker's.
    #[error("another worker's lease")]
    ForeignLease,
    /// The job was answered already, by this very lease.
    #[error("answered twice")]
    Twice,
    /// The job was taken away before.
    #[error("answered late")]
    Late,
    /// The answer is for another position.
    #[error("wrong position")]
    WrongPosition,
    /// An engine's answer to a verifier's job, or the other way round.
    #[error("wrong kind of answer")]
    WrongKind,
    /// A move in the answer cannot be played.
    #[error("illegal move")]
    IllegalMove,
    /// A move in the answer was in the job's list of known moves.
    #[error("known move")]
    KnownMove,
    /// A move of the attacker ends the game: that is a win to be certified or no move at all.
    #[error("move ends the game")]
    EndsTheGame,
    /// No such node.
    #[error("unknown node")]
    UnknownNode,
    /// No such search, or it has ended.
    #[error("unknown search")]
    UnknownSearch,
    /// A search with this number exists.
    #[error("search exists")]
    SearchExists,
    /// The game is over in this position, or a share is 0.
    #[error("nothing to search")]
    NothingToSearch,
    /// Nobody asked the shell to settle this node.
    #[error("not asked to settle")]
    NotAsked,
    /// The node is proved, or refuted by the rules: nothing can be tried there.
    #[error("node is solved")]
    Solved,
    /// The order does not fit the side to move: only the attacker's moves can be tried or
    /// forgotten.
    #[error("wrong side to move")]
    WrongSide,
    /// The node is in that state already.
    #[error("no change")]
    NoChange,
}

impl IgnoreReason {
    /// Whether a worker said what it must not say, rather than too late or twice.
    #[must_use]
    pub const fn is_worker_fault(self) -> bool {
        matches!(
            self,
            Self::WrongKind | Self::IllegalMove | Self::KnownMove | Self::EndsTheGame
        )
    }

    pub const ALL: [Self; 20] = [
        Self::UnknownWorker,
        Self::BannedWorker,
        Self::StaleConnection,
        Self::UnknownLease,
        Self::ForeignLease,
        Self::Twice,
        Self::Late,
        Self::WrongPosition,
        Self::WrongKind,
        Self::IllegalMove,
        Self::KnownMove,
        Self::EndsTheGame,
        Self::UnknownNode,
        Self::UnknownSearch,
        Self::SearchExists,
        Self::NothingToSearch,
        Self::NotAsked,
        Self::Solved,
        Self::WrongSide,
        Self::NoChange,
    ];
}

/// Whether an event made sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handled {
    Done,
    /// Nothing has changed, except that this was counted.
    Ignored(IgnoreReason),
}

/// Work that was thrown away for one reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wasted {
    pub leases: u64,
    pub time: Duration,
    /// Solver nodes, as far as workers have told.
    pub nodes: u64,
}

/// What was spent on a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Solver nodes, wasted ones too.
    pub nodes: u64,
    /// Jobs that were answered.
    pub jobs: u64,
}

impl Effort {
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            jobs: self.jobs + other.jobs,
        }
    }
}

/// Counts since the coordinator started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub leases: u64,
    pub adopted: u64,
    pub answers: u64,
    pub findings: u64,
    /// Time of workers that went into answers.
    pub useful: Duration,
    pub useful_nodes: u64,
    pub wasted: BTreeMap<AbortReason, Wasted>,
    pub ignored: BTreeMap<IgnoreReason, u64>,
}

impl Stats {
    pub(crate) fn waste(&mut self, reason: AbortReason, time: Duration, nodes: u64) {
        let wasted = self.wasted.entry(reason).or_default();
        wasted.leases += 1;
        wasted.time += time;
        wasted.nodes += nodes;
    }

    /// Takes in the counts of another life of the coordinator.
    pub fn add(&mut self, other: &Self) {
        self.leases += other.leases;
        self.adopted += other.adopted;
        self.answers += other.answers;
        self.findings += other.findings;
        self.useful += other.useful;
        self.useful_nodes += other.useful_nodes;
        for (&reason, more) in &other.wasted {
            let wasted = self.wasted.entry(reason).or_default();
            wasted.leases += more.leases;
            wasted.time += more.time;
            wasted.nodes += more.nodes;
        }
        for (&reason, count) in &other.ignored {
            *self.ignored.entry(reason).or_default() += count;
        }
    }

    pub(crate) fn ignore(&mut self, reason: IgnoreReason) -> Handled {
        *self.ignored.entry(reason).or_default() += 1;
        Handled::Ignored(reason)
    }
}
