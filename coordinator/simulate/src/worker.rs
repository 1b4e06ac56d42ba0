//! Virtual workers.

use gridproof_search::{Generation, HeldJob, JobSpec, LeaseId, Sender, Time, WorkerId};

use super::hostile::Strategy;
use super::world::Run;

/// A machine that never was.
#[derive(Debug)]
pub(super) struct VirtualWorker {
    pub(super) id: WorkerId,
    pub(super) generation: Generation,
    pub(super) link: LinkState,
    pub(super) slots: u16,
    /// Solver nodes a second.
    pub(super) speed: u64,
    /// Lies in so many of a hundred answers.
    pub(super) lies: u64,
    /// What it does if it is not honest.
    pub(super) strategy: Option<Strategy>,
    /// How often it has answered.
    pub(super) answers: u64,
    pub(super) banned: bool,
    pub(super) until: Option<Time>,
    pub(super) jobs: Vec<VirtualJob>,
}

/// Whether messages pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkState {
    Up,
    /// Nothing passes, and the coordinator may not have noticed yet.
    Down,
}

#[derive(Debug)]
pub(super) struct VirtualJob {
    pub(super) lease: LeaseId,
    pub(super) job: Box<JobSpec>,
    pub(super) run: Run,
    pub(super) is_done: bool,
}

impl VirtualWorker {
    pub(super) fn new(id: WorkerId, slots: u16, speed: u64) -> Self {
        Self {
            id,
            generation: Generation(0),
            link: LinkState::Down,
            slots,
            speed,
            lies: 0,
            strategy: None,
            answers: 0,
            banned: false,
            until: None,
            jobs: Vec::new(),
        }
    }

    pub(super) fn is_up(&self) -> bool {
        self.link == LinkState::Up
    }

    pub(super) fn find(&self, lease: LeaseId) -> Option<&VirtualJob> {
        self.jobs.iter().find(|job| job.lease == lease)
    }

    pub(super) fn find_mut(&mut self, lease: LeaseId) -> Option<&mut VirtualJob> {
        self.jobs.iter_mut().find(|job| job.lease == lease)
    }

    pub(super) fn drop_job(&mut self, lease: LeaseId) {
        self.jobs.retain(|job| job.lease != lease);
    }

    pub(super) fn sender(&self, job: &VirtualJob) -> Sender {
        Sender {
            worker: self.id,
            generation: self.generation,
            lease: job.lease,
            key: job.job.id.key,
        }
    }

    pub(super) fn running(&self) -> Vec<HeldJob> {
        let running = |job: &VirtualJob| HeldJob {
            lease: job.lease,
            job: job.job.id,
        };
        self.jobs.iter().map(running).collect()
    }
}

/// What happens in a simulation, at its time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SimEvent {
    /// A job comes to its end.
    JobDone {
        worker: usize,
        lease: LeaseId,
    },
    /// A verifier finds something.
    Finding {
        worker: usize,
        lease: LeaseId,
        index: usize,
    },
    Tick,
    /// A hostile worker hangs up, and forgets what it was at.
    HangUp {
        worker: usize,
    },
    /// A hostile worker gives a job back.
    HandBack {
        worker: usize,
        lease: LeaseId,
    },
    /// A worker dials in.
    Dial {
        worker: usize,
    },
    /// The coordinator notices that a worker's stream has ended.
    Noticed {
        worker: usize,
        generation: Generation,
    },
    Fault(Fault),
}

/// What goes wrong, or what an operator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// A worker's process dies; it comes back with nothing.
    Crash,
    /// A worker's network breaks; it works on and comes back.
    Break,
    /// Half of the workers are cut off for a while.
    Partition,
    /// A worker says goodbye and comes back later.
    Leave,
    /// The coordinator dies, before or after it has stored what it was told last.
    Restart,
    /// A message comes twice, or over an old connection, or is garbled.
    Garble,
    /// A machine becomes ten times slower for good.
    Slow,
    /// An operator gives an order.
    Order,
}

impl Fault {
    pub(super) const ALL: [Self; 8] = [
        Self::Crash,
        Self::Break,
        Self::Partition,
        Self::Leave,
        Self::Restart,
        Self::Garble,
        Self::Slow,
        Self::Order,
    ];
}
