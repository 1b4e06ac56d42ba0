//! Jobs begin and end, and leases with them.

use super::Core;
use crate::effect::{AbortReason, Effect};
use crate::ids::{LeaseId, NodeId, WorkerId};
use crate::jobs::{Lease, LeaseEnd};
use crate::numbers::Policy;
use crate::searches::SearchIndex;
use crate::stats::Effort;

impl<P: Policy> Core<P> {
    /// A node's job begins for a search. Returns the job's number.
    pub(super) fn start_job(&mut self, node: NodeId, search: SearchIndex) -> usize {
        let job = self.next_job(node, search);
        self.searches.begin_job(search, job.spec.budget);
        let job = self.jobs.start(job);
        self.graph.start_job(node, job);
        job
    }

    /// Gives a running job to a worker.
    pub(super) fn assign(
        &mut self,
        job: usize,
        worker: WorkerId,
        effects: &mut Vec<Effect>,
    ) -> LeaseId {
        let lease = self.jobs.new_lease();
        self.start_lease(lease, job, worker);
        self.stats.leases += 1;
        let running = self.jobs.get(job);
        let spec = &running.spec;
        let attempt = match running.audit {
            // As any other job.
            Some(_) => 1,
            None => u16::from(self.graph.node(spec.id.node).attempts()),
        };
        effects.push(Effect::Assign {
            worker,
            generation: self.roster[worker].generation(),
            lease,
            attempt,
            job: Box::new(spec.clone()),
        });
        lease
    }

    pub(super) fn start_lease(&mut self, id: LeaseId, job: usize, worker: WorkerId) {
        self.jobs.open_lease(id, job, worker, self.now);
        self.roster.add_lease(worker, id);
        let job = self.jobs.get(job);
        if job.audit.is_none() {
            self.graph.count_attempt(job.spec.id.node);
        }
    }

    pub(super) fn end_lease(&mut self, id: LeaseId, end: LeaseEnd) -> Lease {
        let lease = self.jobs.close_lease(id, end);
        self.roster.remove_lease(lease.worker, id);
        lease
    }

    /// A job comes back without an answer, and its worker is to blame.
    pub(super) fn fail_lease(&mut self, id: LeaseId, effects: &mut Vec<Effect>) {
        if let Some(lease) = self.jobs.lease(id) {
            self.roster.fail(lease.worker, self.now);
            self.lose_lease(id, effects);
        }
    }

    /// A worker that has nothing better to do is given something better.
    pub(super) fn take_spare(&mut self, effects: &mut Vec<Effect>) -> Option<WorkerId> {
        let id = self.jobs.spare()?;
        let lease = self.jobs.lease(id)?;
        let (job, worker) = (lease.job, lease.worker);
        self.cut_lease(id, AbortReason::Duplicate, effects);
        if self.jobs.get(job).leases().is_empty() {
            self.end_job(job);
        }
        Some(worker)
    }

    /// A worker gives a job back, willing or not; others may have it.
    pub(super) fn lose_lease(&mut self, id: LeaseId, effects: &mut Vec<Effect>) {
        let Some(lease) = self.jobs.lease(id) else {
            return;
        };
        let job = lease.job;
        self.cut_lease(id, AbortReason::WorkerLost, effects);
        if self.jobs.get(job).leases().is_empty() {
            self.end_job(job);
        }
    }

    pub(super) fn lose_leases_of(&mut self, worker: WorkerId, effects: &mut Vec<Effect>) {
        let leases = self
            .roster
            .get(worker)
            .map(|worker| worker.leases().to_vec());
        for lease in leases.unwrap_or_default() {
            self.lose_lease(lease, effects);
        }
    }

    /// Ends a lease whose answer nobody wants, and tells the worker if it is there.
    fn cut_lease(&mut self, id: LeaseId, reason: AbortReason, effects: &mut Vec<Effect>) {
        let search = self.jobs.of_lease(id).search;
        let lease = self.end_lease(id, LeaseEnd::Dropped);
        let (nodes, time) = (lease.spent, self.now.since(lease.started));
        self.searches.spend(search, Effort { nodes, jobs: 0 });
        self.stats.waste(reason, time, nodes);
        if let Some(generation) = self.roster.connection(lease.worker) {
            effects.push(Effect::Abort {
                worker: lease.worker,
                generation,
                lease: id,
                reason,
            });
        }
    }

    /// Takes a job off everybody who is at it.
    pub(super) fn drop_job(&mut self, job: usize, reason: AbortReason, effects: &mut Vec<Effect>) {
        for lease in self.jobs.get(job).leases().to_vec() {
            self.cut_lease(lease, reason, effects);
        }
        self.end_job(job);
    }

    /// Nobody is at a job any more.
    pub(super) fn end_job(&mut self, job: usize) {
        let job = self.jobs.end(job);
        self.searches.end_job(job.search, job.spec.budget);
        match job.audit {
            Some(audit) => self.audits.put_back(*audit),
            None => self.graph.end_job(job.spec.id.node),
        }
    }
}
