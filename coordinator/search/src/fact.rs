//! What the store keeps: enough to build the same graph with the same numbers again.

use gridproof_game::Move;
use serde::{Deserialize, Serialize};

use super::event::Order;
use super::ids::{Epoch, NodeId, WorkerId};
use super::job::JobResult;
use super::key::NodeKey;
use super::numbers::Status;
use super::standings::{Mark, QuarantineReason};

/// One thing that was learnt or ordered. Facts are written once and never changed; replayed
/// in their order they rebuild the core (see [`Core::replay`](super::Core::replay)).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fact {
    /// The coordinator started: the first fact of each of its lives.
    Started { epoch: Epoch },
    /// An operator's order was carried out. `child` is the node of a move that was to be
    /// tried, or of a new search's root.
    Ordered { order: Order, child: Option<Child> },
    /// A job ended. `by` is the worker whose word it is.
    Answered {
        node: NodeId,
        by: WorkerId,
        answer: StoredResult,
        spent: u64,
    },
    /// A verifier that is still running found a move that it cannot settle.
    Found {
        node: NodeId,
        by: WorkerId,
        child: Child,
    },
    /// The shell settled what it could of a node.
    Settled {
        node: NodeId,
        excused: Vec<ChildIndex>,
        needed: Vec<Child>,
        next: Next,
    },
    /// Enough workers say that nothing is left to try here.
    GivenUp { node: NodeId },
    /// A worker gets no jobs under this identity again.
    Banned { worker: WorkerId },
    /// A job that an operator asked for ended, and taught nothing but what was found before.
    RequestEnded {
        node: NodeId,
        by: WorkerId,
        spent: u64,
    },
    /// Something for a worker's record.
    Marked { worker: WorkerId, mark: Mark },
    /// A worker gets no jobs until an operator lets it.
    Quarantined {
        worker: WorkerId,
        reason: QuarantineReason,
    },
}

/// What becomes of a node that the shell has settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Next {
    /// Its certificate is complete.
    Closed,
    /// Its open replies must be proved.
    Replies,
    /// No open reply is left and yet the certificate is not complete: a verifier must look
    /// again, with a larger budget.
    Verify,
}

/// A job's answer with the nodes to which its moves lead.
pub type StoredResult = JobResult<Child, Child>;

/// A move and the node that it leads to. The key is stored so that a replay needs no board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    #[serde(with = "super::stored::one_move")]
    pub mv: Move,
    pub key: NodeKey,
    /// Index of the symmetry from the position after the move to the node's orientation.
    pub symmetry: u8,
    pub status: Status,
}

/// Which of a node's children, counted in the order in which they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChildIndex(pub u32);

/// Why bytes are no fact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactError {
    #[error("a stored fact is empty: the store is damaged, restore it from a copy")]
    Empty,
    #[error(
        "a stored fact has format {found}, and this program knows {FORMAT}: start the program that wrote it, or a newer one"
    )]
    Format { found: u8 },
    #[error("a stored fact cannot be read ({0}): the store is damaged, restore it from a copy")]
    Damaged(String),
}

/// The first byte of every stored fact. Adding a variant at the end of [`Fact`] keeps it;
/// any other change of these types needs the next number and a reader for this one.
const FORMAT: u8 = 1;

impl Fact {
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_extend(self, vec![FORMAT]).expect("memory takes any fact")
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, FactError> {
        match bytes.split_first() {
            None => Err(FactError::Empty),
            Some((&FORMAT, rest)) => match postcard::take_from_bytes(rest) {
                Ok((fact, [])) => Ok(fact),
                Ok(_) => Err(FactError::Damaged("bytes are left over".to_owned())),
                Err(error) => Err(FactError::Damaged(error.to_string())),
            },
            Some((&found, _)) => Err(FactError::Format { found }),
        }
    }
}
