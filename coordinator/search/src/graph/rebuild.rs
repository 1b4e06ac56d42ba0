//! Everything worked out anew from what is on record.

use super::{Flags, Graph};
use crate::ids::NodeId;
use crate::numbers::Policy;

impl<P: Policy> Graph<P> {
    /// Facts are about to be replayed. Nothing is worked out before [`Graph::rebuild`].
    pub(crate) fn begin_replay(&mut self) {
        self.pending.replaying = true;
    }

    /// All facts are in.
    pub(crate) fn rebuild(&mut self) {
        self.pending.replaying = false;
        self.evaluate_all(|_, _| {});
        self.count_all();
        self.pending.roots_changed = true;
    }

    /// Works out every node, children first. `before` may change a node's own state before it
    /// is worked out.
    pub(super) fn evaluate_all(&mut self, mut before: impl FnMut(&mut Self, NodeId)) {
        for id in self.by_rank().into_iter().rev() {
            before(self, id);
            let new = self.arithmetic.evaluate(self, id);
            let node = self.node_mut(id);
            node.take(new);
            node.flags.remove(Flags::QUEUED);
        }
        self.pending.forget_queue();
    }

    /// Counts anew which nodes somebody waits for.
    pub(super) fn count_all(&mut self) {
        for node in &mut self.nodes {
            node.live_parents = 0;
            node.flags.remove(Flags::COUNTED);
        }
        for id in self.by_rank() {
            if !self.node(id).matters() {
                continue;
            }
            self.node_mut(id).flags.insert(Flags::COUNTED);
            let edges = self.live_children(id);
            let children: Vec<_> = edges.map(|edge| self.child_of(edge)).collect();
            for child in children {
                self.node_mut(child).live_parents += 1;
            }
        }
    }

    /// All nodes, those nearest to the roots first.
    fn by_rank(&self) -> Vec<NodeId> {
        let mut starts: Vec<u32> = Vec::new();
        for node in &self.nodes {
            let rank = usize::from(node.rank) + 1;
            if starts.len() <= rank {
                starts.resize(rank + 1, 0);
            }
            starts[rank] += 1;
        }
        let mut next = 0;
        for start in &mut starts {
            next += *start;
            *start = next;
        }
        let mut order = vec![NodeId(0); self.len()];
        for id in self.ids() {
            let start = &mut starts[usize::from(self.node(id).rank)];
            order[*start as usize] = id;
            *start += 1;
        }
        order
    }
}
