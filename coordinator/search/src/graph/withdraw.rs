//! Taking back all that one worker ever said.

use super::{EdgeState, Flags, Graph, NOBODY};
use crate::ids::{NodeId, WorkerId};
use crate::job::Side;
use crate::numbers::{Policy, Status};
use crate::opinions::Opinions;

impl<P: Policy> Graph<P> {
    /// Takes a worker's results out of the graph, and with them what rested on them.
    ///
    /// Its certificates go although they were checked: who withdraws wants nothing of this
    /// worker. Levels that its failures raised stay raised: they cost budget, not truth.
    pub(crate) fn withdraw(&mut self, worker: WorkerId, opinions: &mut Opinions) {
        if self.pending.replaying {
            self.evaluate_all(|_, _| {});
        }
        let proved = |graph: &Self, id: NodeId| graph.node(id).numbers.is_proved();
        let was_proved: Vec<bool> = self.ids().map(|id| proved(self, id)).collect();
        self.withdraw_edges(worker, opinions);
        for id in opinions.withdraw(worker) {
            self.node_mut(id).flags.remove(Flags::GIVEN_UP);
        }
        self.evaluate_all(|graph, id| graph.withdraw_from(id, worker, &was_proved));
        let unproved = self.ids();
        let unproved = unproved.filter(|&id| was_proved[id.index()] && !proved(self, id));
        self.pending.unproved = unproved.collect();
    }

    /// Brings what is not on record in line with the graph after a withdrawal.
    pub(crate) fn after_withdrawal(&mut self) {
        self.forget_questions();
        self.count_all();
        self.pending.roots_changed = true;
    }

    fn withdraw_edges(&mut self, worker: WorkerId, opinions: &mut Opinions) {
        for edge in self.edges() {
            if self.edge(edge).by != worker || self.edge(edge).state == EdgeState::Dead {
                continue;
            }
            self.edge_mut(edge).state = EdgeState::Dead;
            let (parent, child) = (self.parent_of(edge), self.child_of(edge));
            self.ask_anew(parent, opinions);
            // What the worker thought of the moves is worth nothing either.
            if self.node(parent).side() == Side::Attacker {
                for id in [parent, child] {
                    let numbers = Status::Unclear.numbers_for(self.node(id).side());
                    self.node_mut(id).set_job_numbers(numbers);
                }
            }
        }
    }

    /// A move is gone. Whoever is at the node's job was told of it, and whoever said that
    /// nothing else is left to try may now say: that move.
    fn ask_anew(&mut self, id: NodeId, opinions: &mut Opinions) {
        let node = self.node_mut(id);
        node.next_serial();
        if opinions.forget(id) {
            node.flags.remove(Flags::GIVEN_UP);
        }
    }

    /// Takes back a node's own state as far as it is the worker's word or rests on a reply
    /// that is proved no longer. The node's children are up to date.
    fn withdraw_from(&mut self, id: NodeId, worker: WorkerId, was_proved: &[bool]) {
        let node = self.node_mut(id);
        let mut must_look_again = false;
        if node.by == worker {
            node.by = NOBODY;
            node.next_serial();
            let told = Flags::WON | Flags::REFUTED | Flags::VERIFIED;
            node.flags.remove(told);
            must_look_again = true;
        }
        if self.node(id).side() != Side::Defender {
            return;
        }
        must_look_again |= self.children(id).any(|edge| {
            let child = self.child_of(edge);
            let is_gone =
                self.edge(edge).state == EdgeState::Dead || !self.node(child).numbers.is_proved();
            was_proved[child.index()] && is_gone
        });
        if must_look_again {
            self.node_mut(id).flags.remove(Flags::CLOSED);
            let excused: Vec<_> = self
                .children(id)
                .filter(|&edge| self.edge(edge).state == EdgeState::Excused)
                .collect();
            for edge in excused {
                self.edge_mut(edge).state = EdgeState::Live;
            }
        }
    }
}
