//! A proof as a stream: what a file holds and what the checker reads, one event at a time.
//!
//! Nodes come depth first, each before its children. A node that several parents share is
//! written out where it is met first, with the number of later parents, and named by its
//! number from then on; so a reader knows how long it must remember what.

use gridproof_game::Move;

use crate::check::Side;

/// A shared node: they are numbered from 0 in the order in which they are written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SharedId(pub u64);

/// One step of a proof told depth first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The attacker plays. Unless the move completes a line, the node after it follows.
    Attack {
        /// The stones.
        mv: Move,
        /// Whether the move completes a line.
        completes: bool,
        /// How many times an [`Event::Again`] will name this node.
        later: u32,
    },
    /// The defender is to move; so many [`Event::Reply`] follow, each with its answer.
    Defend {
        /// How many replies follow.
        replies: u32,
        /// How many times an [`Event::Again`] will name this node.
        later: u32,
    },
    /// A defender's move. When it is not answered like an earlier one of the same node, the
    /// node after it follows.
    Reply {
        /// The stones, and null stones for the rest.
        mv: Move,
        /// The number of the earlier reply, from 0, whose proof answers this one too.
        like: Option<u32>,
    },
    /// A shared node once more.
    Again(SharedId),
}

/// Where a proof comes from, event by event, in order. After the last node nobody asks.
pub(crate) trait EventSource {
    type Error;

    fn next_event(&mut self) -> Result<Event, Self::Error>;
}

/// Why events tell no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum GrammarError {
    #[error("the proof goes on after its end")]
    AfterEnd,
    #[error("the sides do not take turns")]
    WrongSide,
    #[error("a reply stands where a node should")]
    ReplyWithoutNode,
    #[error("a node stands where a reply should")]
    NodeWithoutReply,
    #[error("the proof is not told to its end")]
    Incomplete,
}

/// Sees to it that events come in an order that makes sense.
#[derive(Clone, Debug)]
pub(crate) struct Grammar {
    expected: Vec<Expected>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    AttackNode,
    DefendNode,
    Replies(u32),
}

impl Grammar {
    pub(crate) fn new(attacker_to_move: bool) -> Self {
        let root = match attacker_to_move {
            true => Expected::AttackNode,
            false => Expected::DefendNode,
        };
        Self {
            expected: vec![root],
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.expected.is_empty()
    }

    /// Takes the next event, and says who is to move before it.
    pub(crate) fn admit(&mut self, event: &Event) -> Result<Side, GrammarError> {
        let expected = self.expected.pop().ok_or(GrammarError::AfterEnd)?;
        match (event, expected) {
            (Event::Attack { completes, .. }, Expected::AttackNode) => {
                if !completes {
                    self.expected.push(Expected::DefendNode);
                }
            }
            (Event::Defend { replies, .. }, Expected::DefendNode) => {
                if *replies > 0 {
                    self.expected.push(Expected::Replies(*replies));
                }
            }
            (Event::Again(_), Expected::AttackNode | Expected::DefendNode) => {}
            (Event::Reply { like, .. }, Expected::Replies(left)) => {
                if left > 1 {
                    self.expected.push(Expected::Replies(left - 1));
                }
                if like.is_none() {
                    self.expected.push(Expected::AttackNode);
                }
            }
            (Event::Reply { .. }, _) => return Err(GrammarError::ReplyWithoutNode),
            (_, Expected::Replies(_)) => return Err(GrammarError::NodeWithoutReply),
            _ => return Err(GrammarError::WrongSide),
        }
        Ok(match expected {
            Expected::AttackNode => Side::Attacker,
            Expected::DefendNode | Expected::Replies(_) => Side::Defender,
        })
    }
}
