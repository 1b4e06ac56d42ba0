//! Taking back all that one worker ever said.

use super::Core;
use super::effect::{AbortReason, Effect};
use super::ids::{NodeId, SettlementId, WorkerId};
use super::job::JobKind;
use super::node::{EdgeState, Flags, NOBODY};
use super::numbers::Status;

impl Core {
    /// Takes a worker's results out of the graph, and with them what rested on them.
    ///
    /// Its certificates go although they were checked: who withdraws wants nothing of this
    /// worker. Levels that its failures raised stay raised: they cost budget, not truth.
    pub(super) fn withdraw(&mut self, worker: WorkerId) {
        if self.pending.replaying {
            self.evaluate_all(|_, _| {});
        }
        let was_proved: Vec<bool> = self
            .graph
            .ids()
            .map(|id| self.graph.node(id).numbers.is_proved())
            .collect();
        self.withdraw_edges(worker);
        self.withdraw_claims(worker);
        self.evaluate_all(|core, id| {
            core.withdraw_from(id, worker, &was_proved);
        });
        self.unproved = self
            .graph
            .ids()
            .filter(|&id| was_proved[id.index()] && !self.graph.node(id).numbers.is_proved())
            .collect();
    }

    fn withdraw_edges(&mut self, worker: WorkerId) {
        for edge in self.graph.edges() {
            if self.graph.edge(edge).by != worker || self.graph.edge(edge).state == EdgeState::Dead
            {
                continue;
            }
            self.graph.edge_mut(edge).state = EdgeState::Dead;
            let (parent, child) = (self.graph.parent_of(edge), self.graph.child_of(edge));
            self.ask_anew(parent);
            // What the worker thought of the moves is worth nothing either.
            if self.graph.node(parent).kind() == JobKind::Engine {
                for id in [parent, child] {
                    let numbers = Status::Unclear.numbers_for(self.graph.node(id).kind());
                    self.graph.node_mut(id).set_job_numbers(numbers);
                }
            }
        }
    }

    /// A move is gone. Whoever is at the node's job was told of it, and whoever said that
    /// nothing else is left to try may now say: that move.
    fn ask_anew(&mut self, id: NodeId) {
        let node = self.graph.node_mut(id);
        node.serial = node.serial.saturating_add(1);
        if self.claims.remove(&id).is_some() {
            node.flags.clear(Flags::GIVEN_UP);
        }
    }

    fn withdraw_claims(&mut self, worker: WorkerId) {
        let graph = &mut self.graph;
        self.claims.retain(|&id, claims| {
            if claims.contains(&worker) {
                claims.retain(|by| *by != worker);
                graph.node_mut(id).flags.clear(Flags::GIVEN_UP);
            }
            !claims.is_empty()
        });
    }

    /// Takes back a node's own state as far as it is the worker's word or rests on a reply
    /// that is proved no longer. The node's children are up to date.
    fn withdraw_from(&mut self, id: NodeId, worker: WorkerId, was_proved: &[bool]) {
        let node = self.graph.node_mut(id);
        let mut must_look_again = false;
        if node.by == worker {
            node.by = NOBODY;
            node.serial = node.serial.saturating_add(1);
            for flag in [Flags::WON, Flags::REFUTED, Flags::VERIFIED] {
                node.flags.clear(flag);
            }
            must_look_again = true;
        }
        if self.graph.node(id).kind() != JobKind::Verifier {
            return;
        }
        must_look_again |= self.graph.children(id).any(|edge| {
            let child = self.graph.child_of(edge);
            let is_gone = self.graph.edge(edge).state == EdgeState::Dead
                || !self.graph.node(child).numbers.is_proved();
            was_proved[child.index()] && is_gone
        });
        if must_look_again {
            self.graph.node_mut(id).flags.clear(Flags::CLOSED);
            let excused: Vec<_> = self
                .graph
                .children(id)
                .filter(|&edge| self.graph.edge(edge).state == EdgeState::Excused)
                .collect();
            for edge in excused {
                self.graph.edge_mut(edge).state = EdgeState::Live;
            }
        }
    }

    /// Brings everything that is not on record in line with the graph after a withdrawal.
    pub(super) fn after_withdrawal(&mut self, effects: &mut Vec<Effect>) {
        self.round = SettlementId(self.round.0 + 1);
        for id in self.graph.ids() {
            let flags = &mut self.graph.node_mut(id).flags;
            flags.clear(Flags::SETTLING);
            flags.clear(Flags::SETTLE_AGAIN);
        }
        self.unpark_all();
        self.count_all();
        let nodes = std::mem::take(&mut self.unproved);
        if !nodes.is_empty() {
            effects.push(Effect::Unproved { nodes });
        }
        self.drop_unwanted_jobs(AbortReason::Withdrawn, effects);
        self.want_all_settled();
    }
}
