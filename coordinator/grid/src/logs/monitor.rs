//! Looks at the coordinator now and then, and tells the log and the journal.

use std::time::Duration;

use gridproof_host::logs::LogFormat;
use jiff::Timestamp;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::journal::Journal;
use super::proof_files::ProofFiles;
use super::sample::{Sample, SearchState};
use super::summary::Summary;
use super::trend::Trend;
use crate::coordinator::{Coordinator, CoordinatorGone, Snapshot};

/// Writes the line in the log, the journal for the morning report, and files of proofs.
#[derive(Debug)]
pub struct Monitor {
    trend: Trend,
    journal: Journal,
    proofs: ProofFiles,
    format: LogFormat,
    /// Said once, not every minute.
    journal_is_broken: bool,
}

impl Monitor {
    #[must_use]
    pub fn new(journal: Journal, proofs: ProofFiles, format: LogFormat) -> Self {
        Self {
            trend: Trend::default(),
            journal,
            proofs,
            format,
            journal_is_broken: false,
        }
    }

    /// Where the proofs go.
    #[must_use]
    pub fn proofs(&self) -> &ProofFiles {
        &self.proofs
    }

    /// Looks every so often, when a search has ended, and a last time when it is to end.
    pub async fn run(
        mut self,
        shell: Coordinator,
        every: Duration,
        until: CancellationToken,
    ) -> Result<(), CoordinatorGone> {
        let mut ticks = tokio::time::interval(every);
        let mut verdicts = shell.verdicts();
        // A large proof takes its time to be written, and the log goes on meanwhile.
        let mut writing: Option<JoinHandle<()>> = None;
        loop {
            let is_last = tokio::select! {
                () = until.cancelled() => true,
                _ = ticks.tick() => false,
                Ok(()) = verdicts.changed() => false,
            };
            let snapshot = shell.snapshot().await?;
            if is_last || writing.as_ref().is_none_or(JoinHandle::is_finished) {
                let proofs = self.proofs.clone();
                let before = writing.take();
                let save_all = proofs.save_all(shell.clone(), snapshot.clone());
                writing = Some(tokio::spawn(async move {
                    if let Some(before) = before {
                        // A panic in there was told already.
                        let _ = before.await;
                    }
                    save_all.await;
                }));
            }
            if is_last && let Some(writing) = writing.take() {
                let _ = writing.await;
            }
            self.record(&snapshot).await;
            if is_last {
                return Ok(());
            }
        }
    }

    async fn record(&mut self, snapshot: &Snapshot) {
        let mut sample = Sample::of(snapshot, Timestamp::now());
        if sample.searches.iter().any(SearchState::is_proved) {
            let mut certificates = self.proofs.certificates().await;
            for search in sample.searches.iter_mut().filter(|s| s.is_proved()) {
                search.certificate = certificates.remove(&search.id);
            }
        }
        log(&self.trend.add(&sample), self.format);
        match self.journal.append(&sample) {
            Ok(()) => self.journal_is_broken = false,
            Err(error) if !self.journal_is_broken => {
                self.journal_is_broken = true;
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                warn!(
                    "{error}: {}; the morning report will lack this time",
                    cause.unwrap_or_default()
                );
            }
            Err(_) => {}
        }
    }
}

/// One line for people; programs get its numbers as fields, too.
fn log(summary: &Summary, format: LogFormat) {
    macro_rules! say {
        ($level:ident) => {
            match format {
                LogFormat::Text => $level!("{summary}"),
                LogFormat::Json => {
                    // The log knows flat fields only, so the whole is one of them, as text.
                    let whole = serde_json::to_string(summary).expect("a summary is plain data");
                    $level!(
                        searches = summary.searches,
                        proved = summary.proved,
                        solved_nodes = summary.nodes.solved,
                        open_nodes = summary.nodes.open,
                        jobs_a_second = summary.jobs_a_second,
                        workers = summary.workers,
                        wasted = summary.wasted,
                        stagnant_seconds = summary.stagnant_seconds,
                        summary = whole,
                        "{summary}"
                    );
                }
            }
        };
    }
    if summary.stagnant_seconds.is_some() {
        say!(warn);
    } else {
        say!(info);
    }
}
