//! What workers are asked to do.

use gridproof_game::{Colour, Move, Position};
use serde::{Deserialize, Serialize};

use super::ids::NodeId;
use super::key::NodeKey;

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

/// How often a node's jobs did not settle it; the budget grows with it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct Level(pub u8);

impl Level {
    /// An engine's first job at a node only looks for an easy win.
    pub const GLANCE: Self = Self(0);
}

/// What tells one job from every other: the node, and how much was known of it. Two workers
/// with the same job name do the same work and come to the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId {
    pub node: NodeId,
    pub key: NodeKey,
    pub kind: JobKind,
    /// How many answers to earlier jobs of this node were on record.
    pub serial: u16,
}

/// A job in full. Its position is in the node's canonical orientation, and so are all moves
/// in answers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    pub name: JobId,
    pub position: Position,
    pub attacker: Colour,
    pub level: Level,
    /// Solver nodes that the job may spend: part of what the job is, so that it gives the
    /// same answer on any machine.
    pub budget: u64,
    /// Moves of the side to move that are in the graph already: an engine looks for another,
    /// and a verifier leaves them to others.
    pub known: Vec<Move>,
}
