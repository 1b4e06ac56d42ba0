//! The defender's nodes of a search.
//!
//! They start with the least that blocks every threat. A reply that leaves the defender stones
//! over is first answered as if he did not place them, and the zone of that answer tells which
//! ways to place them must be looked at on their own.

use gridproof_game::{Square, zobrist};
use gridproof_threats::{BlockList, Shape};

use super::{Search, order_key};
use crate::mutation::{Rule, holds};
use crate::order::Order;
use crate::tree::{INFINITE, Kind, Node, NodeId, Number, TreeAnswer, TreeReply, hardest, sum};
use crate::zone::{Stones, Zone, without};

impl<S: Shape> Search<'_, '_, S> {
    /// The node of the board's position with the defender to move, who is known not to
    /// complete a line at once and to block in these ways.
    pub(super) fn defend_node(&mut self, order: Order, blocks: &BlockList) -> NodeId {
        let key = self.node_key(self.defender(), order);
        let p = self.board.shape().stones_per_turn() as usize;
        let defender = self.defender();
        let before = self.tree.len();
        let numbers = blocks.iter().map(|block| 1 + (p - block.len()) as Number);
        let proof = numbers.sum::<Number>().max(1);
        let kind = Kind::Defend {
            replies: Vec::new(),
            excused: 0,
        };
        let id = self.tree.node(key, || Node {
            proof,
            disproof: 1,
            zone: None,
            kind,
            order,
        });
        if self.tree.len() > before {
            let here = self.position_key(self.attacker);
            let mut replies = Vec::with_capacity(blocks.len());
            for block in blocks {
                let order = self.order_of_answer(order, block.len());
                let key = block.iter().fold(here ^ order_key(order), |key, &stone| {
                    key ^ zobrist::stone(defender, stone)
                });
                let node = self.tree.node(key, || Node::leaf(order));
                replies.push(TreeReply {
                    stones: block.clone(),
                    answer: TreeAnswer::Node(node),
                    extended: block.len() == p,
                });
            }
            self.tree.count_replies(replies.len());
            self.tree.get_mut(id).kind = Kind::Defend {
                replies,
                excused: 0,
            };
        }
        id
    }

    /// Grows the tree under a defender's node until a number reaches its threshold.
    pub(super) fn defend(&mut self, id: NodeId, most_proof: Number, most_disproof: Number) {
        loop {
            if self.refresh_defence(id) {
                return;
            }
            let node = self.tree.get(id);
            let Kind::Defend { replies, .. } = &node.kind else {
                unreachable!("the defender is to move")
            };
            if node.disproof == 0
                || node.proof >= most_proof
                || node.disproof >= most_disproof
                || self.is_over()
            {
                return;
            }
            // The reply nearest to being a refutation, and how near the next one is. Of equals
            // the one that held elsewhere: if it holds here too, the others need no look.
            let mut best: Option<(Number, i32, NodeId, &Stones)> = None;
            let mut second = INFINITE;
            for reply in replies {
                let TreeAnswer::Node(child) = reply.answer else {
                    continue;
                };
                let disproof = self.tree.get(child).disproof;
                let holds = -self.history.holds(&reply.stones);
                match best {
                    Some((least, its, ..)) if (disproof, holds) >= (least, its) => {
                        second = second.min(disproof);
                    }
                    _ => {
                        second = best.map_or(INFINITE, |(least, ..)| least);
                        best = Some((disproof, holds, child, &reply.stones));
                    }
                }
            }
            let (_, _, child, stones) = best.expect("an open node has an open reply");
            let stones = stones.clone();
            let is_new = matches!(self.tree.get(child).kind, Kind::Leaf);
            let child_proof = self.tree.get(child).proof;
            let proof = node.proof;
            self.board.place_all(&stones, self.defender());
            self.attack(
                child,
                most_proof.saturating_sub(proof).saturating_add(child_proof),
                most_disproof.min(second.saturating_add(1 + second / 8)),
            );
            self.board.undo_all(stones.len());
            if is_new {
                let held = self.tree.get(child).proof != 0;
                self.history.note_reply(&stones, held);
            }
        }
    }

    /// Brings a defender's node up to date with its replies; those that are proved and leave
    /// stones over add the replies that their zones do not excuse. True once it is proved.
    pub(super) fn refresh_defence(&mut self, id: NodeId) -> bool {
        if self.tree.get(id).proof == 0 {
            return true;
        }
        let Kind::Defend { replies, excused } =
            std::mem::replace(&mut self.tree.get_mut(id).kind, Kind::Leaf)
        else {
            unreachable!("the defender is to move")
        };
        let mut replies = replies;
        let order = self.tree.get(id).order;
        let p = self.board.shape().stones_per_turn() as usize;
        let mut known = excused;
        // Only where stones are left over are there many replies, and zones worth their cost.
        if replies.iter().any(|reply| reply.stones.len() < p) {
            known = self.apply_zones(order, &mut replies, known);
        }
        let open = replies.iter().filter_map(|reply| match reply.answer {
            TreeAnswer::Node(node) => Some(self.tree.get(node)),
            TreeAnswer::Like(_) => None,
        });
        let numbers = open.clone().map(|node| node.proof);
        let is_narrow = !self.options.exhaustive;
        let proof = if is_narrow && self.is_quiet(order) {
            hardest(numbers)
        } else {
            sum(numbers)
        };
        let disproof = open.map(|node| node.disproof).min().unwrap_or(INFINITE);
        let node = self.tree.get_mut(id);
        node.kind = Kind::Defend {
            replies,
            excused: known,
        };
        let disproof = if proof == 0 { INFINITE } else { disproof };
        (node.proof, node.disproof) = (proof, disproof);
        proof == 0
    }

    /// Adds the replies that the zones of proved ones demand, and excuses those that they
    /// excuse, until nothing changes: then as many are proved as it says.
    fn apply_zones(
        &mut self,
        order: Order,
        replies: &mut Vec<TreeReply>,
        mut known: usize,
    ) -> usize {
        loop {
            let mut next = 0;
            self.find_zones(replies);
            while let Some(reply) = replies.get(next) {
                next += 1;
                if !reply.extended
                    && let Some(settled) = self.zone_of_reply(reply, replies)
                {
                    let zone = settled.after(self.board);
                    let base = reply.stones.clone();
                    replies[next - 1].extended = true;
                    self.extend_reply(order, &base, &zone, replies);
                }
            }
            let proved = replies
                .iter()
                .filter(|reply| self.is_proved(&reply.answer))
                .count();
            if proved == known {
                return known;
            }
            known = proved;
            // Among the new replies may be positions that were proved elsewhere. New zones may
            // excuse replies that still wait.
            self.find_zones(replies);
            for index in 0..replies.len() {
                if self.is_open(&replies[index].answer)
                    && let Some(like) = self.sibling_that_excuses(&replies[index].stones, replies)
                {
                    replies[index].answer = TreeAnswer::Like(like);
                }
            }
        }
    }

    fn is_proved(&self, answer: &TreeAnswer) -> bool {
        matches!(answer, TreeAnswer::Node(node) if self.tree.get(*node).proof == 0)
    }

    fn is_open(&self, answer: &TreeAnswer) -> bool {
        matches!(answer, TreeAnswer::Node(node) if self.tree.get(*node).proof != 0)
    }

    /// Adds the replies that place more stones than `base` where its zone minds.
    fn extend_reply(
        &mut self,
        order: Order,
        base: &Stones,
        zone: &Zone,
        replies: &mut Vec<TreeReply>,
    ) {
        if !holds(Rule::Extensions) {
            return;
        }
        let defender = self.defender();
        let p = self.board.shape().stones_per_turn() as usize;
        let free = p - base.len();
        self.board.place_all(base, defender);
        let mut more = Vec::new();
        self.options
            .coverage
            .needed(self.board, defender, zone, free, |set| more.push(set));
        self.board.undo_all(base.len());
        let before = replies.len();
        for set in more {
            let mut stones: Stones = base.iter().chain(&set).copied().collect();
            stones.sort_unstable();
            if replies.iter().any(|reply| reply.stones == stones) {
                continue;
            }
            let answer = match self.sibling_that_excuses(&stones, replies) {
                Some(index) => TreeAnswer::Like(index),
                None => {
                    let order = self.order_of_answer(order, stones.len());
                    self.board.place_all(&stones, defender);
                    let node = self.attack_node(order);
                    self.board.undo_all(stones.len());
                    TreeAnswer::Node(node)
                }
            };
            replies.push(TreeReply {
                extended: stones.len() == p,
                stones,
                answer,
            });
        }
        self.tree.count_replies(replies.len() - before);
    }

    /// Another reply whose proof, replayed, also answers these stones.
    fn sibling_that_excuses(&self, stones: &[Square], replies: &[TreeReply]) -> Option<u32> {
        if !self.options.replay_siblings {
            return None;
        }
        let (shape, geometry) = (self.board.shape(), self.board.geometry());
        let excuses = |reply: &TreeReply| {
            let TreeAnswer::Node(node) = reply.answer else {
                return false;
            };
            let zone = self.tree.get(node).zone.as_ref();
            zone.is_some_and(|zone| zone.excuses(shape, geometry, &without(stones, &reply.stones)))
        };
        replies.iter().position(excuses).map(|index| index as u32)
    }
}
