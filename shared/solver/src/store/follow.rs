//! Follows a proof on a board with other stones of the defender, and writes down what is played.
//!
//! Two boards go along: the one that the proof is about, and the real one. The attacker's stones
//! are the same on both. Where the defender's are not, he has real replies that the proof does
//! not name; the proof's zones say which of its answers serves. That is no search: each reply has
//! one answer or none.

use std::collections::VecDeque;
use std::rc::Rc;

use gridproof_certificate::{Answer, Node, Proof, ProofBuilder, ProofId, Reply};
use gridproof_game::{Colour, Move, Position, Square, SquareSet};
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashMap;

use crate::coverage::Coverage;
use crate::defence::{Defence, defence};
use crate::limits::Cancel;
use crate::proof_zone::ZonesOfProof;
use crate::zone::{Stones, Zone, ZoneOfReply, without};

/// A proof of `start`, which stands on the real board, by the moves of a proof that fits it.
/// `None` if they do not lead to one. Nothing is checked: that is the checker's work.
pub(super) fn follow<S: Shape>(
    proof: &Proof,
    real: &mut ThreatBoard<S>,
    start: &Position,
    cancel: &Cancel,
) -> Option<(Proof, Rc<Zone>)> {
    let mut imagined = ThreatBoard::of_position(real.geometry().clone(), proof.start())?;
    let mut follower = Follower {
        attacker: proof.attacker(),
        proof,
        imagined: ZonesOfProof::new(&mut imagined, proof.attacker(), proof),
        real,
        builder: ProofBuilder::new(start.clone(), proof.attacker()),
        written: FxHashMap::default(),
        most_nodes: MOST_GROWTH * proof.len(),
        cancel,
    };
    let Written { id, zone } = follower.node(proof.root())?;
    let proof = follower.builder.finish(id).ok()?;
    Some((proof, zone))
}

/// A proof that grows more than this on its new board is better searched for.
const MOST_GROWTH: usize = 8;

struct Follower<'a, S: Shape> {
    attacker: Colour,
    proof: &'a Proof,
    /// The board of the proof's own position, and its zones.
    imagined: ZonesOfProof<'a, S>,
    real: &'a mut ThreatBoard<S>,
    builder: ProofBuilder,
    /// By the proof's node and the real position.
    written: FxHashMap<(ProofId, u64), Written>,
    most_nodes: usize,
    cancel: &'a Cancel,
}

/// A node of the new proof.
#[derive(Clone)]
struct Written {
    id: ProofId,
    zone: Rc<Zone>,
}

/// A real reply, and what answers it.
struct Answered {
    stones: Stones,
    zone: Rc<Zone>,
    answer: Answer,
}

impl Answered {
    fn zone_among<'r>(&'r self, all: &'r [Self]) -> ZoneOfReply<'r> {
        ZoneOfReply {
            zone: &self.zone,
            stones: &self.stones,
            like: match self.answer {
                Answer::Proof(_) => None,
                Answer::LikeReply(index) => Some(&all[index as usize].stones),
            },
        }
    }
}

impl<S: Shape> Follower<'_, S> {
    fn defender(&self) -> Colour {
        self.attacker.other()
    }

    /// Writes what the proof's node becomes on the real board.
    fn node(&mut self, id: ProofId) -> Option<Written> {
        let key = (id, self.real.key());
        if let Some(written) = self.written.get(&key) {
            return Some(written.clone());
        }
        if self.written.len() >= self.most_nodes || self.cancel.is_cancelled() {
            return None;
        }
        let proof = self.proof;
        let written = match proof.node(id) {
            Node::Attack { mv, then } => self.attack(mv, *then)?,
            Node::Defend { replies } => self.defend(replies)?,
        };
        self.written.insert(key, written.clone());
        Some(written)
    }

    fn attack(&mut self, mv: &Move, then: Option<ProofId>) -> Option<Written> {
        let stones = match then {
            Some(_) => Stones::from_slice(mv.stones()),
            None => self.completion(mv),
        };
        if !stones.iter().all(|square| self.real.is_empty_at(*square)) {
            return None;
        }
        self.imagined.board.place_all(mv.stones(), self.attacker);
        self.real.place_all(&stones, self.attacker);
        let after = match then {
            Some(then) => self.node(then).map(|after| (Some(after.id), after.zone)),
            None => self.real.has_completed(self.attacker).then(|| {
                let zone = Zone::completed(self.real, self.defender());
                (None, Rc::new(zone))
            }),
        };
        self.real.undo_all(stones.len());
        self.imagined.board.undo_all(mv.stones().len());
        let (then, mut zone) = after?;
        Rc::make_mut(&mut zone).keep(&stones);
        let id = self.builder.attack(Move::full(stones), then).ok()?;
        Some(Written { id, zone })
    }

    /// A move that completes a line, with its spare stones on squares that are really free. On
    /// a board that was almost full there may be room for more of them now.
    fn completion(&self, mv: &Move) -> Stones {
        let is_free = |square: &Square| self.real.is_empty_at(*square);
        let mut stones: Stones = mv.stones().iter().copied().filter(is_free).collect();
        let length = self.real.shape().stones_per_turn() as usize;
        let empties = self.real.empties();
        let spare = empties.iter().filter(|square| !mv.contains(*square));
        stones.extend(spare.take(length - stones.len()));
        stones.sort_unstable();
        stones
    }

    fn defend(&mut self, replies: &[Reply]) -> Option<Written> {
        let p = self.real.shape().stones_per_turn() as usize;
        let Defence::Blocks(bases) = defence(self.real, self.attacker) else {
            return None;
        };
        let mut waiting: VecDeque<Stones> = bases.into_iter().collect();
        let mut answered: Vec<Answered> = Vec::new();
        while let Some(stones) = waiting.pop_front() {
            if answered.iter().any(|reply| reply.stones == stones) {
                continue;
            }
            let reply = match self.excused_by(&stones, &answered) {
                Some(index) => Answered {
                    zone: Rc::clone(&answered[index].zone),
                    answer: Answer::LikeReply(index as u32),
                    stones,
                },
                None => self.answer(stones, replies)?,
            };
            answered.push(reply);
            let reply = &answered[answered.len() - 1];
            let free = p - reply.stones.len();
            if free > 0 {
                let zone = reply.zone_among(&answered).after(self.real);
                self.real.place_all(&reply.stones, self.defender());
                Coverage::Segment.needed(self.real, self.defender(), &zone, free, |set| {
                    let mut more: Stones = reply.stones.iter().chain(&set).copied().collect();
                    more.sort_unstable();
                    waiting.push_back(more);
                });
                self.real.undo_all(reply.stones.len());
            }
        }
        let zones = answered.iter().map(|reply| reply.zone_among(&answered));
        let zone = Rc::new(Zone::of_defence(self.real, self.attacker, zones));
        let replies = answered.iter().map(|reply| Reply {
            mv: Move::new(reply.stones.iter().copied(), (p - reply.stones.len()) as u8),
            answer: reply.answer,
        });
        let id = self.builder.defend(replies.collect()).ok()?;
        Some(Written { id, zone })
    }

    /// An earlier real reply whose new proof also answers these stones.
    fn excused_by(&self, stones: &[Square], answered: &[Answered]) -> Option<usize> {
        let (shape, geometry) = (self.real.shape(), self.real.geometry());
        answered.iter().position(|reply| {
            matches!(reply.answer, Answer::Proof(_))
                && reply
                    .zone
                    .excuses(shape, geometry, &without(stones, &reply.stones))
        })
    }

    /// Answers a real reply as the proof answers the one of its own that serves.
    fn answer(&mut self, stones: Stones, replies: &[Reply]) -> Option<Answered> {
        let (model, then) = self.model(&stones, replies)?;
        self.real.place_all(&stones, self.defender());
        self.imagined
            .board
            .place_all(model.stones(), self.defender());
        let after = self.node(then);
        self.imagined.board.undo_all(model.stones().len());
        self.real.undo_all(stones.len());
        let Written { id, zone } = after?;
        Some(Answered {
            stones,
            zone,
            answer: Answer::Proof(id),
        })
    }

    /// The proof's reply that serves for a real one: the same, or one whose zone excuses all
    /// that the defender then really has more.
    fn model<'r>(
        &mut self,
        stones: &[Square],
        replies: &'r [Reply],
    ) -> Option<(&'r Move, ProofId)> {
        // A stone where the proof imagines one already is no news.
        let mut news = Stones::from_slice(stones);
        news.retain(|square| self.imagined.board.is_empty_at(*square));
        let exact = replies.iter().find(|reply| reply.mv.stones() == &news[..]);
        let own_proof = |reply: &'r Reply| match reply.answer {
            Answer::Proof(id) => Some((&reply.mv, id)),
            Answer::LikeReply(_) => None,
        };
        if let Some(exact) = exact {
            return match exact.answer {
                Answer::Proof(_) => own_proof(exact),
                Answer::LikeReply(index) => own_proof(&replies[index as usize]),
            };
        }
        let before = self
            .imagined
            .board
            .empties()
            .difference(&self.real.empties());
        let more: SquareSet = before.union(&news.iter().copied().collect());
        replies.iter().filter_map(own_proof).find(|(model, id)| {
            let extra: Stones = more
                .iter()
                .filter(|square| !model.contains(*square))
                .collect();
            let board = &mut *self.imagined.board;
            board.place_all(model.stones(), self.attacker.other());
            let zone = self.imagined.zone(*id);
            let board = &mut *self.imagined.board;
            board.undo_all(model.stones().len());
            zone.excuses(board.shape(), board.geometry(), &extra)
        })
    }
}
