//! A worker's stream, as the coordinator sees it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gridproof_certificate::ContentHash;
use gridproof_game::{Colour, Move, Position};
use gridproof_host::TokenId;
use tokio::sync::mpsc;

use super::departure::StreamEnd;
use gridproof_search::{
    AbortReason, Generation, Goal, HeldJob, JobId, LeaseId, NodeKey, Time, WorkerId,
};

/// One stream of one worker. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId {
    pub(super) worker: WorkerId,
    pub(super) serial: u64,
}

/// Where a message about a lease came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeaseRef {
    pub(super) connection: ConnectionId,
    pub(super) lease: LeaseId,
    pub(super) key: NodeKey,
}

/// A worker that has said hello and wants in.
#[derive(Debug)]
pub struct Join {
    pub name: String,
    /// Differs from one start of the worker to the next.
    pub instance: u64,
    pub version: String,
    pub slots: u16,
    pub leaves_in: Option<Duration>,
    /// By which it was let in.
    pub token: Option<TokenId>,
    pub held: Vec<HeldJob>,
    /// Where to send what the worker is to be told. Unbounded, because the core hands out no
    /// more jobs than a worker has slots.
    pub outbox: mpsc::UnboundedSender<Outgoing>,
}

/// A worker that is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    pub connection: ConnectionId,
    pub worker: WorkerId,
    pub generation: Generation,
}

/// Why a worker does not get in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinRefusal {
    #[error(
        "another process works under the name \"{0}\": give each worker a name of its own; if \
         that process has just died, try again in a moment"
    )]
    NameInUse(String),
    #[error("\"{0}\" was cut off because of what it sent: ask the operator")]
    CutOff(String),
}

/// A job that was sent, as much of it as is needed to read its answer.
#[derive(Clone, Debug)]
pub struct AssignedJob {
    pub lease: LeaseId,
    pub id: JobId,
    pub position: Position,
    pub attacker: Colour,
    /// Nodes and replies that certificates of its answer may have, all together.
    pub proof_limit: u64,
    /// Replies whose certificates are here already.
    pub answered: Vec<Move>,
    /// Of a verifier: it stops at so many open replies, if that is known.
    pub most_open: Option<u32>,
}

/// What a worker is to be told.
#[derive(Clone, Debug)]
pub enum Outgoing {
    Assign(Box<JobAssignment>),
    Keep(Arc<AssignedJob>),
    Abort {
        lease: LeaseId,
        reason: AbortReason,
    },
    Accepted {
        lease: LeaseId,
    },
    Idle,
    /// The stream ends.
    Close(StreamEnd),
}

/// A job in full.
#[derive(Clone, Debug)]
pub struct JobAssignment {
    pub assigned: Arc<AssignedJob>,
    pub goal: Goal,
    pub budget: u64,
    pub known: Vec<Move>,
    /// Of a verifier: replies that are answered already.
    pub answers: Vec<(Move, ContentHash)>,
}

/// A stream that is open.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) id: ConnectionId,
    /// Raised when the worker changes its slots: to the core that is a new hello.
    pub(super) generation: Generation,
    pub(super) instance: u64,
    pub(super) slots: u16,
    /// When its machine will be taken away, if that is known.
    pub(super) until: Option<Time>,
    pub(super) version: String,
    pub(super) token: Option<TokenId>,
    pub(super) outbox: mpsc::UnboundedSender<Outgoing>,
    pub(super) leases: BTreeMap<LeaseId, RunningJob>,
}

/// A job that a worker is at, as far as we were told.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningJob {
    pub(super) job: JobId,
    /// When it was sent, or when the worker brought it along.
    pub(super) since: Instant,
    pub(super) spent: u64,
    /// The worker's stream knows of it: it was sent over it, or the worker was told to keep it.
    pub(super) is_announced: bool,
}

impl RunningJob {
    pub(super) fn sent(job: JobId) -> Self {
        Self {
            is_announced: true,
            ..Self::held(job)
        }
    }

    /// One that the worker brought along.
    pub(super) fn held(job: JobId) -> Self {
        Self {
            job,
            since: Instant::now(),
            spent: 0,
            is_announced: false,
        }
    }
}

impl Connection {
    pub(super) fn running(&self) -> Vec<HeldJob> {
        let running = self.leases.iter();
        running
            .map(|(&lease, running)| HeldJob {
                lease,
                job: running.job,
            })
            .collect()
    }
}
