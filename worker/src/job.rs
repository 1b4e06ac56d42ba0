//! What a worker is asked to do, and what comes of it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use gridproof_engine::{Goal, Suggestion};
use gridproof_game::{Move, Position};
use gridproof_solver::{Cancel, ProvedReply};

use crate::wire::JobName;

/// The coordinator's number for a job that was given to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeaseId(pub(crate) u64);

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// All that a job's result depends on.
#[derive(Debug)]
pub(crate) struct JobSpec {
    pub(crate) position: Position,
    pub(crate) kind: JobKind,
    /// In solver nodes.
    pub(crate) budget: u64,
}

/// What the coordinator wants to know.
#[derive(Debug)]
pub(crate) enum JobKind {
    /// A win of the side to move, or a move that is not among the known ones.
    Engine { known: Vec<Move>, goal: Goal },
    /// Whether every reply loses. Proofs of some are known, and others are known to be open.
    Verifier {
        proved: Vec<ProvedReply>,
        open: Vec<Move>,
        limits: ReplyLimits,
    },
}

/// How long each reply is looked at, and when enough has been seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyLimits {
    pub(crate) nodes_per_reply: u64,
    pub(crate) times_per_null: u64,
    pub(crate) most_open: usize,
}

/// A job that we hold.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) lease: LeaseId,
    pub(crate) name: JobName,
    pub(crate) spec: JobSpec,
    pub(crate) cancel: Cancel,
    spent: AtomicU64,
}

impl Job {
    pub(crate) fn new(lease: LeaseId, name: JobName, spec: JobSpec) -> Self {
        Self {
            lease,
            name,
            spec,
            cancel: Cancel::default(),
            spent: AtomicU64::new(0),
        }
    }

    pub(crate) fn set_spent(&self, nodes: u64) {
        self.spent.store(nodes, Ordering::Relaxed);
    }

    /// Nodes searched so far.
    pub(crate) fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }
}

/// The end of a job.
#[derive(Clone, Debug)]
pub(crate) enum JobResult {
    /// The attacker wins the job's position.
    Won { certificate: Vec<u8> },
    /// No win found, and these moves are worth a try.
    Moves(Vec<Suggestion>),
    /// No win found, and no other move is worth a try.
    NoMove,
    /// Replies that may hold, and proofs of those that do not.
    OpenReplies {
        open: Vec<Move>,
        proved: Vec<CertifiedReply>,
        /// Whether the job came to all replies.
        complete: bool,
    },
    /// The defender holds.
    Refuted,
    /// The budget ran out, and nothing was learnt.
    Unknown,
    /// Somebody else must try.
    Failed { reason: String },
}

/// A defender's move, and a proof file of the position after it.
#[derive(Clone, Debug)]
pub(crate) struct CertifiedReply {
    pub(crate) mv: Move,
    pub(crate) certificate: Vec<u8>,
}
