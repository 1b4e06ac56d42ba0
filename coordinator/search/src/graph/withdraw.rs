//! Taking back all that one worker ever said.

use super::{EdgeId, EdgeState, Flags, Graph, NOBODY};
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

    /// Takes back what a worker thought: moves that only it named and that are not proved, and
    /// its word on which replies are open. What was checked stays, and so does what was proved.
    pub(crate) fn distrust(&mut self, worker: WorkerId, opinions: &mut Opinions) {
        if self.pending.replaying {
            self.evaluate_all(|_, _| {});
        }
        for edge in self.edges() {
            let (parent, child) = (self.parent_of(edge), self.child_of(edge));
            let is_opinion = self.edge(edge).by == worker
                && self.edge(edge).state == EdgeState::Live
                && !self.node(parent).numbers.is_proved()
                && !self.node(child).numbers.is_proved();
            if is_opinion {
                self.edge_mut(edge).state = EdgeState::Dead;
                self.ask_anew(parent, opinions);
                self.think_nothing_of(child);
                match self.node(parent).side() {
                    Side::Attacker => self.think_nothing_of(parent),
                    // Whoever looked at the others left this one out.
                    Side::Defender => self.node_mut(parent).flags.remove(Flags::VERIFIED),
                }
            }
        }
        for id in opinions.withdraw(worker) {
            self.node_mut(id).flags.remove(Flags::GIVEN_UP);
        }
        for id in self.ids() {
            let node = self.node_mut(id);
            if node.by == worker && node.is(Flags::VERIFIED) && !node.numbers.is_proved() {
                node.flags.remove(Flags::VERIFIED);
                node.next_serial();
                self.revive_excused(id);
            }
        }
        self.evaluate_all(|_, _| {});
    }

    /// Whatever a worker thought of an attacker's node or of a move, it starts as any other.
    fn think_nothing_of(&mut self, id: NodeId) {
        let numbers = Status::Unclear.numbers_for(self.node(id).side());
        self.node_mut(id).set_job_numbers(numbers);
    }

    fn revive_excused(&mut self, id: NodeId) {
        let is_excused = |edge: &EdgeId| self.edge(*edge).state == EdgeState::Excused;
        let excused: Vec<_> = self.children(id).filter(is_excused).collect();
        for edge in excused {
            self.edge_mut(edge).state = EdgeState::Live;
        }
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
                self.think_nothing_of(parent);
                self.think_nothing_of(child);
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
            self.revive_excused(id);
        }
    }
}
