//! Every number that was tuned, and the command that made it.

use crate::candidates::Width;
use crate::potential::Potential;

/// Worth of segments for the first choice of the attacker's quiet moves.
pub(crate) const QUIET: Potential = Potential {
    own: [400, 200, 120, 18, 8, 1],
    blocked: [0, 60, 60, 9, 3, 0],
};

pub(crate) const QUIET_WIDTH: Width = Width {
    half_moves: 60,
    moves: 600,
};

/// Percent of a job that the solver may spend before anything is ranked.
pub(crate) const SOLVER_SHARE: u64 = 20;

/// How much worth a square outweighs where one more stone of the defender matters.
pub(crate) const ZONE_SQUARE: i32 = 1;

/// A reply with a null stone that is left open counts as so many full ones.
pub(crate) const PARTIAL_REPLY: u32 = 40;

/// What each stage of the ranking may look at and spend. Shares are percent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stages {
    pub(crate) null_share: u64,
    pub(crate) null_nodes: u64,
    pub(crate) one_stone_share: u64,
    pub(crate) one_stone_moves: usize,
    pub(crate) one_stone_nodes: u64,
    /// A move is dropped when it leaves so many more answers open than the best.
    pub(crate) one_stone_slack: u32,
    pub(crate) sampled_moves: usize,
    pub(crate) sample_nodes: u64,
}

pub(crate) const STAGES: Stages = Stages {
    null_share: 20,
    null_nodes: 200,
    one_stone_share: 25,
    one_stone_moves: 40,
    one_stone_nodes: 150,
    one_stone_slack: 4,
    sampled_moves: 3,
    sample_nodes: 100,
};
