//! Changes go up: numbers from children to parents, deepest first, until nothing changes; and
//! down: what no open node waits for any more is dropped.

use std::collections::BinaryHeap;

use super::Core;
use super::effect::{AbortReason, Effect, ProvedBy};
use super::ids::NodeId;
use super::job::JobKind;
use super::node::{EdgeState, Flags};

/// Nodes that wait to be worked out again, and what came of others.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// By rank, the deepest on top: so each node is worked out once, after its children.
    nodes: BinaryHeap<(u16, u32)>,
    /// Defender's nodes with a reply that was proved.
    to_settle: Vec<NodeId>,
    /// Nodes with a running job that nobody waits for, and why.
    to_drop: Vec<(NodeId, AbortReason)>,
    pub(super) roots_changed: bool,
    /// While facts are replayed nothing is worked out: [`Core::rebuild`] does it at the end.
    pub(super) replaying: bool,
}

impl Pending {
    /// Every node was worked out some other way.
    pub(super) fn forget_queue(&mut self) {
        self.nodes.clear();
    }
}

impl Core {
    /// A node's own state has changed.
    pub(super) fn touch(&mut self, id: NodeId) {
        if self.pending.replaying {
            return;
        }
        let node = self.graph.node_mut(id);
        if !node.flags.has(Flags::QUEUED) {
            node.flags.set(Flags::QUEUED);
            self.pending.nodes.push((node.rank, id.0));
        }
    }

    /// A node's parents must be worked out again.
    pub(super) fn touch_parents(&mut self, id: NodeId) {
        if self.pending.replaying {
            return;
        }
        let mut next = self.graph.node(id).a_parent;
        while let Some(at) = next.get() {
            let edge = super::graph::EdgeId(at);
            next = self.graph.edge(edge).next_parent;
            if self.graph.edge(edge).state == EdgeState::Live {
                let parent = self.graph.parent_of(edge);
                self.touch(parent);
            }
        }
    }

    /// A reply of this defender's node is proved: the shell must hear of it.
    pub(super) fn want_settled(&mut self, id: NodeId) {
        if !self.pending.replaying {
            self.pending.to_settle.push(id);
        }
    }

    /// Works out everything that changed.
    pub(super) fn propagate(&mut self, effects: &mut Vec<Effect>) {
        while let Some((_, id)) = self.pending.nodes.pop() {
            let id = NodeId(id);
            let new = self.arithmetic.evaluate(&self.graph, id);
            let node = self.graph.node_mut(id);
            node.flags.clear(Flags::QUEUED);
            let old = node.take(new);
            match (old.numbers.is_solved(), new.numbers.is_solved()) {
                (false, true) => self.solved(id, effects),
                // An operator's move brought a given-up node to life.
                (true, false) => self.recount(id, AbortReason::AncestorSettled),
                _ => {}
            }
            if old.seen_from_above() != new.seen_from_above() {
                self.touch_parents(id);
            }
            if self.graph.node(id).flags.has(Flags::ROOT) {
                self.pending.roots_changed = true;
            }
        }
        self.drop_idle_jobs(effects);
        self.ask_to_settle(effects);
    }

    fn solved(&mut self, id: NodeId, effects: &mut Vec<Effect>) {
        self.recount(id, AbortReason::AncestorSettled);
        if !self.graph.node(id).numbers.is_proved() {
            return;
        }
        effects.push(Effect::Proved {
            node: id,
            how: self.how_proved(id),
        });
        if self.graph.node(id).kind() == JobKind::Engine {
            let parents: Vec<_> = self
                .graph
                .parents(id)
                .filter(|&edge| self.graph.edge(edge).state == EdgeState::Live)
                .map(|edge| self.graph.parent_of(edge))
                .collect();
            for parent in parents {
                self.want_settled(parent);
            }
        }
    }

    fn how_proved(&self, id: NodeId) -> ProvedBy {
        let node = self.graph.node(id);
        if node.flags.has(Flags::WON) {
            return ProvedBy::Job;
        }
        if node.kind() == JobKind::Verifier {
            return ProvedBy::Replies;
        }
        let winning = self.graph.live_children(id).find(|&edge| {
            let child = self.graph.node(self.graph.child_of(edge));
            child.numbers.is_proved()
        });
        let winning = winning.expect("an attacker's node is proved by a job or by a move");
        ProvedBy::Move {
            mv: self.graph.move_of(winning),
            to: self.graph.child_of(winning),
        }
    }

    fn ask_to_settle(&mut self, effects: &mut Vec<Effect>) {
        for id in std::mem::take(&mut self.pending.to_settle) {
            let node = self.graph.node_mut(id);
            if node.numbers.is_solved() {
                continue;
            }
            if node.flags.has(Flags::SETTLING) {
                node.flags.set(Flags::SETTLE_AGAIN);
            } else {
                node.flags.set(Flags::SETTLING);
                let round = self.round;
                effects.push(Effect::Settle { node: id, round });
            }
        }
    }

    /// Brings what lies under a node up to date with whether anybody waits for the node.
    pub(super) fn recount(&mut self, id: NodeId, reason: AbortReason) {
        if self.pending.replaying {
            return;
        }
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let node = self.graph.node_mut(id);
            let matters = node.matters();
            if matters == node.flags.has(Flags::COUNTED) {
                continue;
            }
            if matters {
                node.flags.set(Flags::COUNTED);
            } else {
                node.flags.clear(Flags::COUNTED);
                if !node.job.is_none() {
                    self.pending.to_drop.push((id, reason));
                }
            }
            let edges = self.graph.live_children(id);
            let children: Vec<_> = edges.map(|edge| self.graph.child_of(edge)).collect();
            for child in children {
                let node = self.graph.node_mut(child);
                if matters {
                    node.live_parents += 1;
                } else {
                    node.live_parents -= 1;
                }
                stack.push(child);
            }
        }
    }

    /// An edge starts or ceases to count.
    pub(super) fn set_edge(
        &mut self,
        edge: super::graph::EdgeId,
        state: EdgeState,
        reason: AbortReason,
    ) {
        let before = std::mem::replace(&mut self.graph.edge_mut(edge).state, state);
        if self.pending.replaying || before == state {
            return;
        }
        let (parent, child) = (self.graph.parent_of(edge), self.graph.child_of(edge));
        if self.graph.node(parent).flags.has(Flags::COUNTED) {
            let node = self.graph.node_mut(child);
            match (before, state) {
                (EdgeState::Live, _) => node.live_parents -= 1,
                (_, EdgeState::Live) => node.live_parents += 1,
                _ => {}
            }
            self.recount(child, reason);
        }
        self.touch(parent);
    }

    fn drop_idle_jobs(&mut self, effects: &mut Vec<Effect>) {
        for (id, reason) in std::mem::take(&mut self.pending.to_drop) {
            let node = self.graph.node(id);
            if let Some(slot) = node.job.get()
                && !node.matters()
            {
                self.drop_job(slot, reason, effects);
            }
        }
        if !self.pending.nodes.is_empty() {
            self.propagate(effects);
        }
    }
}
