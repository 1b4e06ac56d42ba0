//! The zones of a search's proved nodes.
//!
//! Most of what a search proves lies beside a reply that it cannot beat, and nobody ever asks for
//! its zone. So zones are worked out when they are wanted. They take some kilobytes: that of a
//! defender's node goes over to the move before it, and is worked out again if another path asks.

use std::rc::Rc;

use gridproof_threats::Shape;

use super::Search;
use crate::tree::{Kind, NodeId, TreeAnswer, TreeReply};
use crate::zone::{Stones, Zone, ZoneOfReply};

impl<S: Shape> Search<'_, '_, S> {
    /// The zone of a proved node, whose position is on the board.
    pub(super) fn zone(&mut self, id: NodeId) -> Rc<Zone> {
        if let Some(zone) = &self.tree.get(id).zone {
            return Rc::clone(zone);
        }
        let zone = match &self.tree.get(id).kind {
            Kind::Leaf => unreachable!("a leaf is not proved"),
            Kind::Won { stones, completes } => {
                let (stones, completes) = (stones.clone(), *completes);
                self.board.place_all(&stones, self.attacker);
                let zone = Rc::new(self.zone_by_rule(&stones, completes));
                self.board.undo_all(stones.len());
                zone
            }
            Kind::Attack { moves } => {
                let (stones, child) = self.tree.proved_move(*moves);
                let stones = stones.clone();
                self.board.place_all(&stones, self.attacker);
                let zone = self.zone_of_attack(child, &stones);
                self.board.undo_all(stones.len());
                zone
            }
            Kind::Defend { replies, .. } => {
                let replies = replies.clone();
                self.find_zones(&replies);
                self.zone_of_defence(&replies)
            }
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

    /// Makes sure that every proved reply to the board's position has its zone.
    pub(super) fn find_zones(&mut self, replies: &[TreeReply]) {
        for reply in replies {
            if let TreeAnswer::Node(node) = reply.answer
                && self.tree.get(node).proof == 0
                && self.tree.get(node).zone.is_none()
            {
                self.board.place_all(&reply.stones, self.defender());
                self.zone(node);
                self.board.undo_all(reply.stones.len());
            }
        }
    }

    /// The zone of the board's position, all replies to which are settled and whose proofs have
    /// their zones.
    pub(super) fn zone_of_defence(&self, replies: &[TreeReply]) -> Rc<Zone> {
        let answers = replies.iter().map(|reply| {
            let zone = self.zone_of_reply(reply, replies);
            zone.expect("it is proved")
        });
        Rc::new(Zone::of_defence(self.board, self.attacker, answers))
    }

    /// What answers a reply, if it is settled and its proof has its zone.
    pub(super) fn zone_of_reply<'r>(
        &'r self,
        reply: &'r TreeReply,
        replies: &'r [TreeReply],
    ) -> Option<ZoneOfReply<'r>> {
        let (node, like) = match reply.answer {
            TreeAnswer::Node(node) => (node, None),
            TreeAnswer::Like(index) => {
                let like = &replies[index as usize];
                let TreeAnswer::Node(node) = like.answer else {
                    unreachable!("replies are like those that have proofs")
                };
                (node, Some(&like.stones[..]))
            }
        };
        Some(ZoneOfReply {
            zone: self.tree.get(node).zone.as_ref()?,
            stones: &reply.stones,
            like,
        })
    }
}
