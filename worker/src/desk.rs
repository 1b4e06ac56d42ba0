//! The jobs that a worker holds: begun, or done and not yet accepted. They outlive connections.

use std::collections::BTreeMap;
use std::sync::Arc;

use gridproof_proto::v1;
use prost::Message;

use crate::job::Job;
use crate::pool::{Pool, broken};

/// All jobs of a worker, by lease.
#[derive(Debug)]
pub(crate) struct Desk {
    pool: Pool,
    held: BTreeMap<u64, Held>,
    pub(crate) finished: u64,
}

#[derive(Debug)]
struct Held {
    job: Arc<Job>,
    /// Kept until the coordinator says that it is stored.
    done: Option<v1::Done>,
}

impl Desk {
    pub(crate) fn new(pool: Pool) -> Self {
        Self {
            pool,
            held: BTreeMap::new(),
            finished: 0,
        }
    }

    /// Begins a job. Its answer, at once, if it cannot be.
    pub(crate) fn begin(&mut self, push: &v1::Push) -> Option<v1::Done> {
        let lease = push.lease;
        match Job::read(push) {
            Ok(job) => {
                let job = Arc::new(job);
                self.pool.run(Arc::clone(&job));
                self.held.insert(lease, Held { job, done: None });
                None
            }
            Err(error) => Some(v1::Done {
                lease,
                spent: 0,
                outcome: Some(broken(error.to_string())),
            }),
        }
    }

    /// Takes in an answer; `None` if the job was dropped meanwhile.
    pub(crate) fn finish(&mut self, done: v1::Done, limit: usize) -> Option<v1::Done> {
        let held = self.held.get_mut(&done.lease)?;
        let done = within(limit, done);
        held.done = Some(done.clone());
        Some(done)
    }

    /// The coordinator has it.
    pub(crate) fn accepted(&mut self, lease: u64) {
        if self.held.remove(&lease).is_some() {
            self.finished += 1;
        }
    }

    /// An answer to a job that is to be kept, if there is one yet.
    pub(crate) fn answer(&self, lease: u64) -> Option<v1::Done> {
        self.held.get(&lease)?.done.clone()
    }

    pub(crate) fn drop_job(&mut self, lease: u64) {
        if let Some(held) = self.held.remove(&lease) {
            held.job.cancel.cancel();
        }
    }

    pub(crate) fn drop_all(&mut self) {
        for (_, held) in std::mem::take(&mut self.held) {
            held.job.cancel.cancel();
        }
    }

    pub(crate) fn holds(&self, lease: u64) -> bool {
        self.held.contains_key(&lease)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    pub(crate) fn pause(&self, paused: bool) {
        self.pool.pause(paused);
    }

    pub(crate) fn brought_along(&self) -> Vec<v1::Held> {
        let held = self.held.values().map(|held| v1::Held {
            lease: held.job.lease,
            job: Some(held.job.name),
        });
        held.collect()
    }

    pub(crate) fn progress(&self) -> v1::Progress {
        let running = self.held.values().filter(|held| held.done.is_none());
        let jobs = running.map(|held| v1::JobProgress {
            lease: held.job.lease,
            spent: held.job.meter.spent(),
            settled: held.job.meter.settled(),
        });
        v1::Progress {
            jobs: jobs.collect(),
        }
    }
}

/// The pool waits for its threads, so that they must not search on for nobody.
impl Drop for Desk {
    fn drop(&mut self) {
        self.drop_all();
    }
}

/// Cuts an answer to what the coordinator takes: proofs of single replies can be left out,
/// they will be found again; that of the whole cannot.
fn within(limit: usize, mut done: v1::Done) -> v1::Done {
    // The message around it takes a little, too.
    let limit = limit.saturating_sub(1024);
    if let Some(v1::done::Outcome::Open(open)) = &mut done.outcome {
        let mut left = limit / 2;
        open.answers.retain(|answer| {
            let fits = answer.encoded_len() + 8 <= left;
            left -= if fits { answer.encoded_len() + 8 } else { 0 };
            fits
        });
    }
    if done.encoded_len() > limit {
        let words = format!("the answer is larger than the {limit} bytes that may be sent");
        done.outcome = Some(broken(words));
    }
    done
}
