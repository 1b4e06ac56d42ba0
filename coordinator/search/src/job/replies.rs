//! How a verifier looks at replies.

use gridproof_game::Position;

use super::Level;

/// How long a verifier looks at each reply, and when it has seen enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Nodes for the search that answers one reply.
    pub nodes_per_reply: u64,
    /// The factor by which a reply with null stones gets more nodes: it stands for many.
    pub times_per_null: u64,
    /// Stop once so many replies are open, or one with null stones.
    pub most_open: u32,
}

/// A job's nodes are for so many replies that are hard to answer.
const REPLIES_PER_BUDGET: u64 = 20;

/// A first job stops at so many open replies, and each later one at twice as many: of the
/// moves that leave as many open, one in a hundred is proved in the end.
const OPEN_REPLIES: u64 = 8;

/// A search of so few nodes does not say much about a reply. The more nodes it has, the fewer
/// open replies it takes to give a move up.
const SHORT_SEARCH: u64 = 16_000;

/// Nearly all moves of the attacker's second turn leave more than [`OPEN_REPLIES`] open: how
/// many is what tells them apart. So the first job there looks at all replies, with so much
/// fewer nodes for each, unless very many are open.
const EARLY_FACTOR: u64 = 8;
const EARLY_OPEN_REPLIES: u32 = 48;

/// A search of fewer nodes says nothing about a reply.
const SHORTEST_SEARCH: u64 = 500;

/// Later jobs give each reply at least so many nodes, if they have them.
const LATER_SEARCH: u64 = 400;

impl ReplyLimits {
    /// For a job of so many nodes. A job does not go on where the attacker's move looks bad.
    /// Later ones come to more replies and do not look longer at each: open replies can be
    /// searched side by side elsewhere. Only a reply with null stones is looked at longer, for
    /// nothing gets past it.
    pub(crate) fn new(position: &Position, nodes: u64, level: Level) -> Self {
        let earlier = level.0.min(31);
        let first = (nodes >> earlier) / REPLIES_PER_BUDGET;
        let later = (nodes / REPLIES_PER_BUDGET).min(LATER_SEARCH);
        let nodes_per_reply = first.max(later);
        let times_per_null = 1 << earlier;
        if earlier == 0 && is_early(position) {
            let short = (nodes_per_reply / EARLY_FACTOR).max(SHORTEST_SEARCH);
            return Self {
                nodes_per_reply: short.min(nodes_per_reply),
                times_per_null,
                most_open: EARLY_OPEN_REPLIES,
            };
        }
        let longer = nodes_per_reply / SHORT_SEARCH;
        let most_open = OPEN_REPLIES.div_ceil(longer.isqrt().max(1));
        Self {
            nodes_per_reply,
            times_per_null,
            most_open: (most_open as u32) << earlier.min(16),
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

    fn limits(moves: &str, nodes: u64, level: u8) -> ReplyLimits {
        let game = read_game(moves.as_bytes()).expect("a game");
        ReplyLimits::new(game.position(), nodes, Level(level))
    }

    #[test]
    fn the_first_look_at_a_second_turn_is_short_and_comes_to_more_replies() {
        let second_turn = "j10 k9,l8 i11,j12";
        let early = limits(second_turn, 320_000, 0);
        let later = limits("j10 k9,l8 i11,j12 a1,a2 j11,k12", 320_000, 0);
        assert!(early.nodes_per_reply < later.nodes_per_reply);
        assert!(early.most_open > later.most_open);
        let again = limits(second_turn, 640_000, 1);
        assert_eq!(again.nodes_per_reply, later.nodes_per_reply);
    }

    #[test]
    fn a_later_job_comes_to_more_replies_and_looks_longer_only_at_those_that_stand_for_many() {
        let moves = "j10 k9,l8 i11,j12 a1,a2 j11,k12";
        let (first, third) = (limits(moves, 320_000, 0), limits(moves, 4 * 320_000, 2));
        assert_eq!(first.nodes_per_reply, third.nodes_per_reply);
        assert_eq!((first.times_per_null, third.times_per_null), (1, 4));
        assert!(first.most_open < third.most_open);
    }
}
