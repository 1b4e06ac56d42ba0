//! When to believe that nothing is left to try at a node. Nobody can check that, so one
//! worker's word is not enough.

use super::Core;
use super::effect::Effect;
use super::fact::Fact;
use super::ids::{NodeId, WorkerId};
use super::node::Flags;

impl Core {
    /// Ends the search for moves at a node once enough workers say that there are none. True
    /// if that was now.
    pub(super) fn give_up_if_agreed(&mut self, id: NodeId, effects: &mut Vec<Effect>) -> bool {
        let Some(claims) = self.claims.get(&id) else {
            return false;
        };
        let node = self.graph.node(id);
        if node.flags.has(Flags::GIVEN_UP) || node.numbers.is_solved() {
            return false;
        }
        let enough = claims.len() >= usize::from(self.options.opinions);
        let alone = self.now.since(self.last_company) > self.options.opinion_patience;
        let agreed = enough || alone && !self.another_opinion_can_be_had(id);
        if agreed {
            self.record(Fact::GivenUp { node: id }, effects);
        }
        agreed
    }

    /// Whether a worker has told its opinion of a node.
    pub(super) fn has_told(&self, id: NodeId, worker: WorkerId) -> bool {
        let claims = self.claims.get(&id);
        claims.is_some_and(|claims| claims.contains(&worker))
    }

    /// Whether somebody is connected who has not told.
    pub(super) fn another_opinion_can_be_had(&self, id: NodeId) -> bool {
        let mut here = self.workers.iter().filter(|(_, worker)| worker.is_here());
        here.any(|(&worker, _)| !self.has_told(id, worker))
    }

    /// Leaves a node aside until somebody comes who can tell.
    pub(super) fn park(&mut self, id: NodeId) {
        self.parked.insert(id);
        self.graph.node_mut(id).flags.set(Flags::HELD);
        self.touch(id);
        self.touch_parents(id);
    }

    pub(super) fn unpark_all(&mut self) {
        for id in std::mem::take(&mut self.parked) {
            self.graph.node_mut(id).flags.clear(Flags::HELD);
            self.touch(id);
            self.touch_parents(id);
        }
    }

    /// Gives up nodes for which nobody has come.
    pub(super) fn look_at_parked(&mut self, effects: &mut Vec<Effect>) {
        let parked: Vec<_> = self.parked.iter().copied().collect();
        let mut any = false;
        for id in parked {
            any |= self.give_up_if_agreed(id, effects);
        }
        if any {
            self.unpark_all();
        }
    }
}
