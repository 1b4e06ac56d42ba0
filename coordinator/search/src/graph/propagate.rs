//! Changes go up: numbers from children to parents, deepest first, until nothing changes; and
//! down: what no open node waits for any more is dropped.

use std::collections::BinaryHeap;

use super::{EdgeId, EdgeState, Flags, Graph};
use crate::effect::{AbortReason, ProvedBy};
use crate::ids::NodeId;
use crate::job::Side;
use crate::numbers::Policy;

/// Nodes that wait to be worked out again, and what came of others.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// By rank, the deepest on top: so each node is worked out once, after its children.
    queue: BinaryHeap<(u16, u32)>,
    proved: Vec<NodeId>,
    /// Defender's nodes with a reply that was proved.
    pub(super) to_settle: Vec<NodeId>,
    /// Nodes with a running job that nobody waits for, and why.
    unwanted: Vec<(NodeId, AbortReason)>,
    /// By the last withdrawal.
    pub(super) unproved: Vec<NodeId>,
    pub(super) roots_changed: bool,
    /// While facts are replayed nothing is worked out: [`Graph::rebuild`] does it at the end.
    pub(super) replaying: bool,
}

impl Pending {
    /// Every node was worked out some other way.
    pub(super) fn forget_queue(&mut self) {
        self.queue.clear();
    }
}

impl<P: Policy> Graph<P> {
    /// A node's own state has changed.
    pub(super) fn touch(&mut self, id: NodeId) {
        if self.pending.replaying {
            return;
        }
        let node = &mut self.nodes[id.index()];
        if !node.flags.contains(Flags::QUEUED) {
            node.flags.insert(Flags::QUEUED);
            self.pending.queue.push((node.rank, id.0));
        }
    }

    /// A node's parents must be worked out again.
    pub(super) fn touch_parents(&mut self, id: NodeId) {
        if self.pending.replaying {
            return;
        }
        let mut next = EdgeId::of(self.node(id).a_parent);
        while let Some(edge) = next {
            next = EdgeId::of(self.edge(edge).next_parent);
            if self.edge(edge).state == EdgeState::Live {
                self.touch(self.parent_of(edge));
            }
        }
    }

    pub(super) fn touch_with_parents(&mut self, id: NodeId) {
        self.touch(id);
        self.touch_parents(id);
    }

    /// Works out everything that changed.
    pub(crate) fn propagate(&mut self) {
        while let Some((_, id)) = self.pending.queue.pop() {
            let id = NodeId(id);
            let new = self.arithmetic.evaluate(self, id);
            let node = self.node_mut(id);
            node.flags.remove(Flags::QUEUED);
            let is_root = node.flags.contains(Flags::ROOT);
            let old = node.take(new);
            match (old.numbers.is_solved(), new.numbers.is_solved()) {
                (false, true) => self.solved(id),
                // An operator's move brought a given-up node to life.
                (true, false) => self.recount(id, AbortReason::AncestorSettled),
                _ => {}
            }
            if old.seen_from_above() != new.seen_from_above() {
                self.touch_parents(id);
            }
            self.pending.roots_changed |= is_root;
        }
    }

    fn solved(&mut self, id: NodeId) {
        self.recount(id, AbortReason::AncestorSettled);
        if !self.node(id).numbers.is_proved() {
            return;
        }
        self.pending.proved.push(id);
        if self.node(id).side() == Side::Attacker {
            let parents = self.parents(id);
            let live = parents.filter(|&edge| self.edge(edge).state == EdgeState::Live);
            let parents: Vec<_> = live.map(|edge| self.parent_of(edge)).collect();
            for parent in parents {
                self.want_settled(parent);
            }
        }
    }

    /// Nodes that were proved since this was last asked.
    pub(crate) fn take_proved(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.pending.proved)
    }

    /// Running jobs that nobody waits for any more, by their numbers.
    pub(crate) fn take_unwanted(&mut self) -> Vec<(usize, AbortReason)> {
        let unwanted = std::mem::take(&mut self.pending.unwanted);
        let still = unwanted.into_iter().filter_map(|(id, reason)| {
            let node = self.node(id);
            let job = node.job()?;
            (!node.matters()).then_some((job, reason))
        });
        still.collect()
    }

    /// Whether a root was worked out again since this was last asked.
    pub(crate) fn take_roots_changed(&mut self) -> bool {
        std::mem::take(&mut self.pending.roots_changed)
    }

    pub(crate) fn take_unproved(&mut self) -> Vec<NodeId> {
        std::mem::take(&mut self.pending.unproved)
    }

    pub(crate) fn how_proved(&self, id: NodeId) -> ProvedBy {
        let node = self.node(id);
        if node.is(Flags::WON) {
            return ProvedBy::Job;
        }
        if node.side() == Side::Defender {
            return ProvedBy::Replies;
        }
        let winning = self.live_children(id).find(|&edge| {
            let child = self.node(self.child_of(edge));
            child.numbers.is_proved()
        });
        let winning = winning.expect("an attacker's node is proved by a job or by a move");
        ProvedBy::Move {
            mv: self.move_of(winning),
            to: self.child_of(winning),
        }
    }

    /// Brings what lies under a node up to date with whether anybody waits for the node.
    pub(super) fn recount(&mut self, id: NodeId, reason: AbortReason) {
        if self.pending.replaying {
            return;
        }
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let node = self.node_mut(id);
            let matters = node.matters();
            if matters == node.is(Flags::COUNTED) {
                continue;
            }
            node.flags.set(Flags::COUNTED, matters);
            if !matters && !node.job.is_none() {
                self.pending.unwanted.push((id, reason));
            }
            let edges = self.live_children(id);
            let children: Vec<_> = edges.map(|edge| self.child_of(edge)).collect();
            for child in children {
                let node = self.node_mut(child);
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
    pub(super) fn set_edge(&mut self, edge: EdgeId, state: EdgeState, reason: AbortReason) {
        let before = std::mem::replace(&mut self.edge_mut(edge).state, state);
        if self.pending.replaying || before == state {
            return;
        }
        let (parent, child) = (self.parent_of(edge), self.child_of(edge));
        if self.node(parent).is(Flags::COUNTED) {
            let node = self.node_mut(child);
            match (before, state) {
                (EdgeState::Live, _) => node.live_parents -= 1,
                (_, EdgeState::Live) => node.live_parents += 1,
                _ => {}
            }
            self.recount(child, reason);
        }
        self.touch(parent);
    }

    /// A new edge counts.
    pub(super) fn start_counting(&mut self, edge: EdgeId) {
        if self.pending.replaying {
            return;
        }
        let (parent, child) = (self.parent_of(edge), self.child_of(edge));
        if self.node(parent).is(Flags::COUNTED) {
            self.node_mut(child).live_parents += 1;
            self.recount(child, AbortReason::AncestorSettled);
        }
        self.touch(child);
    }
}
