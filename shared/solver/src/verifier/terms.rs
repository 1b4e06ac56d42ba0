//! What a verifier is told, and what it tells.

use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::Move;

use crate::coverage::Coverage;
use crate::limits::Order;
use crate::solver::SolverOptions;

/// How a verifier run goes about it.
#[derive(Clone, Copy, Debug)]
pub struct VerifierOptions {
    pub coverage: Coverage,
    /// The highest order of the searches that answer replies.
    pub order: Order,
    /// Nodes for the search that answers one reply.
    pub nodes_per_reply: u64,
    /// Go on after a reply that could not be settled, to report all of them.
    pub find_all_open: bool,
    pub solver: SolverOptions,
}

impl VerifierOptions {
    /// A run's nodes are for so many replies that are hard to answer.
    const REPLIES_PER_BUDGET: u64 = 20;

    /// For a run of so many nodes: they decide both how long it goes on and how hard it tries
    /// at each reply.
    #[must_use]
    pub fn for_budget(nodes: u64) -> Self {
        Self {
            nodes_per_reply: nodes / Self::REPLIES_PER_BUDGET,
            ..Self::default()
        }
    }
}

impl Default for VerifierOptions {
    fn default() -> Self {
        Self {
            coverage: Coverage::Segment,
            order: Order::SINGLE_THREATS,
            nodes_per_reply: 20_000,
            find_all_open: true,
            solver: SolverOptions::default(),
        }
    }
}

/// How one defender's move was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// By a search of its own.
    Searched,
    /// By the zone of an earlier reply, for nothing.
    Excused,
    /// By a proof from the store.
    Recalled,
    /// Not: the attacker may or may not win.
    Open,
}

/// What a verifier learns, as soon as it is known.
pub trait Findings {
    fn reply(&mut self, mv: &Move, settled: Settled);
}

/// For those who only want the end result.
impl Findings for () {
    fn reply(&mut self, _: &Move, _: Settled) {}
}

/// Counts of a verifier run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerifierCounts {
    pub searched: u64,
    pub excused: u64,
    pub recalled: u64,
    pub open: u64,
}

/// A defender's move and the proof that the attacker wins after it.
#[derive(Clone, Debug)]
pub struct KnownReply {
    /// Full, semi-null or null.
    pub mv: Move,
    pub proof: Arc<Proof>,
}
