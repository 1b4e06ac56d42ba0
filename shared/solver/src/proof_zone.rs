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
    let mut zones = ZonesOfProof {
        board,
        attacker,
        proof,
        known: FxHashMap::default(),
        uses: Uses::of(proof),
    };
    zones.zone(proof.root())
}

struct ZonesOfProof<'a, S: Shape> {
    board: &'a mut ThreatBoard<S>,
    attacker: Colour,
    proof: &'a Proof,
    /// Of nodes that will be asked for again.
    known: FxHashMap<ProofId, Rc<Zone>>,
    uses: Uses,
}

/// How often each node will be asked for. Most are asked for once: keeping them all would take
/// most of the time.
struct Uses(Vec<u32>);

impl Uses {
    fn of(proof: &Proof) -> Self {
        let mut uses = vec![0; proof.len()];
        for child in proof.nodes().flat_map(|(_, node)| node.children()) {
            uses[child.index()] += 1;
        }
        Self(uses)
    }

    /// Whether a node will be asked for again, after this time.
    fn another(&mut self, id: ProofId) -> bool {
        let uses = &mut self.0[id.index()];
        *uses = uses.saturating_sub(1);
        *uses > 0
    }
}

impl<S: Shape> ZonesOfProof<'_, S> {
    /// The zone of a node whose position stands on the board.
    fn zone(&mut self, id: ProofId) -> Rc<Zone> {
        let is_kept = self.uses.another(id);
        let known = if is_kept {
            self.known.get(&id).cloned()
        } else {
            self.known.remove(&id)
        };
        if let Some(zone) = known {
            return zone;
        }
        let proof = self.proof;
        let zone = match proof.node(id) {
            Node::Attack { mv, then } => {
                self.board.place_all(mv.stones(), self.attacker);
                let mut zone = match then {
                    Some(then) => Rc::unwrap_or_clone(self.zone(*then)),
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
        if is_kept {
            self.known.insert(id, Rc::clone(&zone));
        }
        zone
    }
}
