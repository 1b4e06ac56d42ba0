//! Jobs that operators asked for.
//!
//! A request waits until a worker has room, is given to it whatever the search itself would
//! do next, and is done with when the node gets an answer. Requests are facts, so one that was
//! not answered before a crash is taken up again.

use super::Core;
use crate::effect::{AbortReason, Effect};
use crate::fact::{Fact, StoredResult};
use crate::ids::{LeaseId, NodeId, WorkerId};
use crate::job::{JobResult, Level, Side};
use crate::numbers::Policy;
use crate::requests::Request;
use crate::stats::IgnoreReason;

impl<P: Policy> Core<P> {
    /// The jobs that operators wait for, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = Request> + '_ {
        self.requests.iter()
    }

    /// Whether an operator waits for a job of this node.
    #[must_use]
    pub fn is_requested(&self, id: NodeId) -> bool {
        self.requests.budget_at(id).is_some()
    }

    /// What the search itself would let a job spend at a node, were it more than a glance.
    #[must_use]
    pub fn usual_budget(&self, id: NodeId) -> Option<u64> {
        let node = self.graph.contains(id).then(|| self.graph.node(id))?;
        let level = match node.side() {
            Side::Attacker => node.level().max(Level(Level::GLANCE.0 + 1)),
            Side::Defender => node.level(),
        };
        Some(self.options.budgets.of(node.side().job_kind(), level))
    }

    pub(super) fn check_request(&self, id: NodeId, budget: u64) -> Result<(), IgnoreReason> {
        let node = self.known_node(id)?;
        if node.numbers().is_solved() {
            Err(IgnoreReason::Solved)
        } else if !node.matters() || budget == 0 {
            Err(IgnoreReason::NothingToSearch)
        } else {
            Ok(())
        }
    }

    /// A smaller job that is running at the node gives way; a larger one answers the request.
    pub(super) fn make_way_for_request(&mut self, request: Request, effects: &mut Vec<Effect>) {
        if let Some(job) = self.graph.node(request.node).job()
            && self.jobs.get(job).spec.budget < request.budget
        {
            self.drop_job(job, AbortReason::Ordered, effects);
        }
    }

    /// Takes back a request along with the job that came of it.
    pub(super) fn drop_request(&mut self, id: NodeId, effects: &mut Vec<Effect>) {
        if let Some(job) = self.graph.node(id).job() {
            self.drop_job(job, AbortReason::Ordered, effects);
        }
    }

    /// Gives requests to workers that have room, even to such that the search has nothing for.
    pub(super) fn serve_requests(&mut self, effects: &mut Vec<Effect>) {
        let graph = &self.graph;
        self.requests.retain(|node| graph.node(node).matters());
        let requested: Vec<_> = self.requests().map(|request| request.node).collect();
        for node in requested {
            // What was given out before may have changed what matters.
            if self.graph.node(node).job().is_some() || !self.graph.node(node).matters() {
                continue;
            }
            let Some(worker) = self.roster.with_room() else {
                return;
            };
            let Some(search) = self.search_for(node) else {
                continue;
            };
            let job = self.start_job(node, search);
            self.assign(job, worker, effects);
            self.propagate(effects);
        }
    }

    /// What a job's answer teaches: usually itself. Of a weak request only what it found.
    pub(super) fn facts_of_answer(
        &self,
        lease: LeaseId,
        by: WorkerId,
        answer: StoredResult,
        spent: u64,
    ) -> Vec<Fact> {
        let job = self.jobs.of_lease(lease);
        let node = job.spec.id.node;
        let found = match answer {
            JobResult::Open(children) | JobResult::OpenSoFar(children) if job.is_weak() => children,
            JobResult::Unknown | JobResult::NoMoreMoves if job.is_weak() => Vec::new(),
            answer => {
                return vec![Fact::Answered {
                    node,
                    by,
                    answer,
                    spent,
                }];
            }
        };
        let new = found
            .into_iter()
            .filter(|child| self.graph.child_by_move(node, &child.mv).is_none());
        let mut facts: Vec<_> = new.map(|child| Fact::Found { node, by, child }).collect();
        facts.push(Fact::RequestEnded { node, by, spent });
        facts
    }
}
