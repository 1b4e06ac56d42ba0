//! Looks at the coordinator now and then, and tells the log and the journal.

use std::time::Duration;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::journal::Journal;
use super::night::Night;
use super::sample::Sample;
use super::summary::Summary;
use crate::shell::{Shell, ShellGone, Snapshot};

/// Who reads the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Readers {
    #[default]
    People,
    /// The line carries its numbers as fields, too.
    Programs,
}

/// Writes the line in the log, and the journal for the morning report.
#[derive(Debug)]
pub struct Keeper {
    night: Night,
    journal: Journal,
    readers: Readers,
    /// Said once, not every minute.
    journal_is_broken: bool,
}

impl Keeper {
    #[must_use]
    pub fn new(journal: Journal, readers: Readers) -> Self {
        Self {
            night: Night::default(),
            journal,
            readers,
            journal_is_broken: false,
        }
    }

    /// Tells how it stands now.
    pub fn tell(&mut self, snapshot: &Snapshot) {
        let sample = Sample::of(snapshot, Timestamp::now());
        let summary = self.night.add(&sample);
        match self.readers {
            Readers::People => line(&summary),
            Readers::Programs => line_with_fields(&summary),
        }
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

    /// Tells every so often, and a last time when it is to end.
    pub async fn keep(
        mut self,
        shell: Shell,
        every: Duration,
        until: CancellationToken,
    ) -> Result<(), ShellGone> {
        let mut ticks = tokio::time::interval(every);
        loop {
            let is_last = tokio::select! {
                () = until.cancelled() => true,
                _ = ticks.tick() => false,
            };
            self.tell(&shell.snapshot().await?);
            if is_last {
                return Ok(());
            }
        }
    }
}

fn line(summary: &Summary) {
    if summary.stagnation.is_some() {
        warn!("{summary}");
    } else {
        info!("{summary}");
    }
}

fn line_with_fields(summary: &Summary) {
    // The log knows flat fields only, so the whole is one of them, as text.
    let whole = serde_json::to_string(summary).expect("a summary can be written as JSON");
    macro_rules! say {
        ($level:ident) => {
            $level!(
                searches = summary.searches,
                proved = summary.proved,
                solved_nodes = summary.nodes.solved,
                open_nodes = summary.nodes.open,
                jobs_a_second = summary.jobs_a_second,
                workers = summary.workers,
                wasted = summary.wasted,
                stagnant_seconds = summary.stagnation.map(|stagnation| stagnation.seconds),
                summary = whole,
                "{summary}"
            )
        };
    }
    if summary.stagnation.is_some() {
        say!(warn);
    } else {
        say!(info);
    }
}
