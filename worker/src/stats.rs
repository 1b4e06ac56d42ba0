//! What a worker has done, in a file that its owner can look at.

use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gridproof_host::files::{self, Access, Existing, FileError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::job::JobResult;

/// Counts over all starts of a worker with the same file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// Of the worker that wrote the file last.
    pub version: String,
    /// When the file was begun.
    pub since: Option<Timestamp>,
    /// When it was written last.
    pub written: Option<Timestamp>,
    /// How often a worker has begun with it.
    pub starts: u64,
    /// Of all jobs.
    #[serde(flatten)]
    pub jobs: JobCounts,
}

/// Jobs by their results, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobCounts {
    /// The attacker wins, with a certificate.
    pub won: u64,
    /// No win, but something was learnt.
    pub learnt: u64,
    /// The coordinator had no more use for it.
    pub aborted: u64,
    /// It failed.
    pub broke: u64,
    /// Solver nodes.
    pub nodes: u64,
    /// Time that job threads worked, all cores together.
    pub busy_seconds: u64,
}

impl JobCounts {
    /// What one job adds; it has no result if it was cancelled.
    pub(crate) fn of(result: Option<&JobResult>, nodes: u64, took: Duration) -> Self {
        let mut counts = Self {
            nodes,
            busy_seconds: took.as_secs(),
            ..Self::default()
        };
        let counter = match result {
            Some(JobResult::Won { .. }) => &mut counts.won,
            Some(JobResult::Failed { .. }) => &mut counts.broke,
            Some(_) => &mut counts.learnt,
            None => &mut counts.aborted,
        };
        *counter = 1;
        counts
    }
}

impl AddAssign for JobCounts {
    fn add_assign(&mut self, more: Self) {
        self.won += more.won;
        self.learnt += more.learnt;
        self.aborted += more.aborted;
        self.broke += more.broke;
        self.nodes = self.nodes.saturating_add(more.nodes);
        self.busy_seconds = self.busy_seconds.saturating_add(more.busy_seconds);
    }
}

/// The file, and what is to be in it.
#[derive(Debug)]
pub struct StatsFile {
    path: PathBuf,
    stats: Stats,
}

impl StatsFile {
    /// Goes on counting where the file stopped. One that cannot be read is begun anew: it is
    /// for show, and no reason not to work.
    pub fn open(path: &Path, now: Timestamp) -> Result<Self, FileError> {
        let old = match files::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                tracing::warn!(%error, file = %path.display(), "beginning a new stats file");
                Stats::default()
            }),
            Err(error) if error.is_missing() => Stats::default(),
            Err(error) => return Err(error),
        };
        let stats = Stats {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: old.since.or(Some(now)),
            starts: old.starts + 1,
            ..old
        };
        let mut file = Self {
            path: path.to_owned(),
            stats,
        };
        file.save(now)?;
        Ok(file)
    }

    /// Counts on, in memory.
    pub fn add(&mut self, jobs: JobCounts) {
        self.stats.jobs += jobs;
    }

    /// What is counted so far.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Whoever reads the file meanwhile sees the old one or the new one, never half of it.
    /// Call it every minute or so, and at the end.
    pub fn save(&mut self, now: Timestamp) -> Result<(), FileError> {
        self.stats.written = Some(now);
        let mut json = serde_json::to_vec_pretty(&self.stats).expect("counts can be written");
        json.push(b'\n');
        files::write(&self.path, &json, Access::Everybody, Existing::Replace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn counts_go_on_after_a_new_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.json");
        let mut file = StatsFile::open(&path, NOW).unwrap();
        let won = JobResult::Won {
            certificate: Vec::new(),
        };
        file.add(JobCounts::of(Some(&won), 1000, Duration::from_secs(3)));
        file.add(JobCounts::of(None, 500, Duration::from_millis(1500)));
        file.save(NOW).unwrap();
        let again = StatsFile::open(&path, NOW).unwrap();
        let stats = again.stats();
        let jobs = stats.jobs;
        assert_eq!((stats.starts, jobs.won, jobs.aborted), (2, 1, 1));
        assert_eq!((jobs.nodes, jobs.busy_seconds), (1500, 4));
    }

    #[test]
    fn a_spoilt_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.json");
        std::fs::write(&path, "{ half of").unwrap();
        assert_eq!(StatsFile::open(&path, NOW).unwrap().stats().starts, 1);
    }
}
