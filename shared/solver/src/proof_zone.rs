//! The zone of a finished proof, worked out from its moves.

use std::rc::Rc;

use gridproof_certificate::{Answer, Node, Proof, ProofId};
use gridproof_game::Colour;
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashMap;

use crate::zone::{Zone, ZoneOfReply};

/// The zone of a proof whose start stands on the board. Nothing is checked: that is the
/// checker's work, and whoever passes a proof in here has asked the checker or made it.
pub(crate) fn proof_zone<S: Shape>(
    board: &mut ThreatBoard<S>,
    attacker: Colour,
    proof: &Proof,
) -> Rc<Zone> {
    ZonesOfProof::new(board, attacker, proof).zone(proof.root())
}

/// The zones of a proof's nodes, each worked out when it is wanted.
pub(crate) struct ZonesOfProof<'a, S: Shape> {
    pub(crate) board: &'a mut ThreatBoard<S>,
    attacker: Colour,
    proof: &'a Proof,
    known: FxHashMap<ProofId, Rc<Zone>>,
}

impl<'a, S: Shape> ZonesOfProof<'a, S> {
    /// The proof's start stands on the board.
    pub(crate) fn new(board: &'a mut ThreatBoard<S>, attacker: Colour, proof: &'a Proof) -> Self {
        Self {
            board,
            attacker,
            proof,
            known: FxHashMap::default(),
        }
    }

    /// The zone of a node whose position stands on the board.
    pub(crate) fn zone(&mut self, id: ProofId) -> Rc<Zone> {
        if let Some(zone) = self.known.get(&id) {
            return Rc::clone(zone);
        }
        let proof = self.proof;
        let zone = match proof.node(id) {
            Node::Attack { mv, then } => {
                self.board.place_all(mv.stones(), self.attacker);
                let mut zone = match then {
                    Some(then) => Zone::clone(&self.zone(*then)),
                    None => Zone::completed(self.board, self.attacker.other()),
                };
                self.board.undo_all(mv.stones().len());
                zone.keep(mv.stones());
                zone
            }
            Node::Defend { replies } => {
                let defender = self.attacker.other();
                // Each with the reply that its proof was made for, if that is another one.
                let mut zones: Vec<(Rc<Zone>, Option<usize>)> = Vec::with_capacity(replies.len());
                for reply in replies {
                    let stones = reply.mv.stones();
                    let answer = match reply.answer {
                        Answer::Proof(then) => {
                            self.board.place_all(stones, defender);
                            let zone = self.zone(then);
                            self.board.undo_all(stones.len());
                            (zone, None)
                        }
                        // The builder of proofs sees to it that this one has a proof of its own.
                        Answer::LikeReply(index) => {
                            let like = index as usize;
                            (Rc::clone(&zones[like].0), Some(like))
                        }
                    };
                    zones.push(answer);
                }
                let answers = zones
                    .iter()
                    .zip(replies)
                    .map(|((zone, like), reply)| ZoneOfReply {
                        zone,
                        stones: reply.mv.stones(),
                        like: like.map(|like| replies[like].mv.stones()),
                    });
                Zone::of_defence(self.board, self.attacker, answers)
            }
        };
        let zone = Rc::new(zone);
        self.known.insert(id, Rc::clone(&zone));
        zone
    }
}
