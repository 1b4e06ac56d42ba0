//! When to believe that nothing is left to try at a node.

use super::Core;
use crate::effect::Effect;
use crate::fact::Fact;
use crate::graph::Flags;
use crate::ids::NodeId;
use crate::numbers::Policy;

impl<P: Policy> Core<P> {
    /// Ends the search for moves at a node once enough workers say that there are none, or all
    /// that there are. True if that was now.
    pub(super) fn give_up_if_agreed(&mut self, id: NodeId, effects: &mut Vec<Effect>) -> bool {
        let claims = self.opinions.count(id);
        let node = self.graph.node(id);
        if claims == 0 || node.is(Flags::GIVEN_UP) || node.numbers().is_solved() {
            return false;
        }
        let patience = self.options.opinion_patience;
        let agreed = claims >= usize::from(self.options.opinions)
            || self.roster.is_alone(self.now, patience) && !self.another_can_tell(id);
        if agreed {
            self.record(Fact::GivenUp { node: id }, effects);
        }
        agreed
    }

    /// Whether somebody takes jobs who has not told what he thinks of a node.
    pub(super) fn another_can_tell(&self, id: NodeId) -> bool {
        let mut working = self.roster.working();
        working.any(|worker| !self.opinions.has_told(id, worker))
    }

    /// Leaves a node aside until somebody comes who can tell.
    pub(super) fn park(&mut self, id: NodeId) {
        self.opinions.park(id);
        self.graph.hold(id, true);
    }

    pub(super) fn unpark_all(&mut self) {
        for id in self.opinions.unpark_all() {
            self.graph.hold(id, false);
        }
    }

    /// Gives up nodes for which nobody has come.
    pub(super) fn look_at_parked(&mut self, effects: &mut Vec<Effect>) {
        let mut any = false;
        for id in self.opinions.parked() {
            any |= self.give_up_if_agreed(id, effects);
        }
        if any {
            self.unpark_all();
        }
    }
}
