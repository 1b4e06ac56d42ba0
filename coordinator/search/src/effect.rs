//! What the core wants done.

use std::fmt;

use gridproof_game::Move;

use super::fact::Fact;
use super::ids::{Generation, LeaseId, NodeId, Revision, SearchId, WorkerId};
use super::job::JobSpec;
use super::standings::QuarantineReason;

/// Something for the shell to do. Effects of one event are in order, and no effect may be
/// carried out, nor the event acknowledged, before every [`Effect::Record`] of that event is
/// safely stored: after a crash, what nobody was told never happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Store this fact.
    Record(Fact),
    /// Send a job down a worker's stream.
    Assign {
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
        /// 1 for the first worker that is given this job.
        attempt: u16,
        job: Box<JobSpec>,
    },
    /// Tell a worker to go on with a job that it brought along.
    Keep {
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
    },
    /// Tell a worker to drop a job: no error, its answer just does not matter any more.
    Abort {
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
        reason: AbortReason,
    },
    /// A reply of this defender's node was proved: put its proof together as far as it goes
    /// and answer with [`Event::Settled`](super::Event::Settled). One answer is awaited per
    /// node at a time.
    Settle { node: NodeId, revision: Revision },
    /// The attacker wins this node.
    Proved { node: NodeId, how: ProvedBy },
    /// These were proved and are so no longer, since a worker's results were withdrawn:
    /// forget their proofs.
    Unproved { nodes: Vec<NodeId> },
    /// A worker was put into quarantine: it gets no jobs until an operator lets it.
    Quarantined {
        worker: WorkerId,
        reason: QuarantineReason,
    },
    /// A search has come to its end, or, after a withdrawal, has not.
    Verdict { search: SearchId, verdict: Verdict },
}

/// By what a node was proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProvedBy {
    /// By a job's certificate.
    Job,
    /// By the attacker's move to a proved node.
    Move { mv: Move, to: NodeId },
    /// By the proofs of its replies, which the shell has put together and checked.
    Replies,
}

/// How a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Verdict {
    #[default]
    Open,
    /// The attacker wins, with a certificate.
    Proved,
    /// No move is left that any engine or operator thought worth a try. No proof of anything
    /// unless the engines tell every move.
    Failed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Open => "open",
            Self::Proved => "proved",
            Self::Failed => "nothing left to try",
        })
    }
}

/// Why work was thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AbortReason {
    /// A node above, or the node itself, was settled by other means.
    AncestorSettled,
    /// A zone answers the move that led here.
    Excused,
    /// Another worker was faster with the same job.
    Duplicate,
    /// An operator forgot the branch or stopped the search.
    Ordered,
    /// What led here was withdrawn.
    Withdrawn,
    /// The worker went away, fell silent, broke off or kept the job too long.
    WorkerLost,
    /// The answer came, and told nothing new.
    NothingNew,
}

impl fmt::Display for AbortReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AncestorSettled => "ancestor settled",
            Self::Excused => "excused by a zone",
            Self::Duplicate => "duplicate",
            Self::Ordered => "operator's order",
            Self::Withdrawn => "withdrawn",
            Self::WorkerLost => "worker lost",
            Self::NothingNew => "nothing new",
        })
    }
}
