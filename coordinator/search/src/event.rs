//! What the core is told.

use std::fmt;

use gridproof_game::{Colour, Move, Position};
use serde::{Deserialize, Serialize};

use super::ids::{Generation, LeaseId, NodeId, Revision, SearchId, Time, WorkerId};
use super::job::{JobEnd, JobId};
use super::key::NodeKey;
use super::numbers::Status;

/// Something happened. Whatever makes no sense changes nothing and is counted by name
/// ([`IgnoreReason`](super::IgnoreReason)).
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A worker's stream opened, or opened anew.
    Hello(Hello),
    /// A worker's stream ended.
    Departed {
        worker: WorkerId,
        generation: Generation,
        how: Departure,
    },
    /// A worker is still at it.
    Progress { from: Sender, spent: u64 },
    /// A verifier tells of a defender's move that it could not settle, before its end: it
    /// becomes a node at once, and others work on it while the verifier goes on.
    Finding { from: Sender, mv: Move },
    /// An attempt at a job came to its end. If it is a win, the shell has checked its
    /// certificate.
    Ended {
        from: Sender,
        end: JobEnd,
        /// Solver nodes.
        spent: u64,
    },
    /// The shell's answer to [`Effect::Settle`](super::Effect::Settle).
    Settled(Settled),
    /// An operator wants something, or the shell on an operator's behalf.
    Order(Order),
    /// Nothing but time. Needed about once a second for leases to expire, and for stragglers
    /// to be noticed.
    Tick,
}

/// A worker presents itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    pub worker: WorkerId,
    pub generation: Generation,
    /// How many jobs it runs at once.
    pub slots: u16,
    /// When the machine will be taken away, if that is known.
    pub until: Option<Time>,
    /// Jobs from before, still running or finished but not yet told. Each is answered by
    /// [`Effect::Keep`](super::Effect::Keep) or [`Effect::Abort`](super::Effect::Abort).
    pub running: Vec<HeldJob>,
}

/// A job that a worker brings along from an earlier connection, or an earlier coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldJob {
    pub lease: LeaseId,
    pub job: JobId,
}

/// How a worker left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Departure {
    /// It said so: its jobs are free at once.
    Goodbye,
    /// The stream broke: its jobs stay its own for a while, since it may come back.
    Lost,
    /// It did what a worker must not do, such as sending a certificate that fails: it gets no
    /// jobs under this identity again. Its results stay until [`Order::Withdraw`].
    Banned,
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Goodbye => "left",
            Self::Lost => "lost",
            Self::Banned => "cut off",
        })
    }
}

/// Where a message about a lease came from. All of it must fit, or the message has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    pub worker: WorkerId,
    pub generation: Generation,
    pub lease: LeaseId,
    /// The job's key, as the worker read it off its position.
    pub key: NodeKey,
}

/// What the shell made of a defender's node once a reply of it was proved.
///
/// The shell has put together what proofs of replies it has, and with their zones it knows
/// which open replies are answered along with them, and which moves nobody has looked at yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Settled {
    pub node: NodeId,
    /// As it was asked: an answer to a question that a withdrawal has overtaken has no effect.
    pub revision: Revision,
    /// Open replies that the new zones answer: nobody need work on them for this node.
    pub excused: Vec<Move>,
    /// Defender moves that must be looked at besides those in the graph.
    pub needed: Vec<Move>,
    /// The node's certificate is complete and passed the checker.
    pub closed: bool,
}

/// An operator's wish.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Order {
    /// Search a position for a win of the attacker.
    Start {
        search: SearchId,
        #[serde(with = "super::stored::position")]
        root: Box<Position>,
        #[serde(with = "super::stored::colour")]
        attacker: Colour,
        /// Its part of the workers against the other searches' parts.
        share: u32,
    },
    /// End a search; what it learnt stays.
    Stop {
        search: SearchId,
    },
    /// Give a search more of the workers, or fewer.
    Share {
        search: SearchId,
        share: u32,
    },
    /// Try this move of the attacker here. In the node's orientation: see
    /// [`Core::find`](super::Core::find).
    Try {
        node: NodeId,
        #[serde(with = "super::stored::one_move")]
        mv: Move,
        status: Status,
    },
    /// The attacker's move that led here is no good: look at others.
    Forget {
        node: NodeId,
    },
    /// Take back a [`Order::Forget`].
    Remember {
        node: NodeId,
    },
    /// Start no job at this node or through it. Jobs that are running go on.
    Pause {
        node: NodeId,
    },
    Resume {
        node: NodeId,
    },
    /// Trust nothing that this worker ever said.
    Withdraw {
        worker: WorkerId,
    },
    /// Look at this reply of the defender here, though no verifier asked for it. In the node's
    /// orientation.
    Reply {
        node: NodeId,
        #[serde(with = "super::stored::one_move")]
        mv: Move,
    },
    /// Run a job at this node now, before all others. The side to move tells its kind.
    Run {
        node: NodeId,
        budget: u64,
    },
    /// Take back a [`Order::Run`]: its job is aborted.
    CancelRun {
        node: NodeId,
    },
    /// Give this worker no jobs, and count what it thought of positions no longer. What was
    /// checked stays.
    Quarantine {
        worker: WorkerId,
    },
    /// Let a worker out of quarantine.
    Release {
        worker: WorkerId,
    },
}
