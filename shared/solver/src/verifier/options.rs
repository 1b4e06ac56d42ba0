use super::KnownReplies;
use crate::options::SolverOptions;

/// How a verifier run goes about it.
#[derive(Clone, Copy, Debug)]
pub struct VerifierOptions<'a> {
    /// Replies that need no search.
    pub known: KnownReplies<'a>,
    /// The searches that answer replies.
    pub solver: SolverOptions,
    /// Nodes for the search that answers one reply.
    pub nodes_per_reply: u64,
    /// The factor by which a reply with null stones gets more nodes: it stands for many.
    pub times_per_null: u64,
    /// Stop once so many replies are open, or one with null stones. Without it a run goes on,
    /// to report all of them.
    pub most_open: Option<usize>,
    /// What becomes of nodes that are left once every reply was looked at.
    pub leftover: Leftover,
}

/// What becomes of a verifier's nodes that are left in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Nobody spends them.
    Kept,
    /// They go to the open replies, the most promising first.
    ToOpenReplies,
}

impl Default for VerifierOptions<'_> {
    fn default() -> Self {
        Self {
            known: KnownReplies::default(),
            solver: SolverOptions::default(),
            nodes_per_reply: 20_000,
            times_per_null: 1,
            most_open: None,
            leftover: Leftover::Kept,
        }
    }
}

/// A run's nodes are for so many replies that are hard to answer.
const REPLIES_PER_BUDGET: u64 = 20;

impl VerifierOptions<'_> {
    /// For a run of so many nodes: they decide both how long it goes on and how hard it tries
    /// at each reply.
    #[must_use]
    pub fn for_budget(nodes: u64) -> Self {
        Self {
            nodes_per_reply: nodes / REPLIES_PER_BUDGET,
            leftover: Leftover::ToOpenReplies,
            ..Self::default()
        }
    }
}
