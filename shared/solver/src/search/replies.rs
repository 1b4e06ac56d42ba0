//! The defender's nodes of a search.
//!
//! They start with the least that blocks every threat. A reply that leaves the defender stones
//! over is first answered as if he did not place them, and the zone of that answer tells which
//! ways to place them must be looked at on their own.

use std::cmp::Reverse;
use std::rc::Rc;

use gridproof_game::{Square, zobrist};
use gridproof_threats::{BlockList, Shape};
use smallvec::SmallVec;

use super::{Search, order_key};
use crate::mutation::{Rule, holds};
use crate::order::Order;
use crate::tree::{
    INFINITE, Kind, NodeId, Number, TreeAnswer, TreeReply, Wide, WideId, hardest, sum,
};
use crate::zone::{Stones, Zone, without};

/// The reply by which the defender is nearest to holding, and how near the next one is.
struct Nearest {
    index: u32,
    second: Number,
}

/// A settled reply that leaves stones over, and the zone after it.
type Extended = (Stones, Rc<Zone>);

impl<S: Shape> Search<'_, '_, S> {
    /// The node of the board's position with the defender to move, who is known not to
    /// complete a line at once and to block in these ways.
    pub(super) fn defend_node(&mut self, order: Order, blocks: &BlockList) -> NodeId {
        let key = self.node_key(self.defender(), order);
        let p = self.board.shape().stones_per_turn() as usize;
        let id = self.tree.node(key, order);
        if let Kind::Leaf = self.tree.get(id).kind {
            let replies: SmallVec<[TreeReply; 8]> = blocks
                .iter()
                .map(|block| TreeReply::unseen(self.tree.pack(block)))
                .collect();
            let replies = self.tree.keep_replies(replies);
            let numbers = blocks.iter().map(|block| 1 + (p - block.len()) as Number);
            let node = self.tree.get_mut(id);
            node.proof = numbers.sum::<Number>().max(1);
            node.kind = Kind::Defend(replies);
        }
        id
    }

    /// Grows the tree under a defender's node until a number reaches its threshold.
    pub(super) fn defend(&mut self, id: NodeId, most_proof: Number, most_disproof: Number) {
        loop {
            if self.refresh_defence(id) {
                return;
            }
            let node = *self.tree.get(id);
            if node.disproof == 0
                || node.proof >= most_proof
                || node.disproof >= most_disproof
                || self.pauses()
            {
                return;
            }
            let Nearest { index, second } = self.nearest_to_holding(node.kind);
            let (stones, child) = self.reply_node(id, index).expect("it is open");
            let is_new = matches!(self.tree.get(child).kind, Kind::Leaf);
            let child_proof = self.tree.get(child).proof;
            self.board.place_all(&stones, self.defender());
            self.attack(
                child,
                most_proof
                    .saturating_sub(node.proof)
                    .saturating_add(child_proof),
                most_disproof.min(second.saturating_add(1 + second / 8)),
            );
            self.board.undo_all(stones.len());
            if is_new {
                let held = !self.tree.is_proved(child);
                self.history.note_reply(&stones, held);
            }
        }
    }

    /// The reply nearest to being a refutation. Of equals the one that held elsewhere: if it
    /// holds here too, the others need no look.
    fn nearest_to_holding(&self, kind: Kind) -> Nearest {
        let mut best: Option<((Number, Reverse<i32>), u32)> = None;
        let mut second = INFINITE;
        let mut consider = |index: u32, reply: &TreeReply| {
            let disproof = match reply.answer() {
                TreeAnswer::Unseen => 1,
                TreeAnswer::Node(child) => self.tree.get(child).disproof,
                TreeAnswer::Like(_) => return,
            };
            let least = best.map_or(INFINITE, |((least, _), _)| least);
            if disproof > least {
                second = second.min(disproof);
                return;
            }
            let holds = self.history.holds(&self.tree.stones(reply.stones));
            match best {
                Some((known, _)) if (disproof, Reverse(holds)) >= known => {
                    second = second.min(disproof);
                }
                _ => {
                    second = least;
                    best = Some(((disproof, Reverse(holds)), index));
                }
            }
        };
        match kind {
            Kind::Wide(place) => {
                let wide = self.tree.wide(place);
                for &index in wide.seen.iter().chain(&wide.unseen) {
                    consider(index, &wide.replies[index as usize]);
                }
            }
            Kind::Defend(replies) => {
                for (reply, index) in self.tree.replies(replies).iter().zip(0..) {
                    consider(index, reply);
                }
            }
            _ => unreachable!("the defender is to move"),
        }
        let (_, index) = best.expect("an open node has an open reply");
        Nearest { index, second }
    }

    /// The stones of a reply and the node that answers it, made if it is new. None if another
    /// reply's proof answers it.
    pub(super) fn reply_node(&mut self, id: NodeId, index: u32) -> Option<(Stones, NodeId)> {
        let node = *self.tree.get(id);
        let reply = match node.kind {
            Kind::Wide(place) => self.tree.wide(place).replies[index as usize],
            Kind::Defend(replies) => self.tree.replies(replies)[index as usize],
            _ => unreachable!("the defender is to move"),
        };
        let stones = self.tree.stones(reply.stones);
        match reply.answer() {
            TreeAnswer::Node(node) => return Some((stones, node)),
            TreeAnswer::Like(_) => return None,
            TreeAnswer::Unseen => {}
        }
        let order = self.order_of_answer(node.order, stones.len());
        let child = self.tree.node(self.key_after(&stones, order), order);
        let answer = TreeAnswer::Node(child);
        match node.kind {
            Kind::Wide(place) => self.tree.wide_mut(place).see(index, answer),
            Kind::Defend(replies) => {
                self.tree.replies_mut(replies)[index as usize].set_answer(answer);
            }
            _ => unreachable!("the defender is to move"),
        }
        Some((stones, child))
    }

    /// The key of the node that answers some stones of the defender.
    fn key_after(&self, stones: &[Square], order: Order) -> u64 {
        let here = self.position_key(self.attacker) ^ order_key(order);
        let stone = |key, &stone: &Square| key ^ zobrist::stone(self.defender(), stone);
        stones.iter().fold(here, stone)
    }

    /// Brings a defender's node up to date with its replies; those that are proved and leave
    /// stones over add the replies that their zones do not excuse. True once it is proved.
    pub(super) fn refresh_defence(&mut self, id: NodeId) -> bool {
        let node = *self.tree.get(id);
        if node.proof == 0 {
            return true;
        }
        let (proof, disproof) = match node.kind {
            Kind::Defend(replies) if self.may_grow(self.tree.replies(replies)) => {
                let place = self.tree.widen(id, replies);
                self.refresh_wide(id, node.order, place)
            }
            Kind::Defend(replies) => {
                let open = self.tree.replies(replies).iter();
                self.numbers(node.order, open.map(|reply| reply.answer()), 0)
            }
            Kind::Wide(place) => self.refresh_wide(id, node.order, place),
            _ => unreachable!("the defender is to move"),
        };
        let disproof = if proof == 0 { INFINITE } else { disproof };
        let node = self.tree.get_mut(id);
        (node.proof, node.disproof) = (proof, disproof);
        proof == 0
    }

    /// Whether a proved reply may demand others, or excuse some: only where stones are left over
    /// are there many replies, and zones worth their cost.
    fn may_grow(&self, replies: &[TreeReply]) -> bool {
        let p = self.board.shape().stones_per_turn() as usize;
        let leaves_stones = |reply: &TreeReply| self.tree.count(reply.stones) < p;
        replies.iter().any(leaves_stones)
            && replies.iter().any(|reply| self.is_proved(reply.answer()))
    }

    fn is_proved(&self, answer: TreeAnswer) -> bool {
        matches!(answer, TreeAnswer::Node(node) if self.tree.is_proved(node))
    }

    /// The numbers of a defender's node with these answers, and so many open replies more that
    /// nobody has looked at.
    fn numbers(
        &self,
        order: Order,
        answers: impl Iterator<Item = TreeAnswer> + Clone,
        unseen: usize,
    ) -> (Number, Number) {
        let numbers = answers.filter_map(|answer| match answer {
            TreeAnswer::Unseen => Some((1, 1)),
            TreeAnswer::Node(node) => {
                let node = self.tree.get(node);
                Some((node.proof, node.disproof))
            }
            TreeAnswer::Like(_) => None,
        });
        let numbers = numbers.chain(std::iter::repeat_n((1, 1), unseen));
        let proofs = numbers.clone().map(|(proof, _)| proof);
        let is_narrow = !self.options.exhaustive;
        let proof = if is_narrow && self.is_quiet(order) {
            hardest(proofs)
        } else {
            sum(proofs)
        };
        let disproof = numbers.map(|(_, disproof)| disproof).min();
        (proof, disproof.unwrap_or(INFINITE))
    }

    /// As [`Self::refresh_defence`], of a node that may have many replies.
    fn refresh_wide(&mut self, id: NodeId, order: Order, place: WideId) -> (Number, Number) {
        let mut wide = self.tree.take_wide(place);
        self.apply_zones(order, &mut wide);
        if wide.is_settled() {
            self.tree.settle_wide(id, place, &wide);
            return (0, INFINITE);
        }
        let replies = &wide.replies;
        let seen = wide.seen.iter();
        let answers = seen.map(|&index| replies[index as usize].answer());
        let numbers = self.numbers(order, answers, wide.unseen.len());
        self.tree.put_wide(place, wide);
        numbers
    }

    /// Adds the replies that the zones of proved ones demand, and excuses those that they
    /// excuse, until nothing changes.
    fn apply_zones(&mut self, order: Order, wide: &mut Wide) {
        loop {
            wide.note_proved(|node| self.tree.is_proved(node));
            if wide.asked == wide.proved.len() {
                return;
            }
            while let Some(&index) = wide.proved.get(wide.asked) {
                wide.asked += 1;
                let (stones, zone) = self.proof_at(wide.replies[index as usize]);
                let mut settled = self.excuse_others(index, &stones, &zone, wide);
                if stones.len() < self.board.shape().stones_per_turn() as usize {
                    settled.push((stones, zone));
                }
                while let Some((base, zone)) = settled.pop() {
                    self.extend_reply(order, &base, &zone, wide, &mut settled);
                }
            }
            // Among the new replies may be positions that were proved elsewhere.
        }
    }

    /// Settles the open replies that a proved one excuses. Those that leave stones over are
    /// returned.
    fn excuse_others(
        &self,
        index: u32,
        stones: &Stones,
        zone: &Rc<Zone>,
        wide: &mut Wide,
    ) -> Vec<Extended> {
        let mut partial = Vec::new();
        if !self.options.replay_siblings {
            return partial;
        }
        let (shape, geometry) = (self.board.shape(), self.board.geometry());
        let p = shape.stones_per_turn() as usize;
        wide.settle_open(index, |packed| {
            let others = self.tree.stones(packed);
            let extra = without(&others, stones);
            let excused = zone.excuses(shape, geometry, &extra);
            if excused && others.len() < p {
                partial.push((others, Rc::new(zone.with_stones(shape, geometry, &extra))));
            }
            excused
        });
        partial
    }

    /// Adds the replies that place more stones than `base` where its zone minds. Those among them
    /// that leave stones over and are settled already are added to `settled`.
    fn extend_reply(
        &mut self,
        order: Order,
        base: &Stones,
        zone: &Zone,
        wide: &mut Wide,
        settled: &mut Vec<Extended>,
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
        let mut asked = Vec::new();
        if self.options.replay_siblings {
            for &index in &wide.proved[..wide.asked] {
                let (stones, zone) = self.proof_at(wide.replies[index as usize]);
                asked.push((index, stones, zone));
            }
        }
        for set in more {
            let mut stones: Stones = base.iter().chain(&set).copied().collect();
            stones.sort_unstable();
            let packed = self.tree.pack(&stones);
            if wide.has(packed) {
                continue;
            }
            let (shape, geometry) = (self.board.shape(), self.board.geometry());
            let excuse = asked.iter().find_map(|(index, theirs, zone)| {
                let extra = without(&stones, theirs);
                let excused = zone.excuses(shape, geometry, &extra);
                excused.then_some((*index, zone, extra))
            });
            let answer = if let Some((index, zone, extra)) = excuse {
                if stones.len() < p {
                    let zone = Rc::new(zone.with_stones(shape, geometry, &extra));
                    settled.push((stones, zone));
                }
                TreeAnswer::Like(index)
            } else {
                let order = self.order_of_answer(order, stones.len());
                let known = self.tree.find(self.key_after(&stones, order));
                known.map_or(TreeAnswer::Unseen, TreeAnswer::Node)
            };
            wide.add(packed, answer);
        }
    }
}
