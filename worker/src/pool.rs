//! Threads that run jobs, one each.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gridproof_proto::v1;
use gridproof_proto::v1::done::Outcome;
use tokio::sync::mpsc;
use tracing::{debug, warn};

use crate::job::Job;
use crate::priority::{Granted, Priority};
use crate::search::{End, Searchers};
use crate::settings::JobReport;
use crate::stats::JobEnd;

/// What the threads tell.
#[derive(Debug)]
pub(crate) enum Report {
    Finding(v1::Finding),
    Done(v1::Done),
    /// A cancelled job's thread is free again.
    Dropped,
}

/// The threads, and the jobs that wait for one.
#[derive(Debug)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    // A std Mutex: it is held for moments only, and never across an await.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Arc<Job>>,
    paused: bool,
    closed: bool,
}

impl Pool {
    pub(crate) fn start(
        threads: u16,
        priority: Priority,
        job_ends: Option<&mpsc::UnboundedSender<JobReport>>,
    ) -> (Self, mpsc::UnboundedReceiver<Report>) {
        let (reports, inbox) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let spawn = |number| {
            let (shared, reports) = (Arc::clone(&shared), reports.clone());
            let job_ends = job_ends.cloned();
            thread::Builder::new()
                .name(format!("job {number}"))
                .spawn(move || {
                    step_back(priority, number);
                    work(&shared, &reports, job_ends.as_ref());
                })
                .expect("the system starts threads")
        };
        let threads = (1..=threads).map(spawn).collect();
        (Self { shared, threads }, inbox)
    }

    pub(crate) fn run(&self, job: Arc<Job>) {
        self.shared.lock().waiting.push_back(job);
        self.shared.changed.notify_one();
    }

    /// Makes searches stand still, or go on.
    pub(crate) fn pause(&self, paused: bool) {
        self.shared.lock().paused = paused;
        self.shared.changed.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.waiting.clear();
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // Its panic, if any, was told by the panic hook.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is changed by single assignments: a panic leaves no half of one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<Arc<Job>> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(job) = state.waiting.pop_front() {
                return Some(job);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits while paused. A cancelled job does not wait: it is about to end.
    fn wait(&self, job: &Job) {
        let mut state = self.lock();
        while state.paused && !state.closed && !job.cancel.is_cancelled() {
            // Cancelling wakes nobody, so look again now and then.
            let look_again = Duration::from_millis(100);
            let waited = self.changed.wait_timeout(state, look_again);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Lets other programs go first. What the system thinks of it is told once, not by each
/// thread.
fn step_back(priority: Priority, thread: u16) {
    match priority.take() {
        Granted::OnlyLow if thread == 1 => {
            warn!("the system would not make the job threads idle: they are only low");
        }
        Granted::Unchanged if thread == 1 => {
            warn!("the system would not lower the priority of the job threads");
        }
        Granted::AsAsked | Granted::OnlyLow | Granted::Unchanged => {}
    }
}

fn work(
    shared: &Shared,
    reports: &mpsc::UnboundedSender<Report>,
    job_ends: Option<&mpsc::UnboundedSender<JobReport>>,
) {
    let mut searchers = Searchers::default();
    while let Some(job) = shared.next() {
        let started = Instant::now();
        let report = run(shared, &mut searchers, &job, reports);
        debug!(lease = job.lease, "job ended");
        if let Some(job_ends) = job_ends {
            // Nobody need count.
            let _ = job_ends.send(JobReport {
                end: end_of(&report),
                nodes: job.meter.spent(),
                took: started.elapsed(),
            });
        }
        // Nobody listens once the worker has gone.
        if reports.send(report).is_err() {
            return;
        }
    }
}

fn end_of(report: &Report) -> JobEnd {
    match report {
        Report::Done(done) => match done.outcome {
            Some(Outcome::Won(_)) => JobEnd::Won,
            Some(Outcome::Broken(_)) => JobEnd::Broke,
            _ => JobEnd::Learnt,
        },
        Report::Finding(_) | Report::Dropped => JobEnd::Aborted,
    }
}

fn run(
    shared: &Shared,
    searchers: &mut Searchers,
    job: &Job,
    reports: &mpsc::UnboundedSender<Report>,
) -> Report {
    let lease = job.lease;
    let mut found = |mv| {
        let open = Some(v1::Move::of(job.position.rules(), &mv));
        let _ = reports.send(Report::Finding(v1::Finding { lease, open }));
    };
    let wait = || shared.wait(job);
    let ran = panic::catch_unwind(AssertUnwindSafe(|| searchers.run(job, &wait, &mut found)));
    let (outcome, spent) = match ran {
        Ok(Ok(End::Answered { outcome, spent })) => (outcome, spent),
        Ok(Ok(End::Cancelled)) => return Report::Dropped,
        Ok(Err(error)) => (broken(error.to_string()), job.meter.spent()),
        Err(_) => {
            // Whatever broke may have left them in pieces.
            *searchers = Searchers::default();
            (
                broken("the search panicked: a bug, please report it".to_owned()),
                job.meter.spent(),
            )
        }
    };
    Report::Done(v1::Done {
        lease,
        spent,
        outcome: Some(outcome),
    })
}

pub(crate) fn broken(reason: String) -> Outcome {
    Outcome::Broken(v1::Broken { reason })
}
