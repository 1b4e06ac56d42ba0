//! Jobs: what workers are asked to do.

mod replies;
mod result;

use std::fmt;

use gridproof_game::{Colour, Move, Position};
use serde::{Deserialize, Serialize};

pub use replies::ReplyLimits;
pub use result::{JobEnd, JobResult, Suggestion};

use crate::ids::NodeId;
use crate::key::NodeKey;

/// Moves of one answer of an engine: ours name the best eight, and of longer lists only the
/// beginning counts.
pub const MOST_SUGGESTIONS: usize = 8;

/// Who is to move at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Who is to be proved winning.
    Attacker,
    Defender,
}

impl Side {
    /// The side to move in a position.
    #[must_use]
    pub fn to_move(position: &Position, attacker: Colour) -> Self {
        if position.to_move() == attacker {
            Self::Attacker
        } else {
            Self::Defender
        }
    }

    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }

    /// What the jobs of a node with this side to move are.
    #[must_use]
    pub const fn job_kind(self) -> JobKind {
        match self {
            Self::Attacker => JobKind::Engine,
            Self::Defender => JobKind::Verifier,
        }
    }
}

/// The two kinds of job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum JobKind {
    /// Attacker to move: find a win, or else the best move that is not known yet.
    Engine,
    /// Defender to move: prove that every reply loses, or list those that may not.
    Verifier,
}

impl JobKind {
    pub const ALL: [Self; 2] = [Self::Engine, Self::Verifier];
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Engine => "engine",
            Self::Verifier => "verifier",
        })
    }
}

/// How often a node's jobs did not settle it; the budget grows with it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct Level(pub u8);

impl Level {
    /// An engine's first job at a node only looks for an easy win.
    pub const GLANCE: Self = Self(0);

    pub(crate) fn next(self, highest: Self) -> Self {
        Self(self.0.saturating_add(1)).min(highest)
    }
}

/// What tells one job from every other: the node, and how much was known of it. Two workers
/// with the same job do the same work and come to the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId {
    pub node: NodeId,
    pub key: NodeKey,
    pub kind: JobKind,
    /// How many answers to earlier jobs of this node were on record.
    pub serial: u16,
}

/// A job in full: all that its answer depends on. Its position is in the node's canonical
/// orientation, and so are all moves in answers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    pub id: JobId,
    pub position: Position,
    pub attacker: Colour,
    pub goal: Goal,
    /// Solver nodes that the job may spend: part of what the job is, so that it gives the
    /// same answer on any machine.
    pub budget: u64,
    /// Moves of the side to move that are in the graph already: an engine looks for another,
    /// and a verifier leaves them to others.
    pub known: Vec<Move>,
}

/// What a job is to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Of an engine: a win, or nothing. A glance.
    Win,
    /// Of an engine: a win, or else moves that are worth a try.
    Moves,
    /// Of a verifier: the replies that hold, each looked at within these limits.
    Replies(ReplyLimits),
}
