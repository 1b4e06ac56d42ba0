//! The zones of a search's proved nodes.
//!
//! Most of what a search proves lies beside a reply that it cannot beat, and nobody ever asks for
//! its zone. So zones are worked out when they are wanted. They take some kilobytes: that of a
//! defender's node goes over to the move before it, and is worked out again if another path asks.

use std::rc::Rc;

use gridproof_threats::Shape;

use super::Search;
use crate::tree::{Kind, NodeId, Replies, TreeAnswer, TreeReply};
use crate::zone::{Stones, Zone, ZoneOfReply};

/// What answers a reply.
struct Settled {
    /// Of the proof.
    zone: Rc<Zone>,
    stones: Stones,
    /// The stones that the proof was made for, if not these.
    like: Option<Stones>,
}

impl Settled {
    fn zone_of_reply(&self) -> ZoneOfReply<'_> {
        ZoneOfReply {
            zone: &self.zone,
            stones: &self.stones,
            like: self.like.as_deref(),
        }
    }
}

impl<S: Shape> Search<'_, '_, S> {
    /// The zone of a proved node, whose position is on the board.
    pub(super) fn zone(&mut self, id: NodeId) -> Rc<Zone> {
        if let Some(zone) = self.tree.zone(id) {
            return Rc::clone(zone);
        }
        let zone = match self.tree.get(id).kind {
            Kind::Leaf | Kind::Attack(_) | Kind::Wide(_) => {
                unreachable!("a node of this kind is not proved")
            }
            Kind::Line(line) => self.zone_of_line(line),
            Kind::Won { stones, completes } => {
                let stones = self.tree.stones(stones);
                self.board.place_all(&stones, self.attacker);
                let zone = Rc::new(self.zone_by_rule(&stones, completes));
                self.board.undo_all(stones.len());
                zone
            }
            Kind::Proved { stones, then } => {
                let stones = self.tree.stones(stones);
                self.board.place_all(&stones, self.attacker);
                let zone = self.zone_of_attack(then, &stones);
                self.board.undo_all(stones.len());
                zone
            }
            Kind::Defend(replies) => self.zone_of_defence(replies),
        };
        self.tree.keep_zone(id, Rc::clone(&zone));
        zone
    }

    /// The zone before a move that stands on the board and led to a proved node.
    pub(super) fn zone_of_attack(&mut self, child: NodeId, stones: &Stones) -> Rc<Zone> {
        let mut zone = self.zone(child);
        self.tree.take_zone(child);
        Rc::make_mut(&mut zone).keep(stones);
        zone
    }

    /// The zone before a move that stands on the board and wins by the rules alone.
    pub(super) fn zone_by_rule(&self, stones: &Stones, completes: bool) -> Zone {
        let mut zone = if completes {
            Zone::completed(self.board, self.defender())
        } else {
            Zone::of_defence(self.board, self.attacker, std::iter::empty())
        };
        zone.keep(stones);
        zone
    }

    /// The zone of a proved node that answers these stones of the defender.
    pub(super) fn zone_after(&mut self, stones: &Stones, node: NodeId) -> Rc<Zone> {
        if let Some(zone) = self.tree.zone(node) {
            return Rc::clone(zone);
        }
        self.board.place_all(stones, self.defender());
        let zone = self.zone(node);
        self.board.undo_all(stones.len());
        zone
    }

    /// The zone of the board's position, all replies to which are settled.
    fn zone_of_defence(&mut self, replies: Replies) -> Rc<Zone> {
        let count = self.tree.replies(replies).len();
        if self.board.can_complete(self.attacker) {
            return self.zone_of_blocks(replies, count);
        }
        let settled: Vec<Settled> = (0..count)
            .map(|index| self.settled(replies, index))
            .collect();
        let answers = settled.iter().map(Settled::zone_of_reply);
        Rc::new(Zone::of_defence(self.board, self.attacker, answers))
    }

    /// The same where the attacker threatens. Most answers go on threatening, and what they need
    /// differs from what is needed here on a few lines only: these zones are never made.
    fn zone_of_blocks(&mut self, replies: Replies, count: usize) -> Rc<Zone> {
        let p = self.board.shape().stones_per_turn() as usize;
        let mut zone = Zone::of_threats(self.board, self.attacker);
        for index in 0..count {
            let reply = self.tree.replies(replies)[index];
            if let TreeAnswer::Node(node) = reply.answer()
                && self.tree.count(reply.stones) == p
                && self.tree.zone(node).is_none()
            {
                let stones = self.tree.stones(reply.stones);
                match self.tree.get(node).kind {
                    Kind::Line(line) => {
                        self.board.place_all(&stones, self.defender());
                        self.add_line(&mut zone, line, &stones);
                        self.board.undo_all(stones.len());
                        continue;
                    }
                    Kind::Won {
                        stones: last,
                        completes: false,
                    } => {
                        let last = self.tree.stones(last);
                        self.board.place_all(&stones, self.defender());
                        self.board.place_all(&last, self.attacker);
                        zone.add_threats(self.board, self.attacker, &stones);
                        zone.keep(&last);
                        self.board.undo_all(stones.len() + last.len());
                        continue;
                    }
                    _ => {}
                }
            }
            let settled = self.settled(replies, index);
            zone.add_reply(self.board, &settled.zone_of_reply());
        }
        Rc::new(zone)
    }

    fn settled(&mut self, replies: Replies, index: usize) -> Settled {
        let reply = self.tree.replies(replies)[index];
        let stones = self.tree.stones(reply.stones);
        let (zone, like) = match reply.answer() {
            TreeAnswer::Node(node) => (self.zone_after(&stones, node), None),
            TreeAnswer::Like(like) => {
                let (like, zone) = self.proof_at(self.tree.replies(replies)[like as usize]);
                (zone, Some(like))
            }
            TreeAnswer::Unseen => unreachable!("an unseen reply is not settled"),
        };
        Settled { zone, stones, like }
    }

    /// The stones of a reply that has a proof of its own, and the proof's zone.
    pub(super) fn proof_at(&mut self, reply: TreeReply) -> (Stones, Rc<Zone>) {
        let TreeAnswer::Node(node) = reply.answer() else {
            unreachable!("replies are like those that have proofs")
        };
        let stones = self.tree.stones(reply.stones);
        let zone = self.zone_after(&stones, node);
        (stones, zone)
    }
}
