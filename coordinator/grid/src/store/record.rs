//! What is written down: the core's facts, and what the coordinator must know besides them.

use gridproof_certificate::ContentHash;
use gridproof_game::Move;
use gridproof_proofs::{ProofSource, stored_hash};
use serde::{Deserialize, Serialize};

use gridproof_search::stored;
use gridproof_search::{Fact, FactError, NodeId, SearchId, WorkerId};

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// What the core learnt.
    Fact(Fact),
    Note(Note),
}

/// What the coordinator keeps beside the core's facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// A worker's name, and the number that it goes by in facts.
    Worker { worker: WorkerId, name: String },
    /// A search as its operator wrote it.
    Game { search: SearchId, game: String },
    /// A defender's move at a node is answered by a certificate, which was checked.
    Answer {
        node: NodeId,
        by: WorkerId,
        #[serde(with = "stored::one_move")]
        mv: Move,
        #[serde(with = "stored_hash")]
        certificate: ContentHash,
    },
    /// A node is proved: its proof can be put together from here.
    Proof { node: NodeId, source: ProofSource },
    /// These are no longer proved.
    Unproved { nodes: Vec<NodeId> },
    /// A worker has come, and gets jobs.
    Connected { worker: WorkerId },
    /// A worker has left, and no job waits for it.
    Departed { worker: WorkerId },
    /// Who gave the order before this note, and when: milliseconds since 1970.
    OrderedBy { author: String, at: u64 },
}

/// Why bytes are no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Fact(#[from] FactError),
    #[error("a record of kind {0} is unknown: start the program that wrote it, or a newer one")]
    Kind(u8),
    #[error("a record cannot be read ({0}): the store is damaged, restore it from a copy")]
    Damaged(String),
}

/// The first byte of a record. A change of [`Note`] other than a new variant at its end
/// needs a new one.
mod kind {
    pub(super) const FACT: u8 = b'F';
    pub(super) const NOTE: u8 = b'N';
}

impl Record {
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Fact(fact) => {
                let mut bytes = vec![kind::FACT];
                bytes.extend(fact.encode());
                bytes
            }
            Self::Note(note) => {
                postcard::to_extend(note, vec![kind::NOTE]).expect("memory takes any note")
            }
        }
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        match bytes.split_first() {
            None => Err(RecordError::Damaged("it is empty".to_owned())),
            Some((&kind::FACT, rest)) => Ok(Self::Fact(Fact::decode(rest)?)),
            Some((&kind::NOTE, rest)) => match postcard::take_from_bytes(rest) {
                Ok((note, [])) => Ok(Self::Note(note)),
                Ok(_) => Err(RecordError::Damaged("bytes are left over".to_owned())),
                Err(error) => Err(RecordError::Damaged(error.to_string())),
            },
            Some((&other, _)) => Err(RecordError::Kind(other)),
        }
    }

    /// The certificates that this record rests on.
    pub fn certificates(&self) -> impl Iterator<Item = ContentHash> + '_ {
        let (answer, source) = match self {
            Self::Note(Note::Answer { certificate, .. }) => (Some(*certificate), None),
            Self::Note(Note::Proof { source, .. }) => (None, Some(source)),
            _ => (None, None),
        };
        let of_source = source.into_iter().flat_map(ProofSource::certificates);
        answer.into_iter().chain(of_source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_game::Square;
    use gridproof_proofs::ReplySource;
    use gridproof_search::Epoch;

    #[test]
    fn records_read_back_as_they_were_written() {
        let mv = Move::new([Square::new(3, 4)], 1);
        let certificate = ContentHash([7; 32]);
        let replies = vec![
            ReplySource::Certificate {
                mv: mv.clone(),
                certificate,
            },
            ReplySource::Node {
                mv: Move::null(2),
                node: NodeId(9),
            },
            ReplySource::Like {
                mv: mv.clone(),
                like: 0,
            },
        ];
        for record in [
            Record::Fact(Fact::Started { epoch: Epoch(3) }),
            Record::Note(Note::Worker {
                worker: WorkerId(1),
                name: "a".to_owned(),
            }),
            Record::Note(Note::Answer {
                node: NodeId(1),
                by: WorkerId(2),
                mv,
                certificate,
            }),
            Record::Note(Note::Proof {
                node: NodeId(1),
                source: ProofSource::Replies(replies),
            }),
            Record::Note(Note::Unproved {
                nodes: vec![NodeId(1)],
            }),
            Record::Note(Note::Connected {
                worker: WorkerId(4),
            }),
            Record::Note(Note::Departed {
                worker: WorkerId(4),
            }),
            Record::Note(Note::OrderedBy {
                author: "anna".to_owned(),
                at: 1_790_000_000_000,
            }),
        ] {
            assert_eq!(Record::decode(&record.encode()), Ok(record));
        }
    }

    #[test]
    fn bytes_that_are_no_record_are_refused_with_words() {
        for bytes in [
            &b""[..],
            b"X",
            b"N\xff\xff\xff\xff\xff",
            b"F",
            b"F\x09",
            b"N\x04\x00\x00",
        ] {
            assert!(Record::decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
