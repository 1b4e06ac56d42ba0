//! From facts back to the graph, and from the graph to all that follows from it.

use super::effect::{AbortReason, Effect};
use super::fact::Fact;
use super::ids::{Epoch, NodeId, Time};
use super::job::JobKind;
use super::node::Flags;
use super::options::Options;
use super::{Core, ReplayError};

impl Core {
    /// Builds a core from its facts: the same graph with the same numbers as the core had
    /// that recorded them. Call [`Core::resume`] before the first event.
    pub fn replay(
        options: Options,
        facts: impl IntoIterator<Item = Fact>,
    ) -> Result<Self, ReplayError> {
        let mut core = Self::new(options);
        core.pending.replaying = true;
        for fact in facts {
            core.apply(&fact)?;
        }
        core.pending.replaying = false;
        core.evaluate_all(|_, _| {});
        core.count_all();
        Ok(core)
    }

    /// Starts, or starts again: records a new life, asks again what the shell had not
    /// answered when the last one ended, and tells how the searches stand.
    pub fn resume(&mut self, now: Time, effects: &mut Vec<Effect>) {
        self.now = self.now.max(now);
        let epoch = Epoch(self.epoch.0 + 1);
        self.record(Fact::Started { epoch }, effects);
        self.next_lease = 0;
        self.last_company = self.now;
        self.want_all_settled();
        self.pending.roots_changed = true;
        self.carry_on(effects);
    }

    /// Works out every node, children first. `before` may change a node's own state before it
    /// is worked out.
    pub(super) fn evaluate_all(&mut self, mut before: impl FnMut(&mut Self, NodeId)) {
        for id in self.by_rank().into_iter().rev() {
            before(self, id);
            let new = self.arithmetic.evaluate(&self.graph, id);
            let node = self.graph.node_mut(id);
            node.take(new);
            node.flags.clear(Flags::QUEUED);
        }
        self.pending.forget_queue();
    }

    /// Counts anew which nodes somebody waits for.
    pub(super) fn count_all(&mut self) {
        for id in self.graph.ids() {
            let node = self.graph.node_mut(id);
            node.live_parents = 0;
            node.flags.clear(Flags::COUNTED);
        }
        for id in self.by_rank() {
            if !self.graph.node(id).matters() {
                continue;
            }
            self.graph.node_mut(id).flags.set(Flags::COUNTED);
            let edges = self.graph.live_children(id);
            let children: Vec<_> = edges.map(|edge| self.graph.child_of(edge)).collect();
            for child in children {
                self.graph.node_mut(child).live_parents += 1;
            }
        }
    }

    /// All nodes, those nearest to the roots first.
    fn by_rank(&self) -> Vec<NodeId> {
        let mut starts: Vec<u32> = Vec::new();
        for id in self.graph.ids() {
            let rank = usize::from(self.graph.node(id).rank) + 1;
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
        let mut order = vec![NodeId(0); self.graph.len()];
        for id in self.graph.ids() {
            let start = &mut starts[usize::from(self.graph.node(id).rank)];
            order[*start as usize] = id;
            *start += 1;
        }
        order
    }

    /// Has the shell look at every open defender's node that has a proved reply.
    pub(super) fn want_all_settled(&mut self) {
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            if node.kind() != JobKind::Verifier || node.numbers.is_solved() {
                continue;
            }
            if self.has_proved_reply(id) {
                self.want_settled(id);
            }
        }
    }

    pub(super) fn has_proved_reply(&self, id: NodeId) -> bool {
        self.graph.live_children(id).any(|edge| {
            let child = self.graph.node(self.graph.child_of(edge));
            child.numbers.is_proved()
        })
    }

    /// Drops jobs that nobody waits for any more, or that ask what is no longer the question.
    pub(super) fn drop_unwanted_jobs(&mut self, reason: AbortReason, effects: &mut Vec<Effect>) {
        for slot in self.slots.taken() {
            let job = self.slots.get(slot);
            let node = self.graph.node(job.node);
            if !node.matters() || node.serial != job.serial {
                self.drop_job(slot, reason, effects);
            }
        }
    }
}
