//! What a verifier is told, and what it tells.

use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::{Move, Position};

use crate::coverage::Coverage;
use crate::limits::Order;
use crate::solver::SolverOptions;
use crate::zone::Zone;

/// How a verifier run goes about it.
#[derive(Clone, Copy, Debug)]
pub struct VerifierOptions {
    pub coverage: Coverage,
    /// The highest order of the searches that answer replies.
    pub order: Order,
    /// Nodes for the search that answers one reply.
    pub nodes_per_reply: u64,
    /// So many times as many for one that leaves stones out and so stands for many.
    pub times_per_null: u64,
    /// Stop once so many replies are open, or one that leaves stones out and so stands for
    /// many. Without it a run goes on, to report all of them.
    pub most_open: Option<usize>,
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

    /// A first job stops at so many open replies, and each later one at twice as many. Measured
    /// on a campaign of 130 openings, whose verifier jobs went on until they had spent all:
    /// of those that left 8 or more open, 1 in 100 was proved in the end, and of 1,400 that
    /// did not come to all replies, one; they took a third of all nodes.
    const OPEN_REPLIES: u64 = 8;

    /// So long a look at a reply does not say much. The longer it is, the fewer open replies it
    /// takes to leave a move: with nine times as many nodes three.
    const SHORT_LOOK: u64 = 16_000;

    /// The moves of an attacker's second turn decide about all that follows, and nearly all leave
    /// more than eight replies open: how many is what tells them apart. So the first job there
    /// looks at all replies, but so much shorter at each, unless very many are open. Measured on
    /// ten openings that had needed a second search with other budgets or had not been won:
    /// eight fall in one search.
    const EARLY_LOOK: u64 = 8;
    const EARLY_OPEN_REPLIES: usize = 48;

    /// A look that is shorter says nothing of a reply, so jobs of few nodes come to fewer.
    const SHORTEST_LOOK: u64 = 500;

    /// Where a first job had fewer for each reply, later ones look longer until they have as many.
    const LATER_LOOK: u64 = 400;

    /// For a job of the search: it does not go on where the attacker's move looks bad. Later
    /// jobs are to come to more replies, not to look longer at each: one after the other that
    /// takes long, and engines can look at all of them at once. Only a reply that leaves stones
    /// out, once others have proved it, is looked at longer: nothing else gets past it. Measured
    /// on whole openings with jobs of 1,600 and 8,000 nodes: of ten, eight fall within 16 million
    /// nodes; when each job looked twice as long as the one before, and again at what was known
    /// to be open, the winning third moves of three took two to five times as many nodes.
    #[must_use]
    pub fn for_job(position: &Position, nodes: u64, level: u8) -> Self {
        let first = Self::for_budget(nodes >> level.min(63));
        let later_look = (nodes / Self::REPLIES_PER_BUDGET).min(Self::LATER_LOOK);
        let usual = Self {
            nodes_per_reply: first.nodes_per_reply.max(later_look),
            times_per_null: 1 << level.min(63),
            ..first
        };
        if level == 0 && is_early(position) {
            let short = usual.nodes_per_reply / Self::EARLY_LOOK;
            let short = short.max(Self::SHORTEST_LOOK);
            return Self {
                nodes_per_reply: short.min(usual.nodes_per_reply),
                most_open: Some(Self::EARLY_OPEN_REPLIES),
                ..usual
            };
        }
        let longer = usual.nodes_per_reply / Self::SHORT_LOOK;
        let most_open = Self::OPEN_REPLIES.div_ceil(longer.isqrt().max(1));
        Self {
            most_open: Some((most_open as usize) << level.min(16)),
            ..usual
        }
    }
}

/// Whether the attacker, who is not to move, has had two turns at most.
fn is_early(position: &Position) -> bool {
    let rules = position.rules();
    let stones = position.stones(position.to_move().other()).len();
    stones <= usize::from(rules.first_stones() + rules.stones_per_turn())
}

impl Default for VerifierOptions {
    fn default() -> Self {
        Self {
            coverage: Coverage::Segment,
            order: Order::SINGLE_THREATS,
            nodes_per_reply: 20_000,
            times_per_null: 1,
            most_open: None,
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

/// A defender's move and the zone of a proof that the attacker wins after it.
#[derive(Clone, Debug)]
pub struct KnownZone {
    /// Full, semi-null or null.
    pub mv: Move,
    pub zone: Arc<Zone>,
}

/// What a verifier need not search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// Replies whose proofs are known.
    pub answered: &'a [KnownReply],
    /// Replies that others see to: they stay open unless a zone excuses them.
    pub open: &'a [Move],
}

/// What some answered replies leave to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing: these replies and their proofs make a proof of the position.
    Nothing(Vec<Listed>),
    /// These replies: null, semi-null or full.
    Replies(Vec<Move>),
    /// The defender completes a line at once, or fills the board.
    DefenderHolds,
}

/// A reply as it stands in a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub mv: Move,
    /// Answered like the one in this place, which has a proof of its own; else it has one.
    pub like: Option<u32>,
}

#[cfg(test)]
mod tests {
    use gridproof_game::read_game;

    use super::*;

    fn job(moves: &str, nodes: u64, level: u8) -> VerifierOptions {
        let game = read_game(moves.as_bytes()).expect("a game");
        VerifierOptions::for_job(game.position(), nodes, level)
    }

    #[test]
    fn the_first_look_at_a_second_turn_is_short_and_comes_to_more_replies() {
        let second_turn = "j10 k9,l8 i11,j12";
        let early = job(second_turn, 320_000, 0);
        let later = job("j10 k9,l8 i11,j12 a1,a2 j11,k12", 320_000, 0);
        assert!(early.nodes_per_reply < later.nodes_per_reply);
        assert!(early.most_open > later.most_open);
        let again = job(second_turn, 640_000, 1);
        assert_eq!(again.nodes_per_reply, later.nodes_per_reply);
    }

    #[test]
    fn a_later_job_comes_to_more_replies_and_looks_longer_only_at_those_that_stand_for_many() {
        let moves = "j10 k9,l8 i11,j12 a1,a2 j11,k12";
        let (first, third) = (job(moves, 320_000, 0), job(moves, 4 * 320_000, 2));
        assert_eq!(first.nodes_per_reply, third.nodes_per_reply);
        assert_eq!((first.times_per_null, third.times_per_null), (1, 4));
        assert!(first.most_open < third.most_open);
    }
}
