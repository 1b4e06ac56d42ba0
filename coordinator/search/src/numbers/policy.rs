//! What the search assumes of jobs that are running.

use std::fmt;

use super::{Number, Numbers};
use crate::job::Side;

/// How to find other work for other machines while jobs are running. The numbers on record are
/// never touched by it. The search itself runs with [`Detour`]; the simulator brings others, to
/// compare them.
pub trait Policy: Copy + fmt::Debug + Send + Sync + 'static {
    /// What the own job of a node counts as while it runs.
    fn assume(self, node: &RunningNode) -> Numbers;

    /// Whether the search may go on into a branch.
    fn may_enter(self, has_free_job: bool, _assumed: Numbers) -> bool {
        has_free_job
    }

    /// What counts that the best free job under a node lies so far off the best way.
    fn detour(self, off: Number) -> u16;
}

/// A node whose own job is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningNode {
    pub side: Side,
    /// Of its own job, were it not running.
    pub numbers: Numbers,
    /// What most such jobs leave behind; of engine jobs only.
    pub expected: Option<Numbers>,
    /// The least proof number of the node's moves.
    pub least_proof: Number,
}

/// Running jobs will end as most of them do: an engine will name quiet moves. A verifier's numbers
/// mostly stay as they are, so there the branch just looks longer to both sides. And of all jobs
/// that are left, anywhere, that one is taken which the least change of numbers would make the
/// best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Detour;

/// How much longer a running verifier job makes its branch look, to either side.
const LONGER: Number = 4;

impl Policy for Detour {
    fn assume(self, node: &RunningNode) -> Numbers {
        let Numbers { proof, disproof } = node.numbers;
        match node.expected {
            Some(after) => Numbers::new(proof.max(after.proof), disproof.max(after.disproof)),
            None => Numbers::new(proof + LONGER, disproof + LONGER),
        }
    }

    fn detour(self, off: Number) -> u16 {
        u16::try_from(off).unwrap_or(u16::MAX)
    }
}
