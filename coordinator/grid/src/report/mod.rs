//! The morning report: what a time brought, as text and as a page.
//!
//! A [`Report`] is plain data, made from the samples of a [`Journal`](crate::logs::Journal)
//! or by hand; [`Report::to_text`] and [`Report::to_html`] show it.

mod boards;
mod books;
mod css;
mod from_samples;
mod page;
mod plot;
mod text;

pub use books::BookGrowth;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::logs::{Nodes, RootNumbers, SearchState, SearchStatus, SlowJob, WorkerState};

/// One trend, or any other time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    pub from: Timestamp,
    pub to: Timestamp,
    /// Times are shown as they are there.
    #[serde(skip)]
    pub zone: TimeZone,
    /// What was seen, in order of time.
    pub points: Vec<Point>,
    /// As they stood at the end: proved ones first, then those nearest to it.
    pub searches: Vec<SearchState>,
    /// Names of the searches that were proved in this time.
    pub newly_proved: Vec<String>,
    pub jobs: u64,
    /// Solver nodes.
    pub spent: u64,
    /// Those that were thrown away, by reason, most first.
    pub wasted: Vec<(String, u64)>,
    pub slowest: Vec<SlowJob>,
    /// With what each did in this time, most first.
    pub workers: Vec<WorkerState>,
    /// Books that grew.
    pub books: Vec<BookGrowth>,
    /// How often the coordinator started anew.
    pub restarts: u64,
    /// The longest time in which nothing moved while something was open.
    pub longest_standstill_seconds: u64,
}

/// One moment of the trend.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    pub at: Timestamp,
    pub nodes: Nodes,
    /// Since the sample before, if there was one.
    pub jobs_a_second: Option<f64>,
    pub workers: u64,
    /// Open searches by name.
    pub roots: BTreeMap<String, RootNumbers>,
}

impl Report {
    #[must_use]
    pub fn count(&self, status: SearchStatus) -> usize {
        let all = self.searches.iter();
        all.filter(|search| search.status == status).count()
    }

    #[must_use]
    pub fn wasted_total(&self) -> u64 {
        self.wasted
            .iter()
            .fold(0, |sum, (_, part)| sum.saturating_add(*part))
    }

    /// Of all work, what part was thrown away.
    #[must_use]
    pub fn wasted_share(&self) -> f64 {
        if self.spent == 0 {
            0.0
        } else {
            self.wasted_total() as f64 / self.spent as f64
        }
    }

    /// Workers that slow the searches, and by what.
    pub fn slowing(&self) -> impl Iterator<Item = (&str, String)> {
        let workers = self.workers.iter();
        workers.filter_map(|worker| Some((worker.name.as_str(), worker.slows()?)))
    }

    /// All of it in one sentence.
    #[must_use]
    pub fn headline(&self) -> String {
        let open = self.count(SearchStatus::Open);
        match (self.points.len(), self.newly_proved.len(), open) {
            (0, ..) if !self.books.is_empty() => "Books grew.".to_owned(),
            (0, ..) => "Nothing was recorded in this time.".to_owned(),
            (_, 0, 0) => "Nothing was left to do.".to_owned(),
            (_, 0, 1) => "Nothing was proved; 1 search is still open.".to_owned(),
            (_, 0, n) => format!("Nothing was proved; {n} searches are still open."),
            (_, 1, _) => format!("{} was proved.", self.newly_proved[0]),
            (_, n, _) => format!("{n} searches were proved."),
        }
    }

    fn clock(&self, at: Timestamp, format: &str) -> String {
        at.to_zoned(self.zone.clone()).strftime(format).to_string()
    }

    /// From when to when, in words.
    #[must_use]
    pub fn period(&self) -> String {
        let same_day = self.clock(self.from, "%F") == self.clock(self.to, "%F");
        let end = if same_day {
            "%H:%M"
        } else {
            "%a %-d %b %H:%M %Z"
        };
        format!(
            "{} to {}",
            self.clock(self.from, "%a %-d %b %Y %H:%M"),
            self.clock(self.to, end)
        )
    }
}
