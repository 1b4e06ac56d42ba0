//! Jobs that operators asked for: they come before all others.
//!
//! A request waits until a worker has room, is given to it whatever the search itself would
//! do next, and is done with when the node gets an answer. Requests are facts, so one that was
//! not answered before a crash is taken up again.
//!
//! A job that is smaller than the node's own next job would be must not count as that job: it
//! may win, refute or name moves, but that it found nothing means nothing.

use super::Core;
use super::effect::{AbortReason, Effect};
use super::fact::{Answer, Child, Fact};
use super::ids::{LeaseId, NodeId, WorkerId};
use super::job::{JobKind, Level};
use super::stats::IgnoreReason;

/// A job that an operator wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub node: NodeId,
    /// Solver nodes that the job may spend.
    pub budget: u64,
}

/// The requests that are not answered yet, oldest first. There are few.
#[derive(Debug, Default)]
pub(super) struct Requests(Vec<Request>);

impl Requests {
    pub(super) fn budget_at(&self, node: NodeId) -> Option<u64> {
        let mut requests = self.0.iter();
        let request = requests.find(|request| request.node == node)?;
        Some(request.budget)
    }

    pub(super) fn insert(&mut self, request: Request) {
        self.remove(request.node);
        self.0.push(request);
    }

    pub(super) fn remove(&mut self, node: NodeId) {
        self.0.retain(|request| request.node != node);
    }
}

impl Core {
    /// The jobs that operators wait for, oldest first.
    pub fn requests(&self) -> impl Iterator<Item = Request> + '_ {
        self.requests.0.iter().copied()
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
        let level = match node.kind() {
            JobKind::Engine => node.level.max(Level(Level::GLANCE.0 + 1)),
            JobKind::Verifier => node.level,
        };
        Some(self.options.budgets.of(node.kind(), level))
    }

    pub(super) fn check_request(&self, id: NodeId, budget: u64) -> Result<(), IgnoreReason> {
        if !self.graph.contains(id) {
            return Err(IgnoreReason::UnknownNode);
        }
        let node = self.graph.node(id);
        if node.numbers.is_solved() {
            Err(IgnoreReason::Solved)
        } else if !node.matters() || budget == 0 {
            Err(IgnoreReason::NothingToSearch)
        } else {
            Ok(())
        }
    }

    /// A smaller job that is running at the node gives way; a larger one answers the request.
    pub(super) fn make_way_for_request(&mut self, request: Request, effects: &mut Vec<Effect>) {
        if let Some(slot) = self.graph.node(request.node).job.get()
            && self.job_budget(slot) < request.budget
        {
            self.drop_job(slot, AbortReason::Ordered, effects);
        }
    }

    /// Takes back a request along with the job that came of it.
    pub(super) fn drop_request(&mut self, id: NodeId, effects: &mut Vec<Effect>) {
        if let Some(slot) = self.graph.node(id).job.get() {
            self.drop_job(slot, AbortReason::Ordered, effects);
        }
    }

    /// Gives requests to workers that have room, even to such that the search has nothing for.
    pub(super) fn serve_requests(&mut self, effects: &mut Vec<Effect>) {
        if self.requests.0.is_empty() {
            return;
        }
        let graph = &self.graph;
        let requests = &mut self.requests.0;
        requests.retain(|request| graph.node(request.node).matters());
        for request in requests.clone() {
            let id = request.node;
            // What was given out before may have changed what matters.
            if !self.graph.node(id).job.is_none() || !self.graph.node(id).matters() {
                continue;
            }
            let with_room = self.workers.iter().find(|(_, worker)| worker.has_room());
            let fastest = self.idle.first().map(|&(_, worker)| worker);
            let Some(worker) = fastest.or(with_room.map(|(id, _)| *id)) else {
                return;
            };
            let Some(search) = self.search_for(id) else {
                continue;
            };
            self.start_job(id, search);
            self.assign(id, worker, effects);
            self.propagate(effects);
        }
    }

    /// The level at which a job searches. An engine's first job at a node is only a glance, and
    /// nobody asks for that.
    pub(super) fn job_level(&self, slot: usize) -> Level {
        let job = self.slots.get(slot);
        let node = self.graph.node(job.node);
        match (job.requested, node.kind()) {
            (Some(_), JobKind::Engine) => node.level.max(Level(Level::GLANCE.0 + 1)),
            _ => node.level,
        }
    }

    /// The solver nodes that a job in flight may spend.
    pub(super) fn job_budget(&self, slot: usize) -> u64 {
        let job = self.slots.get(slot);
        let node = self.graph.node(job.node);
        let usual = self.options.budgets.of(node.kind(), node.level);
        job.requested.unwrap_or(usual)
    }

    /// Whether a job is a request for less than the node's own next job would be.
    fn is_weak(&self, slot: usize) -> bool {
        let node = self.graph.node(self.slots.get(slot).node);
        self.job_budget(slot) < self.options.budgets.of(node.kind(), node.level)
    }

    /// What a job's end teaches: usually its answer. Of a weak request only what it found.
    pub(super) fn facts_of_end(
        &self,
        lease: LeaseId,
        by: WorkerId,
        answer: Answer,
        spent: u64,
    ) -> Vec<Fact> {
        let slot = self.leases[&lease].slot;
        let node = self.slots.get(slot).node;
        let found: Vec<Child> = match answer {
            Answer::Open(children) | Answer::OpenSoFar(children) if self.is_weak(slot) => children,
            Answer::Unknown | Answer::NoMoreMoves if self.is_weak(slot) => Vec::new(),
            answer => {
                return vec![Fact::Answered {
                    node,
                    by,
                    answer,
                    spent,
                }];
            }
        };
        let is_new = |child: &Child| self.graph.child_by_move(node, &child.mv).is_none();
        let found = found.into_iter().filter(is_new);
        let mut facts: Vec<_> = found.map(|child| Fact::Found { node, by, child }).collect();
        facts.push(Fact::RequestEnded { node, by, spent });
        facts
    }
}
