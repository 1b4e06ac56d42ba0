use gridproof_game::Position;

use super::KnownReplies;
use crate::options::SolverOptions;
use crate::order::Order;

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
}

impl Default for VerifierOptions<'_> {
    fn default() -> Self {
        Self {
            known: KnownReplies::default(),
            solver: SolverOptions::default(),
            nodes_per_reply: 20_000,
            times_per_null: 1,
            most_open: None,
        }
    }
}

/// A run's nodes are for so many replies that are hard to answer.
const REPLIES_PER_BUDGET: u64 = 20;

/// A first attempt stops at so many open replies, and each later one at twice as many: of the
/// moves that leave as many open, one in a hundred is proved in the end.
const OPEN_REPLIES: u64 = 8;

/// A search of so few nodes does not say much about a reply. The more nodes it has, the fewer
/// open replies it takes to give a move up.
const SHORT_SEARCH: u64 = 16_000;

/// Nearly all moves of the attacker's second turn leave more than [`OPEN_REPLIES`] open: how
/// many is what tells them apart. So the first attempt there looks at all replies, with so much
/// fewer nodes for each, unless very many are open.
const EARLY_FACTOR: u64 = 8;
const EARLY_OPEN_REPLIES: usize = 48;

/// A search of fewer nodes says nothing about a reply.
const SHORTEST_SEARCH: u64 = 500;

/// Later attempts give each reply at least so many nodes, if they have them.
const LATER_SEARCH: u64 = 400;

impl VerifierOptions<'_> {
    /// For a run of so many nodes: they decide both how long it goes on and how hard it tries
    /// at each reply.
    #[must_use]
    pub fn for_budget(nodes: u64) -> Self {
        Self {
            nodes_per_reply: nodes / REPLIES_PER_BUDGET,
            ..Self::default()
        }
    }

    /// For one of several runs on the same position, each with twice the nodes of the one
    /// before; `earlier` counts those before. A run does not go on where the attacker's move
    /// looks bad. Later runs come to more replies and do not look longer at each: open replies
    /// can be searched side by side elsewhere. Only a reply with null stones is looked at
    /// longer, for nothing gets past it.
    #[must_use]
    pub fn for_attempt(position: &Position, nodes: u64, earlier: u8) -> Self {
        let first = Self::for_budget(nodes >> earlier.min(63));
        let later = (nodes / REPLIES_PER_BUDGET).min(LATER_SEARCH);
        // With one stone a turn the first attempt knows quiet moves, and later ones know what
        // prepares them.
        let order = match position.rules().stones_per_turn() {
            1 => Order(Order::of_quiet_moves(1).0 + u8::from(earlier > 0)),
            _ => first.solver.order,
        };
        let usual = Self {
            solver: SolverOptions {
                order,
                ..first.solver
            },
            nodes_per_reply: first.nodes_per_reply.max(later),
            times_per_null: 1 << earlier.min(63),
            ..first
        };
        if earlier == 0 && is_early(position) {
            let short = (usual.nodes_per_reply / EARLY_FACTOR).max(SHORTEST_SEARCH);
            return Self {
                nodes_per_reply: short.min(usual.nodes_per_reply),
                most_open: Some(EARLY_OPEN_REPLIES),
                ..usual
            };
        }
        let longer = usual.nodes_per_reply / SHORT_SEARCH;
        let most_open = OPEN_REPLIES.div_ceil(longer.isqrt().max(1));
        Self {
            most_open: Some((most_open as usize) << earlier.min(16)),
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

#[cfg(test)]
mod tests {
    use gridproof_game::read_game;

    use super::*;

    fn attempt(moves: &str, nodes: u64, earlier: u8) -> VerifierOptions<'static> {
        let game = read_game(moves.as_bytes()).expect("a game");
        VerifierOptions::for_attempt(game.position(), nodes, earlier)
    }

    #[test]
    fn the_first_look_at_a_second_turn_is_short_and_comes_to_more_replies() {
        let second_turn = "j10 k9,l8 i11,j12";
        let early = attempt(second_turn, 320_000, 0);
        let later = attempt("j10 k9,l8 i11,j12 a1,a2 j11,k12", 320_000, 0);
        assert!(early.nodes_per_reply < later.nodes_per_reply);
        assert!(early.most_open > later.most_open);
        let again = attempt(second_turn, 640_000, 1);
        assert_eq!(again.nodes_per_reply, later.nodes_per_reply);
    }

    #[test]
    fn a_later_attempt_comes_to_more_replies_and_looks_longer_only_at_those_that_stand_for_many() {
        let moves = "j10 k9,l8 i11,j12 a1,a2 j11,k12";
        let (first, third) = (attempt(moves, 320_000, 0), attempt(moves, 4 * 320_000, 2));
        assert_eq!(first.nodes_per_reply, third.nodes_per_reply);
        assert_eq!((first.times_per_null, third.times_per_null), (1, 4));
        assert!(first.most_open < third.most_open);
    }
}
