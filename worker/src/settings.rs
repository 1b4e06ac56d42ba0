use std::num::NonZeroU16;
use std::time::Duration;

use gridproof_host::Credentials;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use tokio::sync::mpsc;

use crate::backoff::Backoff;
use crate::priority::Priority;
use crate::stats::JobEnd;

/// Who a worker is and how it behaves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Results are booked under it, so no two workers may share one.
    pub name: String,
    /// Jobs at a time, each on a thread of its own.
    pub slots: NonZeroU16,
    /// Of the job threads. The connection keeps its own, or it would be lost on a busy machine.
    pub priority: Priority,
    /// Proves who we are, where the coordinator wants to know.
    pub credentials: Credentials,
    pub backoff: Backoff,
    /// Differs from one start of the process to the next.
    pub instance: u64,
    /// Told of every job that is over, for those who count.
    pub job_ends: Option<mpsc::UnboundedSender<JobReport>>,
}

/// A job that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobReport {
    pub end: JobEnd,
    /// Solver nodes.
    pub nodes: u64,
    pub took: Duration,
}

impl Settings {
    #[must_use]
    pub fn new(name: impl Into<String>, slots: NonZeroU16) -> Self {
        Self {
            name: name.into(),
            slots,
            priority: Priority::Normal,
            credentials: Credentials::none(),
            job_ends: None,
            backoff: Backoff::default(),
            instance: SmallRng::from_os_rng().random(),
        }
    }
}

/// What the worker's owner wants of it at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Wish {
    #[default]
    Work,
    /// Stop searching and take no jobs, but keep those that were begun.
    Pause,
    /// Finish the jobs that were begun, then leave.
    Finish,
    /// Leave now.
    Stop,
}
