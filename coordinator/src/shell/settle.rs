//! What the proofs of some replies mean for the others.

use std::sync::Arc;

use gridproof_certificate::{Answer, ContentHash, Node, Proof, ProofBuilder, check, write_proof};
use gridproof_game::{Colour, Move, Position};
use gridproof_solver::{KnownReply, SolveError, Solver, Verdict};

use super::proofs::{KnownAnswer, ProofError, Proofs};
use crate::core::{ChildView, NodeId, ReplyState, Round, Settled};
use crate::store::{ProofSource, ReplySource};

/// A defender's node that the core wants settled, as it stood when the core asked.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) node: NodeId,
    pub(super) round: Round,
    pub(super) position: Position,
    pub(super) attacker: Colour,
    pub(super) children: Vec<ChildView>,
}

/// The answer, and what must be stored with it.
#[derive(Debug)]
pub(super) struct Settlement {
    pub(super) settled: Settled,
    /// If the node is closed: how its proof is put together.
    pub(super) source: Option<ProofSource>,
    /// Small proofs that came up on the way.
    pub(super) certificates: Vec<(ContentHash, Vec<u8>)>,
}

/// Why a node cannot be settled: a bug or a damaged store, never a worker's fault.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettleError {
    #[error(transparent)]
    Proof(#[from] ProofError),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error("the joined proof does not hold: {0}")]
    Refused(String),
    #[error("a proof of a reply cannot be written: {0}")]
    Write(String),
}

/// Where a known reply's proof comes from.
enum Known {
    Answer(ContentHash),
    Child(NodeId),
}

impl Question {
    /// Reads certificates and checks the joined proof: takes its time.
    pub(super) fn answer(&self, proofs: &Proofs) -> Result<Settlement, SettleError> {
        let (replies, known) = self.known(proofs)?;
        let solver = Solver::new(*self.position.rules());
        match solver.settle(&self.position, &replies)? {
            Verdict::Proved(win) => {
                // Its own rules say so; the checker's must, too.
                check(&win.proof).map_err(|refusal| SettleError::Refused(refusal.to_string()))?;
                self.closed(&win.proof, &replies, &known)
            }
            Verdict::Open(needed) => Ok(self.still_open(needed)),
            // The rules of the game refute it: its verifier will say so.
            Verdict::DefenderHolds => Ok(self.still_open(Vec::new())),
        }
    }

    fn known(&self, proofs: &Proofs) -> Result<(Vec<KnownReply>, Vec<Known>), SettleError> {
        let mut replies: Vec<KnownReply> = Vec::new();
        let mut known = Vec::new();
        for KnownAnswer {
            mv, certificate, ..
        } in proofs.answers(self.node)
        {
            let proof = Arc::new(proofs.load(certificate)?);
            replies.push(KnownReply { mv, proof });
            known.push(Known::Answer(certificate));
        }
        let proved = self
            .children
            .iter()
            .filter(|child| child.numbers.is_proved());
        for ChildView { mv, node, .. } in proved {
            if replies.iter().any(|reply| reply.mv == *mv) {
                continue;
            }
            let at = self.after(mv)?;
            let proof = match proofs.assemble(*node, &at, self.attacker) {
                Ok(proof) => Arc::new(proof),
                // Withdrawn since the core asked: it will ask again.
                Err(ProofError::NotProved(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            let mv = mv.clone();
            replies.push(KnownReply { mv, proof });
            known.push(Known::Child(*node));
        }
        Ok((replies, known))
    }

    fn after(&self, mv: &Move) -> Result<Position, ProofError> {
        let mut next = self.position.clone();
        let played = next.play(mv);
        played.map_err(|_| ProofError::IllegalMove(self.node))?;
        Ok(next)
    }

    fn still_open(&self, needed: Vec<Move>) -> Settlement {
        // A move that contains one that is needed has simply not been looked at yet.
        let is_excused = |mv: &Move| {
            !needed
                .iter()
                .any(|open| open.stones().iter().all(|stone| mv.contains(*stone)))
        };
        let open = self
            .children
            .iter()
            .filter(|child| child.state == ReplyState::Live && !child.numbers.is_proved());
        let excused = match needed.is_empty() {
            true => Vec::new(),
            false => open
                .map(|child| child.mv.clone())
                .filter(is_excused)
                .collect(),
        };
        Settlement {
            settled: Settled {
                node: self.node,
                round: self.round,
                excused,
                needed,
                closed: false,
            },
            source: None,
            certificates: Vec::new(),
        }
    }

    /// Notes how the proof is joined, so that its parts need not be stored again.
    fn closed(
        &self,
        proof: &Proof,
        replies: &[KnownReply],
        known: &[Known],
    ) -> Result<Settlement, SettleError> {
        let mut certificates = Vec::new();
        let mut sources = Vec::new();
        let Node::Defend { replies: listed } = proof.node(proof.root()) else {
            return Err(SettleError::Refused(
                "it begins with the attacker".to_owned(),
            ));
        };
        for reply in listed {
            let mv = reply.mv.clone();
            sources.push(match reply.answer {
                Answer::LikeReply(like) => ReplySource::Like { mv, like },
                Answer::Proof(id) => match replies.iter().position(|known| known.mv == mv) {
                    Some(at) => match known[at] {
                        Known::Answer(certificate) => ReplySource::Certificate { mv, certificate },
                        Known::Child(node) => ReplySource::Node { mv, node },
                    },
                    // So easy that no search was needed.
                    None => {
                        let mut part = ProofBuilder::new(self.after(&mv)?, self.attacker);
                        part.graft(proof).map_err(ProofError::from)?;
                        let part = part.finish(id).map_err(ProofError::from)?;
                        let (bytes, certificate) = write_proof(&part, Vec::new())
                            .map_err(|error| SettleError::Write(error.to_string()))?;
                        certificates.push((certificate, bytes));
                        ReplySource::Certificate { mv, certificate }
                    }
                },
            });
        }
        Ok(Settlement {
            settled: Settled {
                node: self.node,
                round: self.round,
                excused: Vec::new(),
                needed: Vec::new(),
                closed: true,
            },
            source: Some(ProofSource::Replies(sources)),
            certificates,
        })
    }
}
