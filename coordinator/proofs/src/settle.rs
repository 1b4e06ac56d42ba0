//! What the proofs of some replies mean for the others.

use gridproof_certificate::{CheckLimits, ContentHash};
use gridproof_game::{Colour, Move, Position};
use gridproof_search::{ChildView, NodeId, ReplyState, Revision, Settled};
use gridproof_solver::{ListedReply, ReplyZone, SolveError, Solver, Verdict};

use crate::answers::KnownAnswer;
use crate::proofs::{ProofError, Proofs};
use crate::source::{ProofSource, ReplySource};
use crate::telling::{TellError, Telling};
use crate::zone_of_node::zone_of_node;
use crate::zones::ZoneName;

/// A defender's node that the core wants settled, as it stood when the core asked.
#[derive(Debug)]
pub struct Question {
    pub node: NodeId,
    pub revision: Revision,
    pub position: Position,
    pub attacker: Colour,
    pub children: Vec<ChildView>,
}

/// The answer, and what must be stored with it.
#[derive(Debug)]
pub struct Settlement {
    pub settled: Settled,
    /// If the node is closed: how its proof is put together.
    pub source: Option<ProofSource>,
}

/// Why a node cannot be settled: a bug or a damaged store, never a worker's fault.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    #[error(transparent)]
    Proof(#[from] ProofError),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error("the joined proof does not hold: {0}")]
    Refused(String),
    #[error("the reply {0} is said to be answered, and nobody knows how")]
    Unanswered(Move),
}

/// Where a known reply's proof comes from.
enum Known {
    Answer(ContentHash),
    Child(NodeId),
}

impl Question {
    /// Works with the zones of proofs as long as it can: only a joined proof is read and checked.
    /// Takes its time.
    pub fn answer(&self, proofs: &Proofs) -> Result<Settlement, SettleError> {
        let solver = Solver::new(*self.position.rules());
        let (zones, known) = self.known(proofs, &solver)?;
        match solver.settle(&self.position, &zones)? {
            Verdict::Proved(listed) => match self.closed(proofs, &listed, &zones, &known) {
                // Withdrawn since the core asked: that makes any answer stale, and it asks again.
                Err(SettleError::Proof(ProofError::NotProved(_))) => {
                    Ok(self.still_open(Vec::new()))
                }
                closed => closed,
            },
            Verdict::Open(needed) => Ok(self.still_open(needed)),
            // The rules of the game refute it: its verifier will say so.
            Verdict::DefenderHolds => Ok(self.still_open(Vec::new())),
        }
    }

    fn known(
        &self,
        proofs: &Proofs,
        solver: &Solver,
    ) -> Result<(Vec<ReplyZone>, Vec<Known>), SettleError> {
        let mut zones: Vec<ReplyZone> = Vec::new();
        let mut known = Vec::new();
        for KnownAnswer {
            mv, certificate, ..
        } in proofs.answers(self.node)
        {
            let name = ZoneName::OfCertificate(certificate);
            let zone = proofs.zone(name, || Ok(solver.zone(&*proofs.load(certificate)?)))?;
            zones.push(ReplyZone { mv, zone });
            known.push(Known::Answer(certificate));
        }
        let age = proofs.age();
        let proved = self
            .children
            .iter()
            .filter(|child| child.numbers.is_proved());
        for ChildView { mv, node, .. } in proved {
            if zones.iter().any(|reply| reply.mv == *mv) {
                continue;
            }
            let zone = match zone_of_node(proofs, solver, *node, &self.after(mv)?, age) {
                Ok(zone) => zone,
                // Withdrawn since the core asked: it will ask again.
                Err(ProofError::NotProved(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            let mv = mv.clone();
            zones.push(ReplyZone { mv, zone });
            known.push(Known::Child(*node));
        }
        Ok((zones, known))
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
                revision: self.revision,
                excused,
                needed,
                closed: false,
            },
            source: None,
        }
    }

    /// Notes how the proof is joined, so that its parts need not be stored again. The solver's
    /// rules say that it holds; the checker's must, too.
    fn closed(
        &self,
        proofs: &Proofs,
        listed: &[ListedReply],
        zones: &[ReplyZone],
        known: &[Known],
    ) -> Result<Settlement, SettleError> {
        let source = |ListedReply { mv, like }: &ListedReply| {
            let mv = mv.clone();
            if let &Some(like) = like {
                return Ok(ReplySource::Like { mv, like });
            }
            let at = zones.iter().position(|reply| reply.mv == mv);
            match at.map(|at| &known[at]) {
                Some(&Known::Answer(certificate)) => {
                    Ok(ReplySource::Certificate { mv, certificate })
                }
                Some(&Known::Child(node)) => Ok(ReplySource::Node { mv, node }),
                None => Err(SettleError::Unanswered(mv)),
            }
        };
        let sources: Result<Vec<_>, _> = listed.iter().map(source).collect();
        let source = ProofSource::Replies(sources?);
        let joined = Telling::of_source(proofs, self.node, &source, &self.position, self.attacker)?;
        joined
            .check(CheckLimits::default())
            .map_err(|error| match error {
                TellError::Proof(error) => SettleError::Proof(error),
                refused => SettleError::Refused(refused.to_string()),
            })?;
        Ok(Settlement {
            settled: Settled {
                node: self.node,
                revision: self.revision,
                excused: Vec::new(),
                needed: Vec::new(),
                closed: true,
            },
            source: Some(source),
        })
    }
}
