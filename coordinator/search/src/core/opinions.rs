//! When to believe that nothing is left to try at a node.

use super::Core;
use crate::effect::Effect;
use crate::fact::Fact;
use crate::graph::Flags;
use crate::ids::NodeId;
use crate::numbers::Policy;

/// However many work, so many opinions are enough.
const MOST_OPINIONS: usize = 3;

impl<P: Policy> Core<P> {
    /// Ends the search for moves at a node once enough workers say that there are none, or all
    /// that there are. True if that was now.
    pub(super) fn give_up_if_agreed(&mut self, id: NodeId, effects: &mut Vec<Effect>) -> bool {
        let claims = self.opinions.count(id);
        let node = self.graph.node(id);
        if claims == 0 || node.is(Flags::GIVEN_UP) || node.numbers().is_solved() {
            return false;
        }
        let agreed = self.is_agreed(id);
        if agreed {
            self.record(Fact::GivenUp { node: id }, effects);
        }
        agreed
    }

    /// Whether enough workers say that nothing is left to try at a node: three, or most of those
    /// who work if two of them have brought wins, which nobody can make up. Where there are no
    /// such, others must have had time to come. Those who never tell are not waited for.
    fn is_agreed(&self, id: NodeId) -> bool {
        let claimants = self.opinions.claimants(id);
        let wanted = usize::from(self.options.opinions);
        if wanted <= 1 {
            return true;
        }
        let patience = self.options.opinion_patience;
        if self.roster.is_alone(self.now, patience) && !self.another_can_tell(id) {
            return true;
        }
        let most = (self.roster.working_count() / 2 + 1).min(MOST_OPINIONS);
        if claimants.len() < wanted.max(most) {
            return false;
        }
        let proven = claimants.iter().filter(|by| self.standings.has_won(**by));
        claimants.len() >= MOST_OPINIONS
            || proven.count() >= wanted
            || self.roster.has_waited(self.now, patience)
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
