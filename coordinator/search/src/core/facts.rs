//! Facts: recorded as they come, and replayed after a restart.

use super::Core;
use crate::effect::Effect;
use crate::event::{Departure, Order};
use crate::fact::{Child, Fact};
use crate::graph::{Claim, ReplayError};
use crate::ids::{Epoch, SearchId, Time, WorkerId};
use crate::job::JobResult;
use crate::key::NodeKey;
use crate::numbers::{Detour, Policy};
use crate::options::Options;
use crate::requests::Request;
use crate::searches::SearchIndex;
use crate::standings::QuarantineReason;

impl Core {
    /// Builds a core from its facts: the same graph with the same numbers as the core had
    /// that recorded them. Call [`Core::resume`] before the first event.
    pub fn replay(
        options: Options,
        facts: impl IntoIterator<Item = Fact>,
    ) -> Result<Self, ReplayError> {
        Self::replay_with_policy(options, Detour, facts)
    }
}

impl<P: Policy> Core<P> {
    /// As [`Core::replay`], with another policy.
    pub fn replay_with_policy(
        options: Options,
        policy: P,
        facts: impl IntoIterator<Item = Fact>,
    ) -> Result<Self, ReplayError> {
        let mut core = Self::with_policy(options, policy);
        core.graph.begin_replay();
        for fact in facts {
            core.apply(&fact)?;
        }
        core.graph.rebuild();
        Ok(core)
    }

    /// Starts, or starts again: records a new life, asks again what the shell had not
    /// answered when the last one ended, and tells how the searches stand.
    pub fn resume(&mut self, now: Time, effects: &mut Vec<Effect>) {
        self.now = self.now.max(now);
        let epoch = Epoch(self.jobs.epoch().0 + 1);
        self.record(Fact::Started { epoch }, effects);
        self.roster.resume(self.now);
        self.graph.want_all_settled();
        self.carry_on(effects);
    }

    /// Has a fact stored and lets it take effect. The fact must come from a checked event.
    pub(super) fn record(&mut self, fact: Fact, effects: &mut Vec<Effect>) {
        self.apply(&fact).expect("the event was checked");
        effects.push(Effect::Record(fact));
    }

    fn apply(&mut self, fact: &Fact) -> Result<(), ReplayError> {
        match fact {
            Fact::Started { epoch } => self.jobs.begin_epoch(*epoch),
            Fact::Ordered { order, child } => self.apply_order(order, child.as_ref())?,
            Fact::Answered {
                node, by, answer, ..
            } => {
                self.requests.remove(*node);
                self.roster.remember(*by);
                let has_won = matches!(answer, JobResult::Won);
                self.standings.answered(*by, has_won);
                if self.graph.answer(*node, *by, answer)? == Claim::NothingLeft {
                    self.opinions.claim(*node, *by);
                }
            }
            Fact::Found { node, by, child } => self.graph.find_reply(*node, *by, child)?,
            Fact::Settled {
                node,
                excused,
                needed,
                next,
            } => self.graph.settle(*node, excused, needed, *next)?,
            Fact::GivenUp { node } => self.graph.give_up(*node)?,
            Fact::Banned { worker } => self.roster.depart(*worker, Departure::Banned, self.now),
            Fact::RequestEnded { node, .. } => {
                self.graph.check_node(*node)?;
                self.requests.remove(*node);
            }
            Fact::Marked { worker, mark } => self.standings.mark(*worker, *mark),
            Fact::Quarantined { worker, reason } => self.put_aside(*worker, *reason),
        }
        Ok(())
    }

    /// A worker gets no jobs any more.
    fn put_aside(&mut self, worker: WorkerId, reason: QuarantineReason) {
        self.standings.quarantine(worker, reason);
        self.roster.set_quarantined(worker, true);
        if reason.takes_back_opinions() {
            self.graph.distrust(worker, &mut self.opinions);
        }
    }

    fn apply_order(&mut self, order: &Order, child: Option<&Child>) -> Result<(), ReplayError> {
        match order {
            Order::Start {
                search,
                root,
                attacker,
                share,
            } => {
                let (key, canonical, symmetry) = NodeKey::of(root, *attacker);
                let root = self.graph.add_root(key, canonical, *attacker);
                self.searches.start(*search, root, symmetry, *share);
            }
            Order::Stop { search } => {
                let index = self.known_search(*search)?;
                self.searches.stop(index);
                let root = self.searches.get(index).root;
                if self.searches.starting_at(root).is_none() {
                    self.graph.drop_root(root);
                }
            }
            Order::Share { search, share } => {
                let index = self.known_search(*search)?;
                self.searches.set_share(index, *share);
            }
            Order::Try { node, .. } => {
                let child = child.ok_or(ReplayError::WrongMove(*node))?;
                self.graph.try_move(*node, child)?;
            }
            Order::Reply { node, .. } => {
                let child = child.ok_or(ReplayError::WrongMove(*node))?;
                self.graph.try_reply(*node, child)?;
            }
            Order::Forget { node } => self.graph.set_forgotten(*node, true)?,
            Order::Remember { node } => self.graph.set_forgotten(*node, false)?,
            Order::Pause { node } => self.graph.set_paused(*node, true)?,
            Order::Resume { node } => self.graph.set_paused(*node, false)?,
            Order::Withdraw { worker } => self.graph.withdraw(*worker, &mut self.opinions),
            Order::Run { node, budget } => {
                self.graph.check_node(*node)?;
                let (node, budget) = (*node, *budget);
                self.requests.insert(Request { node, budget });
            }
            Order::CancelRun { node } => self.requests.remove(*node),
            Order::Quarantine { worker } => self.put_aside(*worker, QuarantineReason::Ordered),
            Order::Release { worker } => {
                self.standings.release(*worker);
                self.roster.set_quarantined(*worker, false);
            }
        }
        Ok(())
    }

    fn known_search(&self, search: SearchId) -> Result<SearchIndex, ReplayError> {
        self.searches
            .index(search)
            .ok_or(ReplayError::UnknownSearch(search))
    }
}
