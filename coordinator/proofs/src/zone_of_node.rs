//! The zone of a node's proof, worked out from the zones of its parts: the proof itself, which may
//! be of any size, is never in memory.

use std::sync::Arc;

use gridproof_game::Position;
use gridproof_search::NodeId;
use gridproof_solver::{Solver, Zone};

use crate::assembly::{after, turned};
use crate::proofs::{ProofError, Proofs};
use crate::source::{ProofSource, ReplySource};
use crate::zones::ZoneName;

/// At a position of the node, however that is turned.
pub(crate) fn zone_of_node(
    proofs: &Proofs,
    solver: &Solver,
    node: NodeId,
    at: &Position,
    age: u64,
) -> Result<Arc<Zone>, ProofError> {
    let name = ZoneName::OfNode {
        node,
        at: Box::new(at.clone()),
        age,
    };
    proofs.zone(name, || work_out(proofs, solver, node, at, age))
}

fn work_out(
    proofs: &Proofs,
    solver: &Solver,
    node: NodeId,
    at: &Position,
    age: u64,
) -> Result<Zone, ProofError> {
    let back = at.canonical().1.inverse();
    let of_node = |node, at: &Position| zone_of_node(proofs, solver, node, at, age);
    let of_certificate = |hash| {
        let proof = proofs.load(hash)?;
        Ok::<_, ProofError>(solver.zone(&proof.transformed(back)))
    };
    let source = proofs.source(node);
    Ok(match source.ok_or(ProofError::NotProved(node))? {
        ProofSource::Certificate(hash) => of_certificate(hash)?,
        ProofSource::Move { mv, to } => {
            let mv = turned(&mv, at, back);
            let then = of_node(to, &after(node, at, &mv)?)?;
            let mut zone = Arc::unwrap_or_clone(then);
            zone.keep(mv.stones());
            zone
        }
        ProofSource::Replies(replies) => {
            let mut answers = Vec::with_capacity(replies.len());
            for reply in replies {
                answers.push(match reply {
                    ReplySource::Certificate { mv, certificate } => {
                        let zone = of_certificate(certificate)?;
                        (turned(&mv, at, back), Ok(Arc::new(zone)))
                    }
                    ReplySource::Node { mv, node: child } => {
                        let mv = turned(&mv, at, back);
                        let zone = of_node(child, &after(node, at, &mv)?)?;
                        (mv, Ok(zone))
                    }
                    ReplySource::Like { mv, like } => (turned(&mv, at, back), Err(like as usize)),
                });
            }
            solver.zone_of_replies(at, &answers)
        }
    })
}
