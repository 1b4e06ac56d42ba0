//! The jobs that a worker holds: begun, or ended and not yet accepted. They outlive connections.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::job::{Job, JobResult, LeaseId};
use crate::pool::Pool;

/// All jobs of a worker, by lease.
#[derive(Debug)]
pub(crate) struct JobTable {
    pool: Pool,
    held: BTreeMap<LeaseId, Held>,
    accepted: u64,
}

#[derive(Debug)]
struct Held {
    job: Arc<Job>,
    /// Kept until the coordinator says that it is stored.
    result: Option<JobResult>,
}

impl JobTable {
    pub(crate) fn new(pool: Pool) -> Self {
        Self {
            pool,
            held: BTreeMap::new(),
            accepted: 0,
        }
    }

    pub(crate) fn begin(&mut self, job: Job) {
        let job = Arc::new(job);
        self.pool.run(Arc::clone(&job));
        self.held.insert(job.lease, Held { job, result: None });
    }

    /// Takes in a result, unless the job was cancelled meanwhile.
    pub(crate) fn finish(&mut self, lease: LeaseId, result: JobResult) {
        if let Some(held) = self.held.get_mut(&lease) {
            held.result = Some(result);
        }
    }

    /// The coordinator has its result.
    pub(crate) fn accept(&mut self, lease: LeaseId) {
        if self.held.remove(&lease).is_some() {
            self.accepted += 1;
        }
    }

    /// How many results the coordinator has accepted.
    pub(crate) const fn accepted(&self) -> u64 {
        self.accepted
    }

    /// A job that has ended and is to be delivered.
    pub(crate) fn finished(&self, lease: LeaseId) -> Option<(&Job, &JobResult)> {
        let held = self.held.get(&lease)?;
        Some((&held.job, held.result.as_ref()?))
    }

    pub(crate) fn cancel(&mut self, lease: LeaseId) {
        if let Some(held) = self.held.remove(&lease) {
            held.job.cancel.cancel();
        }
    }

    /// Gives up all jobs that have not ended.
    pub(crate) fn hand_back(&mut self) -> Vec<Arc<Job>> {
        let running = self.held.extract_if(.., |_, held| held.result.is_none());
        let jobs: Vec<_> = running.map(|(_, held)| held.job).collect();
        for job in &jobs {
            job.cancel.cancel();
        }
        jobs
    }

    pub(crate) fn cancel_all(&mut self) {
        for (_, held) in std::mem::take(&mut self.held) {
            held.job.cancel.cancel();
        }
    }

    pub(crate) fn get(&self, lease: LeaseId) -> Option<&Job> {
        self.held.get(&lease).map(|held| &*held.job)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(crate) fn pause(&self, paused: bool) {
        self.pool.pause(paused);
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Job> {
        self.held.values().map(|held| &*held.job)
    }

    pub(crate) fn running(&self) -> impl Iterator<Item = &Job> {
        let running = self.held.values().filter(|held| held.result.is_none());
        running.map(|held| &*held.job)
    }
}

/// The pool waits for its threads, so that they must not search on for nobody.
impl Drop for JobTable {
    fn drop(&mut self) {
        self.cancel_all();
    }
}
