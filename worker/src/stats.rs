//! What a worker has done, in a file that its owner can look at.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gridproof_host::files::{self, Access, Existing, FileError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Why a job is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// The attacker wins, with a certificate.
    Won,
    /// No win, but something was learnt.
    Learnt,
    /// The coordinator had no more use for it.
    Aborted,
    /// It crashed.
    Broke,
}

/// Counts over all starts of a worker with the same file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    pub version: String,
    /// When the file was begun.
    pub since: Option<Timestamp>,
    pub written: Option<Timestamp>,
    pub starts: u64,
    pub won: u64,
    pub learnt: u64,
    pub aborted: u64,
    pub broke: u64,
    /// Solver nodes.
    pub nodes: u64,
    /// Time that job threads worked, all cores together.
    pub busy_seconds: u64,
}

impl Stats {
    pub fn count(&mut self, end: JobEnd, nodes: u64, took: Duration) {
        let counter = match end {
            JobEnd::Won => &mut self.won,
            JobEnd::Learnt => &mut self.learnt,
            JobEnd::Aborted => &mut self.aborted,
            JobEnd::Broke => &mut self.broke,
        };
        *counter += 1;
        self.nodes = self.nodes.saturating_add(nodes);
        self.busy_seconds = self.busy_seconds.saturating_add(took.as_secs());
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

    pub fn count(&mut self, end: JobEnd, nodes: u64, took: Duration) {
        self.stats.count(end, nodes, took);
    }

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
        file.count(JobEnd::Won, 1000, Duration::from_secs(3));
        file.count(JobEnd::Aborted, 500, Duration::from_millis(1500));
        file.save(NOW).unwrap();
        let again = StatsFile::open(&path, NOW).unwrap();
        let stats = again.stats();
        assert_eq!((stats.starts, stats.won, stats.aborted), (2, 1, 1));
        assert_eq!((stats.nodes, stats.busy_seconds), (1500, 4));
    }

    #[test]
    fn a_spoilt_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.json");
        std::fs::write(&path, "{ half of").unwrap();
        assert_eq!(StatsFile::open(&path, NOW).unwrap().stats().starts, 1);
    }
}
