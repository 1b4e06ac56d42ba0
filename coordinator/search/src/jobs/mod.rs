//! The jobs that are running, and the leases of those who are at them.

mod durations;
mod ended;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use slab::Slab;
use smallvec::SmallVec;

use durations::Durations;
use ended::Ended;
pub(crate) use ended::LeaseEnd;

use crate::audits::Audit;
use crate::graph::{BrokenInvariant, broken};
use crate::ids::{Epoch, LeaseId, Time, WorkerId};
use crate::job::{JobKind, JobSpec, Level};
use crate::searches::SearchIndex;

/// One worker's attempt at a job.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    pub(crate) worker: WorkerId,
    /// The job's number.
    pub(crate) job: usize,
    pub(crate) started: Time,
    /// When the worker last said something about it.
    heard: Time,
    /// Solver nodes, as far as it has told.
    pub(crate) spent: u64,
    /// It is beyond its deadline, and nobody else can have the job.
    pub(crate) is_late: bool,
}

impl Lease {
    pub(crate) fn silent_for(&self, now: Time) -> Duration {
        now.since(self.heard)
    }
}

/// A job that somebody is working on.
#[derive(Clone, Debug)]
pub(crate) struct RunningJob {
    pub(crate) spec: JobSpec,
    /// The search that asked for it.
    pub(crate) search: SearchIndex,
    pub(crate) level: Level,
    /// How many children the node had.
    pub(crate) children: usize,
    /// An operator asked for it.
    pub(crate) requested: bool,
    /// What the search itself would have let the job spend.
    pub(crate) usual_budget: u64,
    /// It only looks at another worker's answer again.
    pub(crate) audit: Option<Box<Audit>>,
    leases: SmallVec<[LeaseId; 2]>,
}

impl RunningJob {
    pub(crate) fn new(spec: JobSpec, search: SearchIndex, level: Level, children: usize) -> Self {
        Self {
            usual_budget: spec.budget,
            spec,
            search,
            level,
            children,
            requested: false,
            audit: None,
            leases: SmallVec::new(),
        }
    }

    /// A request for less than the node's own next job would be must not count as that job: it
    /// may win, refute or name moves, but that it found nothing means nothing.
    pub(crate) fn is_weak(&self) -> bool {
        self.spec.budget < self.usual_budget
    }

    pub(crate) fn leases(&self) -> &[LeaseId] {
        &self.leases
    }

    /// The job of a worker that looks at another's answer again.
    pub(crate) fn of_audit(audit: Audit) -> Self {
        let mut job = Self::new(audit.spec.clone(), audit.search, audit.level, 0);
        job.audit = Some(Box::new(audit));
        job
    }
}

/// A job is a straggler after so many milliseconds, while nobody has answered any.
const UNKNOWN_STRAGGLER: u64 = 5_000;

/// Every attempt at a job has one lease, and every running job at least one.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    /// By a number that is free again when the job has ended.
    running: Slab<RunningJob>,
    leases: BTreeMap<LeaseId, Lease>,
    ended: Ended,
    epoch: Epoch,
    next_lease: u32,
    durations: Durations,
    /// Those of workers that have nothing better to do.
    spare: BTreeSet<LeaseId>,
}

impl Jobs {
    pub(crate) const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Another life of the coordinator begins: its leases are new.
    pub(crate) fn begin_epoch(&mut self, epoch: Epoch) {
        self.epoch = epoch;
        self.next_lease = 0;
    }

    pub(crate) fn get(&self, job: usize) -> &RunningJob {
        &self.running[job]
    }

    /// All running jobs with their numbers.
    pub(crate) fn running(&self) -> impl Iterator<Item = (usize, &RunningJob)> {
        self.running.iter()
    }

    pub(crate) fn start(&mut self, job: RunningJob) -> usize {
        self.running.insert(job)
    }

    /// A job ends. Its leases must have ended before.
    pub(crate) fn end(&mut self, job: usize) -> RunningJob {
        let job = self.running.remove(job);
        assert!(job.leases.is_empty(), "nobody is at a job that has ended");
        job
    }

    pub(crate) fn lease(&self, id: LeaseId) -> Option<&Lease> {
        self.leases.get(&id)
    }

    pub(crate) fn leases(&self) -> impl ExactSizeIterator<Item = (LeaseId, &Lease)> {
        self.leases.iter().map(|(id, lease)| (*id, lease))
    }

    /// The job of a lease.
    pub(crate) fn of_lease(&self, id: LeaseId) -> &RunningJob {
        &self.running[self.leases[&id].job]
    }

    /// A lease that was never given out before.
    pub(crate) fn new_lease(&mut self) -> LeaseId {
        let lease = LeaseId {
            epoch: self.epoch,
            number: self.next_lease,
        };
        self.next_lease = self
            .next_lease
            .checked_add(1)
            .expect("nobody gives out four thousand million leases between two starts");
        lease
    }

    /// Whether this lease can have been given out, in this life or an earlier one.
    pub(crate) fn was_given_out(&self, id: LeaseId) -> bool {
        id.epoch < self.epoch || id.epoch == self.epoch && id.number < self.next_lease
    }

    /// How a lease ended, as far as we remember.
    pub(crate) fn lease_end(&self, id: LeaseId) -> Option<LeaseEnd> {
        self.ended.get(id)
    }

    /// A worker is at a job from now on.
    pub(crate) fn open_lease(&mut self, id: LeaseId, job: usize, worker: WorkerId, now: Time) {
        let lease = Lease {
            worker,
            job,
            started: now,
            heard: now,
            spent: 0,
            is_late: false,
        };
        self.ended.remove(id);
        self.leases.insert(id, lease);
        self.running[job].leases.push(id);
    }

    pub(crate) fn close_lease(&mut self, id: LeaseId, end: LeaseEnd) -> Lease {
        let lease = self.leases.remove(&id).expect("a lease ends once");
        self.ended.insert(id, end);
        self.spare.remove(&id);
        let job = &mut self.running[lease.job];
        job.leases.retain(|other| *other != id);
        if let [last] = job.leases[..]
            && job.audit.is_none()
        {
            // Nobody else is at it any more.
            self.spare.remove(&last);
        }
        lease
    }

    /// The worker has said something about its job.
    pub(crate) fn hear(&mut self, id: LeaseId, now: Time, spent: u64) {
        if let Some(lease) = self.leases.get_mut(&id) {
            lease.heard = now;
            lease.spent = lease.spent.max(spent);
        }
    }

    /// The worker would do something else if there were anything.
    pub(crate) fn make_spare(&mut self, id: LeaseId) {
        self.spare.insert(id);
    }

    /// A lease whose worker may be given something else: another is at the same job, or nobody
    /// waits for it.
    pub(crate) fn spare(&self) -> Option<LeaseId> {
        self.spare.first().copied()
    }

    pub(crate) fn set_late(&mut self, id: LeaseId) {
        if let Some(lease) = self.leases.get_mut(&id) {
            lease.is_late = true;
        }
    }

    /// Takes in how long a usual job took. What an operator asked for says nothing about others.
    pub(crate) fn measure(&mut self, job: usize, millis: u64, nodes: u64) {
        let job = &self.running[job];
        if !job.requested && job.audit.is_none() {
            let (kind, level) = (job.spec.id.kind, job.level);
            self.durations.add(kind, level, millis, nodes);
        }
    }

    /// What nearly all jobs of a kind and level stay under, in milliseconds at a speed in nodes a
    /// second.
    pub(crate) fn expected(&self, kind: JobKind, level: Level, speed: u64) -> Option<u64> {
        self.durations.expected(kind, level, speed)
    }

    /// Jobs that one worker has had for longer than nearly all jobs take, or than most workers
    /// need for so many nodes, the latest first. Nothing that the worker told counts.
    pub(crate) fn stragglers(&self, now: Time, usual_speed: Option<u64>) -> Vec<(usize, WorkerId)> {
        let late = self.leases.values().filter_map(|lease| {
            let job = &self.running[lease.job];
            if job.leases.len() != 1 || job.audit.is_some() {
                return None;
            }
            let usual = self.durations.straggler_after(job.spec.id.kind, job.level);
            let whole = usual_speed.map_or(UNKNOWN_STRAGGLER, |speed| {
                job.spec.budget.saturating_mul(1_000) / speed
            });
            let limit = usual.unwrap_or(u64::MAX).min(whole);
            let over = (now.since(lease.started).as_millis() as u64).checked_sub(limit)?;
            (over > 0).then_some((std::cmp::Reverse(over), lease.job, lease.worker))
        });
        let mut late: Vec<_> = late.collect();
        late.sort_unstable();
        let late = late.into_iter();
        late.map(|(_, job, worker)| (job, worker)).collect()
    }

    /// Checks that leases and jobs know of each other.
    pub(crate) fn check(&self) -> Result<(), BrokenInvariant> {
        for (id, lease) in &self.leases {
            let job = &self.running[lease.job];
            if job.leases.iter().filter(|other| *other == id).count() != 1 {
                return broken(format!("{id} is not among its job's leases once"));
            }
        }
        let by_job: usize = self.running().map(|(_, job)| job.leases.len()).sum();
        if by_job != self.leases.len() {
            return broken("leases are left over");
        }
        for (_, job) in self.running() {
            let node = job.spec.id.node;
            if job.leases.is_empty() {
                return broken(format!("{node}: a job runs and nobody is at it"));
            }
            let workers = job.leases.iter().map(|lease| self.leases[lease].worker);
            let mut workers: Vec<_> = workers.collect();
            workers.sort_unstable();
            workers.dedup();
            if workers.len() != job.leases.len() {
                return broken(format!("{node}: one worker has the same job twice"));
            }
        }
        Ok(())
    }
}
