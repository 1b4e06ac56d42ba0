use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::coordinator::{CheckSize, CheckedResult, Checks};

/// Checks of certificates that go on at the same time. Each worker has one job's end at a time here,
/// and gives way after each certificate.
#[derive(Debug)]
pub(super) struct Checkers {
    any: Semaphore,
    /// Those that take much memory wait for each other.
    large: Semaphore,
}

/// Why a job's end is not believed.
#[derive(Debug)]
pub(super) struct Unbelieved {
    pub(super) words: String,
    /// The hash of the certificate that does not hold.
    pub(super) certificate: Option<[u8; 32]>,
}

impl Unbelieved {
    pub(super) fn because(words: impl ToString) -> Self {
        Self {
            words: words.to_string(),
            certificate: None,
        }
    }
}

impl Checkers {
    pub(super) fn new(count: usize) -> Self {
        Self {
            any: Semaphore::new(count),
            large: Semaphore::new(1),
        }
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self) -> SemaphorePermit<'_> {
        let permit = self.any.acquire().await;
        permit.expect("nobody closes it")
    }

    /// Checks all that waits, off the async threads.
    pub(super) async fn run(
        &self,
        mut checks: Checks,
        stop: &Arc<AtomicBool>,
    ) -> Result<CheckedResult, Unbelieved> {
        while let Some(size) = checks.next_size() {
            let _large = match size {
                CheckSize::Small => None,
                CheckSize::Large => Some(self.large.acquire().await.expect("nobody closes it")),
            };
            let _turn = self.turn().await;
            let stop = Arc::clone(stop);
            let checked = tokio::task::spawn_blocking(move || {
                let checked = checks.check_next(&stop);
                (checks, checked)
            });
            checks = match checked.await {
                Ok((checks, Ok(()))) => checks,
                Ok((checks, Err(rejection))) => {
                    return Err(Unbelieved {
                        words: rejection.to_string(),
                        certificate: checks.refused(),
                    });
                }
                Err(_) => return Err(Unbelieved::because("its certificate broke the checker")),
            };
        }
        Ok(checks.finish())
    }
}
