use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Everything worth knowing about the grid at one moment. Counters begin at zero with each
/// life of the coordinator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    pub at: Timestamp,
    /// Which life of the coordinator: one more at each start.
    pub life: u32,
    pub searches: Vec<SearchState>,
    pub nodes: Nodes,
    pub jobs_done: u64,
    pub jobs_running: u64,
    /// Solver nodes, of all answers and of all work that was thrown away.
    pub spent: u64,
    /// Those that were thrown away, by reason.
    pub wasted: BTreeMap<String, u64>,
    pub workers: Vec<WorkerState>,
    /// The jobs that took longest in this life, longest first; ten are plenty.
    pub slowest: Vec<SlowJob>,
    /// A sample of a book that grows tells of nothing else.
    pub book: Option<BookState>,
}

/// A book of openings that grows. Games and searches begin at zero with each run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BookState {
    pub file: String,
    pub positions: u64,
    pub proved: u64,
    /// Games that it played against itself.
    pub games: u64,
    /// Searches for proofs.
    pub searches: u64,
}

/// Nodes of the search graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nodes {
    pub solved: u64,
    pub open: u64,
}

/// How a search stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchStatus {
    Proved,
    #[default]
    Open,
    Failed,
}

impl fmt::Display for SearchStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Proved => "proved",
            Self::Open => "open",
            Self::Failed => "failed",
        })
    }
}

/// Proof and disproof number of a root; none is infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootNumbers {
    pub proof: Option<u32>,
    pub disproof: Option<u32>,
}

impl RootNumbers {
    /// As the core has them. Its largest number means infinite, and the one below it that
    /// something was given up by order: neither counts anything.
    #[must_use]
    pub const fn new(proof: u32, disproof: u32) -> Self {
        const fn finite(number: u32) -> Option<u32> {
            if number >= u32::MAX - 1 {
                None
            } else {
                Some(number)
            }
        }
        Self {
            proof: finite(proof),
            disproof: finite(disproof),
        }
    }
}

impl fmt::Display for RootNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |number: Option<u32>| number.map_or_else(|| "∞".to_owned(), |n| n.to_string());
        f.pad(&format!("{}/{}", text(self.proof), text(self.disproof)))
    }
}

/// One search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchState {
    pub id: u32,
    /// What operators call it, such as TX-H9; no two searches share a name.
    pub name: String,
    #[serde(alias = "ending")]
    pub status: SearchStatus,
    pub root: RootNumbers,
    pub jobs: u64,
    /// Solver nodes.
    pub spent: u64,
    /// How long it was open, in the time of a report.
    pub seconds: u64,
    /// The root, for `gridproof show`; empty where nobody wrote it down.
    pub position: String,
    /// The side to be proved winning, `black` or `white`.
    pub attacker: String,
    /// The first moves of the line that the search thinks best.
    pub line: String,
    pub certificate: Option<Certificate>,
}

impl SearchState {
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.status == SearchStatus::Open
    }

    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.status == SearchStatus::Proved
    }
}

/// A proof on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Certificate {
    pub file: String,
    pub hash: String,
    /// The winning move, if the attacker is to move.
    pub first_move: Option<String>,
}

/// One worker, connected or gone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerState {
    pub name: String,
    pub connected: bool,
    /// Jobs that it runs at once.
    pub slots: u16,
    pub jobs: u64,
    /// Jobs that ended in a win with a good certificate.
    pub won: u64,
    /// Solver nodes.
    pub spent: u64,
    pub wasted: u64,
    /// How often its connection was lost.
    pub losses: u64,
    /// Answers that made no sense. This and what follows is of all lives of the coordinator.
    pub refused: u64,
    /// Jobs that it kept beyond their deadline.
    pub late: u64,
    /// Answers to which two others came to something else.
    pub contradicted: u64,
    /// Why it is in quarantine; empty if it is not.
    pub quarantine: String,
}

impl WorkerState {
    /// What it does that slows the searches, if that is more than a slip.
    #[must_use]
    pub fn slows(&self) -> Option<String> {
        let is_often_late = self.late > 1 && 4 * self.late > self.jobs;
        if self.quarantine.is_empty() && self.contradicted + self.refused == 0 && !is_often_late {
            return None;
        }
        let count = |number: u64, what: &str| (number > 0).then(|| format!("{number} {what}"));
        let quarantine = Some(format!("in quarantine ({})", self.quarantine));
        let parts = [
            quarantine.filter(|_| !self.quarantine.is_empty()),
            count(self.contradicted, "contradicted"),
            count(self.refused, "refused"),
            count(self.late, "late"),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        Some(parts.join(", "))
    }
}

/// A job that took long.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlowJob {
    pub search: String,
    /// The position, for `gridproof show`.
    pub position: String,
    pub kind: String,
    pub worker: String,
    pub seconds: u64,
    pub spent: u64,
    pub outcome: String,
}

impl Sample {
    pub fn connected(&self) -> impl Iterator<Item = &WorkerState> {
        self.workers.iter().filter(|worker| worker.connected)
    }

    #[must_use]
    pub fn wasted_total(&self) -> u64 {
        self.wasted
            .values()
            .fold(0, |sum, &part| sum.saturating_add(part))
    }

    /// How much a counter grew since an earlier sample, if it began anew in between too.
    #[must_use]
    pub(crate) fn growth(&self, earlier: &Self, counter: impl Fn(&Self) -> u64) -> u64 {
        if self.life == earlier.life {
            counter(self).saturating_sub(counter(earlier))
        } else {
            counter(self)
        }
    }
}
