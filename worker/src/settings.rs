use std::num::NonZeroU16;

use gridproof_host::Credentials;
use jiff::Timestamp;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use tokio::sync::mpsc;

use crate::backoff::Backoff;
use crate::priority::Priority;
use crate::stats::JobCounts;

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
    /// Between two tries to connect.
    pub backoff: Backoff,
    /// Differs from one start of the process to the next.
    pub instance: u64,
    /// Told what each job adds to the counts, for those who keep them.
    pub counts: Option<mpsc::UnboundedSender<JobCounts>>,
}

impl Settings {
    /// Normal priority, no credentials, nobody who counts.
    #[must_use]
    pub fn new(name: impl Into<String>, slots: NonZeroU16) -> Self {
        Self {
            name: name.into(),
            slots,
            priority: Priority::Normal,
            credentials: Credentials::none(),
            counts: None,
            backoff: Backoff::default(),
            instance: SmallRng::from_os_rng().random(),
        }
    }
}

/// What the worker's owner wants of it at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DesiredState {
    /// Take jobs and run them.
    Running {
        /// When that will end, if it is known: jobs that take longer are not wanted.
        until: Option<Timestamp>,
    },
    /// Stop searching and take no jobs, but keep those that were begun, unless it takes long.
    Paused,
    /// Take no jobs and hand back those that were begun: it will be long.
    Away,
    /// Finish the jobs that were begun, then leave.
    Drained,
    /// Leave now.
    Stopped,
}

impl Default for DesiredState {
    fn default() -> Self {
        Self::Running { until: None }
    }
}
