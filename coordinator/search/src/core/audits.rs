//! Who looks at whose answers again, and what follows from it.

use super::Core;
use crate::audits::{Audit, Finding};
use crate::effect::{AbortReason, Effect};
use crate::event::Sender;
use crate::fact::Fact;
use crate::ids::{LeaseId, WorkerId};
use crate::job::JobResult;
use crate::jobs::{LeaseEnd, RunningJob};
use crate::numbers::Policy;
use crate::options::AuditRate;
use crate::standings::Mark;
use crate::stats::{Effort, IgnoreReason};

impl<P: Policy> Core<P> {
    /// An answer that is to be looked at again. Wins and endings are checked anyhow.
    pub(super) fn audit_of(&mut self, from: Sender, result: &JobResult) -> Option<Audit> {
        let is_checked = matches!(result, JobResult::Won | JobResult::Refuted);
        let nobody_can = self.options.audits == AuditRate::Never || self.roster.working_count() < 2;
        if is_checked || nobody_can || self.jobs.of_lease(from.lease).requested {
            return None;
        }
        let record = self.standings.since_release(from.worker);
        if !self.audits.wants(from.worker, &record, from.lease) {
            return None;
        }
        let job = self.jobs.of_lease(from.lease);
        let (spec, told) = (job.spec.clone(), result.clone());
        Some(Audit::new(spec, job.search, job.level, from.worker, told))
    }

    /// Gives out audits that no other work comes before.
    pub(super) fn audit_at_once(&mut self, effects: &mut Vec<Effect>) {
        self.give_out_audits(true, effects);
    }

    /// Gives out audits to workers that have nothing else to do.
    pub(super) fn audit_with_spare_time(&mut self, effects: &mut Vec<Effect>) {
        self.give_out_audits(false, effects);
    }

    fn give_out_audits(&mut self, at_once: bool, effects: &mut Vec<Effect>) {
        let none = if at_once {
            !self.audits.any_due()
        } else {
            self.audits.waiting().len() == 0
        };
        if none || self.roster.first_idle().is_none() {
            return;
        }
        let graph = &self.graph;
        self.audits
            .retain(|audit| graph.node(audit.spec.id.node).matters());
        while let Some((index, worker)) = self.next_audit(at_once) {
            let audit = self.audits.take(index, at_once);
            let job = RunningJob::of_audit(audit);
            self.searches.begin_job(job.search, job.spec.budget);
            let job = self.jobs.start(job);
            let lease = self.assign(job, worker, effects);
            if !at_once {
                self.jobs.make_spare(lease);
            }
        }
    }

    /// The audit that matters most, and an idle worker that can do it. Disputes come first,
    /// then workers of whom least is known.
    fn next_audit(&self, at_once: bool) -> Option<(usize, WorkerId)> {
        let audits = self.audits.waiting().enumerate();
        let due = audits.filter(|(_, audit)| !at_once || self.audits.is_due(audit));
        let possible = due.filter_map(|(index, audit)| {
            let mut idle = self.roster.idle();
            let worker = idle.find(|worker| !audit.has_told(*worker))?;
            let known = self.standings.of(audit.first()).confirmed;
            Some(((!audit.is_disputed(), known, index), worker))
        });
        let first = possible.min_by_key(|(order, _)| *order);
        first.map(|((_, _, index), worker)| (index, worker))
    }

    /// A worker answers a job that another had answered.
    pub(super) fn audited(
        &mut self,
        from: Sender,
        result: &JobResult,
        spent: u64,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        self.read_answer(self.jobs.of_lease(from.lease), result, spent)
            .map(|_| ())
            .or_else(|reason| match reason {
                // The first answer may have named it meanwhile.
                IgnoreReason::KnownMove => Ok(()),
                reason => Err(reason),
            })?;
        let mut audit = self.end_audit(from.lease, spent);
        let node = audit.spec.id.node;
        if matches!(result, JobResult::Won) && !self.graph.node(node).numbers().is_proved() {
            let (by, answer) = (from.worker, JobResult::Won);
            self.record(
                Fact::Answered {
                    node,
                    by,
                    answer,
                    spent,
                },
                effects,
            );
        }
        match audit.tell(from.worker, result.clone()) {
            Finding::Disputed => self.audits.put_back(audit),
            Finding::Undecided => self.audits.close(&audit),
            Finding::Decided {
                confirmed,
                contradicted,
            } => {
                self.audits.close(&audit);
                for worker in confirmed {
                    self.mark(worker, Mark::Confirmed, effects);
                }
                for worker in contradicted {
                    self.mark(worker, Mark::Contradicted, effects);
                    self.judge(worker, effects);
                }
            }
        }
        Ok(())
    }

    /// An audit's job has its answer.
    fn end_audit(&mut self, id: LeaseId, spent: u64) -> Audit {
        let lease = self.end_lease(id, LeaseEnd::Answered);
        let time = self.now.since(lease.started);
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.roster.measure(lease.worker, spent, millis);
        let job = self.jobs.end(lease.job);
        self.searches.end_job(job.search, job.spec.budget);
        let (nodes, jobs) = (spent, 0);
        self.searches.spend(job.search, Effort { nodes, jobs });
        self.stats.waste(AbortReason::Duplicate, time, spent);
        *job.audit.expect("only audits are ended like this")
    }
}
