//! The zones of a search's proved nodes.
//!
//! A zone takes some kilobytes. That of a defender's node is wanted once, as a rule, by the
//! move before it, which takes it over; if another path asks for it, it is worked out again.

use std::rc::Rc;

use gridproof_threats::Shape;

use super::Search;
use crate::tree::{Kind, NodeId, Pending, PendingAnswer};
use crate::zone::{Stones, Zone};

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
                let (stones, child) = self.tree.proved_move(moves);
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
        self.tree.get_mut(id).zone = Some(Rc::clone(&zone));
        zone
    }

    /// The zone before a move that stands on the board and led to a proved node.
    pub(super) fn zone_of_attack(&mut self, child: NodeId, stones: &Stones) -> Rc<Zone> {
        let mut zone = self.zone(child);
        self.tree.get_mut(child).zone = None;
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
    pub(super) fn find_zones(&mut self, replies: &[Pending]) {
        for reply in replies {
            if let PendingAnswer::Node(node) = reply.answer
                && self.tree.get(node).proof == 0
                && self.tree.get(node).zone.is_none()
            {
                self.board.place_all(&reply.stones, self.defender());
                self.zone(node);
                self.board.undo_all(reply.stones.len());
            }
        }
    }

    /// The zone of the board's position, all replies to which are settled and have theirs.
    pub(super) fn zone_of_defence(&self, replies: &[Pending]) -> Rc<Zone> {
        let p = self.board.shape().stones_per_turn() as usize;
        let zones: Vec<(Rc<Zone>, usize)> = replies
            .iter()
            .map(|reply| {
                let zone = self.answer_zone(&reply.answer);
                let zone = zone.expect("every reply is settled");
                (zone, p - reply.stones.len())
            })
            .collect();
        let answers = zones.iter().map(|(zone, nulls)| (&**zone, *nulls));
        Rc::new(Zone::of_defence(self.board, self.attacker, answers))
    }
}
