//! Workers come and go.

use std::time::Duration;

use super::Core;
use crate::effect::{AbortReason, Effect};
use crate::event::{Departure, HeldJob, Hello};
use crate::fact::Fact;
use crate::ids::{Generation, LeaseId, WorkerId};
use crate::job::JobId;
use crate::jobs::LeaseEnd;
use crate::numbers::Policy;
use crate::roster::Presence;
use crate::standings::Mark;
use crate::stats::IgnoreReason;

/// A worker that tells of so many times a job's nodes does something else.
const MOST_TIMES_BUDGET: u64 = 4;

/// The deadline of a job doubles so often at most.
const MOST_DOUBLINGS: u32 = 12;

/// How long a job of so many nodes may take at a speed in nodes a second, with much to spare.
fn deadline(budget: u64, speed: u64) -> Duration {
    const LEAST: Duration = Duration::from_secs(60);
    const SPARE: u64 = 2;
    let whole = budget.saturating_mul(1_000) / speed.max(1);
    LEAST.saturating_add(Duration::from_millis(whole.saturating_mul(SPARE)))
}

impl<P: Policy> Core<P> {
    pub(super) fn hello(
        &mut self,
        hello: &Hello,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        self.roster.hello(hello)?;
        self.roster.note_company(self.now);
        let (worker, generation) = (hello.worker, hello.generation);
        let is_held = |lease: LeaseId| hello.running.iter().any(|held| held.lease == lease);
        for lease in self.roster[worker].leases().to_vec() {
            if !is_held(lease) {
                self.fail_lease(lease, effects);
            }
        }
        for &HeldJob { lease, job } in &hello.running {
            effects.push(match self.adopt(worker, lease, job) {
                Ok(()) => Effect::Keep {
                    worker,
                    generation,
                    lease,
                },
                Err(reason) => Effect::Abort {
                    worker,
                    generation,
                    lease,
                    reason,
                },
            });
        }
        self.unpark_all();
        Ok(())
    }

    /// Decides on a job that a worker brings along.
    fn adopt(&mut self, worker: WorkerId, id: LeaseId, job: JobId) -> Result<(), AbortReason> {
        if let Some(lease) = self.jobs.lease(id) {
            if lease.worker != worker || self.jobs.of_lease(id).spec.id.node != job.node {
                return Err(AbortReason::Duplicate);
            }
            self.jobs.hear(id, self.now, 0);
            return Ok(());
        }
        if self.standings.is_quarantined(worker) {
            return Err(AbortReason::WorkerLost);
        }
        if !self.graph.contains(job.node) {
            return Err(AbortReason::NothingNew);
        }
        let node = self.graph.node(job.node);
        if node.key() != job.key || node.side().job_kind() != job.kind {
            return Err(AbortReason::NothingNew);
        }
        if !node.matters() {
            return Err(AbortReason::AncestorSettled);
        }
        let is_asked = node.is_incomplete() || self.is_requested(job.node);
        if node.serial() != job.serial || node.job().is_some() || !is_asked {
            return Err(AbortReason::Duplicate);
        }
        if !self.jobs.was_given_out(id) || self.jobs.lease_end(id) == Some(LeaseEnd::Answered) {
            return Err(AbortReason::NothingNew);
        }
        let search = self.search_for(job.node).ok_or(AbortReason::Ordered)?;
        self.stats.adopted += 1;
        let running = self.start_job(job.node, search);
        self.start_lease(id, running, worker);
        Ok(())
    }

    pub(super) fn departed(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        how: Departure,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        self.roster.check_departure(worker, generation, how)?;
        match how {
            Departure::Lost => self.roster.depart(worker, how, self.now),
            Departure::Goodbye => {
                self.roster.depart(worker, how, self.now);
                self.lose_leases_of(worker, effects);
            }
            Departure::Banned => {
                self.lose_leases_of(worker, effects);
                self.record(Fact::Banned { worker }, effects);
            }
        }
        Ok(())
    }

    /// Gives back the jobs of workers that stay away or say nothing.
    pub(super) fn expire(&mut self, effects: &mut Vec<Effect>) {
        let expired =
            self.jobs
                .leases()
                .filter(|(_, lease)| match self.roster[lease.worker].presence() {
                    Presence::Connected => lease.silent_for(self.now) > self.options.silence,
                    Presence::LostSince(since) => self.now.since(since) > self.options.grace,
                    Presence::Left | Presence::Banned => true,
                });
        let expired: Vec<_> = expired.map(|(id, _)| id).collect();
        for lease in expired {
            self.fail_lease(lease, effects);
        }
        self.expire_late(effects);
    }

    /// Gives back jobs that are beyond their deadline, whatever their workers tell of them. Who
    /// works alone may go on: there is nobody else.
    fn expire_late(&mut self, effects: &mut Vec<Effect>) {
        let late = self.jobs.leases().filter(|(_, lease)| {
            let job = self.jobs.get(lease.job);
            let budget = job.spec.budget;
            // Machines may be slower than they were: each attempt has twice the time of the one
            // before, or a job could go round for ever.
            let attempts = match job.audit {
                Some(_) => 1,
                None => u32::from(self.graph.node(job.spec.id.node).attempts()),
            };
            let doublings = attempts.saturating_sub(1).min(MOST_DOUBLINGS);
            let deadline = deadline(budget, self.roster.least_speed(lease.worker));
            let deadline = deadline.saturating_mul(1 << doublings);
            let beyond = lease.spent > budget.saturating_mul(MOST_TIMES_BUDGET);
            !lease.is_late && (beyond || self.now.since(lease.started) > deadline)
        });
        let late: Vec<_> = late.map(|(id, lease)| (id, lease.worker)).collect();
        for (lease, worker) in late {
            if self.jobs.lease(lease).is_none() {
                continue;
            }
            let others = self.roster.working().any(|other| other != worker);
            if others {
                self.mark(worker, Mark::Late, effects);
                self.fail_lease(lease, effects);
            } else {
                self.jobs.set_late(lease);
            }
        }
    }
}
