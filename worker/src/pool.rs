//! Threads that run jobs, one each.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gridproof_game::Move;
use tokio::sync::mpsc;
use tracing::{debug, warn};

use crate::job::{Job, JobResult, LeaseId};
use crate::priority::{Granted, Priority};
use crate::runner::JobRunner;
use crate::stats::JobCounts;

/// What the threads tell. A cancelled job tells nothing.
#[derive(Debug)]
pub(crate) enum JobEvent {
    /// A verifier found a reply that may hold.
    OpenReply(LeaseId, Move),
    Finished(LeaseId, JobResult),
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
        counts: Option<&mpsc::UnboundedSender<JobCounts>>,
    ) -> (Self, mpsc::UnboundedReceiver<JobEvent>) {
        let (events, receiver) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let spawn = |number| {
            let (shared, events) = (Arc::clone(&shared), events.clone());
            let counts = counts.cloned();
            thread::Builder::new()
                .name(format!("job {number}"))
                .spawn(move || {
                    lower_priority(priority, number);
                    work(&shared, &events, counts.as_ref());
                })
                .expect("the system starts threads")
        };
        let threads = (1..=threads).map(spawn).collect();
        (Self { shared, threads }, receiver)
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
fn lower_priority(priority: Priority, thread: u16) {
    match priority.apply() {
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
    events: &mpsc::UnboundedSender<JobEvent>,
    counts: Option<&mpsc::UnboundedSender<JobCounts>>,
) {
    let mut runner = JobRunner::default();
    while let Some(job) = shared.next() {
        let started = Instant::now();
        let result = run(shared, &mut runner, &job, events);
        debug!(lease = %job.lease, "job ended");
        if let Some(counts) = counts {
            // Nobody need count.
            let _ = counts.send(JobCounts::of(
                result.as_ref(),
                job.spent(),
                started.elapsed(),
            ));
        }
        if let Some(result) = result
            && events.send(JobEvent::Finished(job.lease, result)).is_err()
        {
            // Nobody listens once the worker has gone.
            return;
        }
    }
}

/// `None` if the job was cancelled: nobody waits for its result.
fn run(
    shared: &Shared,
    runner: &mut JobRunner,
    job: &Job,
    events: &mpsc::UnboundedSender<JobEvent>,
) -> Option<JobResult> {
    let mut found = |mv| {
        let _ = events.send(JobEvent::OpenReply(job.lease, mv));
    };
    let wait = || shared.wait(job);
    let ran = panic::catch_unwind(AssertUnwindSafe(|| runner.run(job, &wait, &mut found)));
    match ran {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => Some(JobResult::Failed {
            reason: error.to_string(),
        }),
        Err(_) => {
            // Whatever broke may have left it in pieces.
            *runner = JobRunner::default();
            Some(JobResult::Failed {
                reason: "the search panicked: a bug, please report it".to_owned(),
            })
        }
    }
}
