use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::sample::{Nodes, RootNumbers, SearchStatus};
use crate::text;

/// How it goes in one line: printed for people, serialised for machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Open searches, and those that ended since the line before.
    pub roots: Vec<SearchProgress>,
    /// Searches that are proved, of all there are.
    pub proved: u64,
    pub searches: u64,
    pub nodes: Nodes,
    pub jobs_a_second: f64,
    /// Connected workers.
    pub workers: u64,
    /// Of the work in this life of the coordinator, what part was thrown away.
    pub wasted: f64,
    /// That part by reason, none of them zero.
    pub wasted_by: BTreeMap<String, f64>,
    /// How long nothing has moved, if that is long.
    pub stagnant_seconds: Option<u64>,
}

/// A search and where it is going.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchProgress {
    pub id: u32,
    pub name: String,
    pub status: SearchStatus,
    pub root: RootNumbers,
    /// What it was about an hour ago, if it was there.
    pub before: Option<RootNumbers>,
    pub direction: Direction,
}

/// Which way the numbers of a root went in the last hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Less to prove, or more to disprove.
    Nearer,
    #[default]
    Level,
    Farther,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nearer => "↘",
            Self::Level => "→",
            Self::Farther => "↗",
        })
    }
}

impl fmt::Display for SearchProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            SearchStatus::Proved => return write!(f, "{} PROVED", self.name),
            SearchStatus::Failed => return write!(f, "{} failed", self.name),
            SearchStatus::Open => write!(f, "{} {} {}", self.name, self.root, self.direction)?,
        }
        match self.before {
            Some(before) if before != self.root => write!(f, " (was {before})"),
            _ => Ok(()),
        }
    }
}

/// How many searches are named in one line.
const NAMED: usize = 3;

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.roots.iter().take(NAMED) {
            write!(f, "{line}, ")?;
        }
        if self.roots.len() > NAMED {
            write!(f, "{} more, ", self.roots.len() - NAMED)?;
        }
        match self.searches {
            0 => f.write_str("no searches")?,
            1 => f.write_str("1 search")?,
            all => write!(f, "{} of {all} proved", self.proved)?,
        }
        write!(
            f,
            " | {} nodes solved, {} open | {} jobs/s, {} | wasted {}",
            text::count(self.nodes.solved),
            text::count(self.nodes.open),
            text::short(self.jobs_a_second),
            text::plural(self.workers, "worker"),
            text::percent(self.wasted),
        )?;
        let mut parts: Vec<_> = self.wasted_by.iter().collect();
        parts.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
        for (i, (reason, share)) in parts.iter().take(2).enumerate() {
            let open = if i == 0 { " (" } else { ", " };
            write!(f, "{open}{reason} {}", text::percent(**share))?;
        }
        if !parts.is_empty() {
            f.write_str(")")?;
        }
        if let Some(seconds) = self.stagnant_seconds {
            let time = text::time(Duration::from_secs(seconds));
            write!(f, " | WARNING: nothing has moved for {time}")?;
        }
        Ok(())
    }
}
