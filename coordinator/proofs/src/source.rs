//! Where the proof of a node comes from, as it is stored.

use gridproof_certificate::ContentHash;
use gridproof_game::Move;
use gridproof_search::{NodeId, stored};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Where a node's proof is. Moves are in the node's orientation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProofSource {
    Certificate(#[serde(with = "stored_hash")] ContentHash),
    /// The attacker plays this move to a proved node.
    Move {
        #[serde(with = "stored::one_move")]
        mv: Move,
        to: NodeId,
    },
    /// The replies that close a defender's node, as its proof lists them.
    Replies(Vec<ReplySource>),
}

/// What answers one reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReplySource {
    Certificate {
        #[serde(with = "stored::one_move")]
        mv: Move,
        #[serde(with = "stored_hash")]
        certificate: ContentHash,
    },
    Node {
        #[serde(with = "stored::one_move")]
        mv: Move,
        node: NodeId,
    },
    /// The same as an earlier reply of the list.
    Like {
        #[serde(with = "stored::one_move")]
        mv: Move,
        like: u32,
    },
}

impl ProofSource {
    /// The certificates that it names itself.
    pub fn certificates(&self) -> impl Iterator<Item = ContentHash> + '_ {
        let (one, replies) = match self {
            Self::Certificate(hash) => (Some(*hash), &[][..]),
            Self::Replies(replies) => (None, &replies[..]),
            Self::Move { .. } => (None, &[][..]),
        };
        let of_replies = replies.iter().filter_map(|reply| match reply {
            ReplySource::Certificate { certificate, .. } => Some(*certificate),
            _ => None,
        });
        one.into_iter().chain(of_replies)
    }
}

/// How a certificate's name is written in stored records.
pub mod stored_hash {
    use super::*;

    pub fn serialize<S: Serializer>(hash: &ContentHash, to: S) -> Result<S::Ok, S::Error> {
        hash.0.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ContentHash, D::Error> {
        <[u8; 32]>::deserialize(from).map(ContentHash)
    }
}
