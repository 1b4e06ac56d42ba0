use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{BookGrowth, Point, Report};
use crate::logs::{Sample, SearchState, SearchStatus, SlowJob, Trend, WorkerState};

/// More points than this say no more in a plot.
const POINTS: usize = 600;
const SLOW_JOBS: usize = 10;

impl Report {
    /// From samples in order of time.
    #[must_use]
    pub fn from_samples(samples: &[Sample], zone: TimeZone) -> Self {
        let books = BookGrowth::of_samples(samples);
        let end = |sample: Option<&Sample>| sample.map_or(Timestamp::UNIX_EPOCH, |s| s.at);
        let (from, to) = (end(samples.first()), end(samples.last()));
        let of_grid = samples.iter().filter(|sample| sample.book.is_none());
        let samples: &[Sample] = &of_grid.cloned().collect::<Vec<_>>();
        let mut totals = Totals::default();
        for (i, sample) in samples.iter().enumerate() {
            totals.add(sample, i.checked_sub(1).map(|before| &samples[before]));
        }
        let mut searches = samples
            .last()
            .map_or_else(Vec::new, |last| last.searches.clone());
        for search in &mut searches {
            let total = totals.searches.get(&search.name).copied();
            let SearchTotal { jobs, spent, open } = total.unwrap_or_default();
            (search.jobs, search.spent) = (jobs, spent);
            search.seconds = u64::try_from(open.as_secs()).unwrap_or(0);
        }
        searches.sort_by_key(by_nearness);
        Self {
            from,
            to,
            zone,
            points: thinned(totals.points),
            newly_proved: proved_between(samples.first(), &searches),
            searches,
            jobs: totals.jobs,
            spent: totals.spent,
            wasted: most_first(totals.wasted),
            slowest: slowest(samples),
            workers: busiest_first(totals.workers),
            books,
            restarts: totals.restarts,
            longest_standstill_seconds: totals.longest_standstill,
        }
    }
}

#[derive(Default)]
struct Totals {
    trend: Trend,
    points: Vec<Point>,
    jobs: u64,
    spent: u64,
    wasted: BTreeMap<String, u64>,
    workers: BTreeMap<String, WorkerState>,
    searches: BTreeMap<String, SearchTotal>,
    restarts: u64,
    longest_standstill: u64,
}

/// What was done for a search in the time of the report.
#[derive(Clone, Copy, Default)]
struct SearchTotal {
    jobs: u64,
    spent: u64,
    open: SignedDuration,
}

impl Totals {
    fn add(&mut self, now: &Sample, before: Option<&Sample>) {
        let summary = self.trend.add(now);
        let still = summary.stagnant_seconds.unwrap_or(0);
        self.longest_standstill = self.longest_standstill.max(still);
        self.points.push(Point {
            at: now.at,
            nodes: now.nodes,
            jobs_a_second: before.map(|_| summary.jobs_a_second),
            workers: summary.workers,
            roots: now
                .searches
                .iter()
                .filter(|search| search.is_open())
                .map(|search| (search.name.clone(), search.root))
                .collect(),
        });
        // What the first sample has counted was done before this time.
        let Some(before) = before else {
            for worker in &now.workers {
                self.meet(worker);
            }
            return;
        };
        self.restarts += u64::from(now.life != before.life);
        self.jobs += now.growth(before, |sample| sample.jobs_done);
        self.spent += now.growth(before, |sample| sample.spent);
        for reason in now.wasted.keys() {
            let of = |sample: &Sample| sample.wasted.get(reason).copied().unwrap_or(0);
            *self.wasted.entry(reason.clone()).or_default() += now.growth(before, of);
        }
        for search in &now.searches {
            let same = |sample: &Sample| sample.searches.iter().position(|s| s.name == search.name);
            let of = |sample: &Sample, count: fn(&SearchState) -> u64| {
                same(sample).map_or(0, |i| count(&sample.searches[i]))
            };
            let grown = |count: fn(&SearchState) -> u64| now.growth(before, |s| of(s, count));
            let total = self.searches.entry(search.name.clone()).or_default();
            total.jobs += grown(|s| s.jobs);
            total.spent += grown(|s| s.spent);
            // While the coordinator was down nobody worked on it.
            let was_open = same(before).is_some_and(|i| before.searches[i].is_open());
            if was_open && now.life == before.life {
                total.open += now.at.duration_since(before.at);
            }
        }
        for worker in &now.workers {
            let of = |sample: &Sample, count: fn(&WorkerState) -> u64| {
                let same = sample.workers.iter().find(|w| w.name == worker.name);
                same.map_or(0, count)
            };
            let grown = |count: fn(&WorkerState) -> u64| now.growth(before, |s| of(s, count));
            // These do not begin anew with a life of the coordinator.
            let more =
                |count: fn(&WorkerState) -> u64| of(now, count).saturating_sub(of(before, count));
            let total = self.meet(worker);
            total.refused += more(|w| w.refused);
            total.late += more(|w| w.late);
            total.contradicted += more(|w| w.contradicted);
            total.jobs += grown(|w| w.jobs);
            total.won += grown(|w| w.won);
            total.spent += grown(|w| w.spent);
            total.wasted += grown(|w| w.wasted);
            total.losses += grown(|w| w.losses);
        }
    }

    /// The row of a worker, with how it stands now.
    fn meet(&mut self, worker: &WorkerState) -> &mut WorkerState {
        let row = self.workers.entry(worker.name.clone()).or_default();
        row.name.clone_from(&worker.name);
        row.connected = worker.connected;
        row.slots = worker.slots;
        row.quarantine.clone_from(&worker.quarantine);
        row
    }
}

fn by_nearness(search: &SearchState) -> (SearchStatus, u32, String) {
    let proof = search.root.proof.unwrap_or(u32::MAX);
    (search.status, proof, search.name.clone())
}

fn proved_between(first: Option<&Sample>, searches: &[SearchState]) -> Vec<String> {
    let proved = |search: &&SearchState| search.is_proved();
    let before: BTreeSet<&str> = first
        .into_iter()
        .flat_map(|sample| sample.searches.iter().filter(proved))
        .map(|search| search.name.as_str())
        .collect();
    let news = searches
        .iter()
        .filter(proved)
        .map(|search| search.name.clone());
    news.filter(|name| !before.contains(name.as_str()))
        .collect()
}

fn most_first(parts: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut parts: Vec<_> = parts.into_iter().filter(|(_, part)| *part > 0).collect();
    parts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    parts
}

fn busiest_first(workers: BTreeMap<String, WorkerState>) -> Vec<WorkerState> {
    let mut workers: Vec<_> = workers.into_values().collect();
    workers.sort_by(|a, b| b.spent.cmp(&a.spent).then_with(|| a.name.cmp(&b.name)));
    workers
}

/// Of each life the last word counts, which is in its last sample.
fn slowest(samples: &[Sample]) -> Vec<SlowJob> {
    let lives: BTreeMap<u32, &Sample> = samples.iter().map(|s| (s.life, s)).collect();
    let mut jobs: Vec<SlowJob> = lives.values().flat_map(|s| s.slowest.clone()).collect();
    jobs.sort_by(|a, b| {
        b.seconds
            .cmp(&a.seconds)
            .then_with(|| a.position.cmp(&b.position))
    });
    jobs.truncate(SLOW_JOBS);
    jobs
}

/// Every so many, and always the last.
fn thinned(points: Vec<Point>) -> Vec<Point> {
    let step = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = |i: usize| i.is_multiple_of(step) || i == last;
    let all = points.into_iter().enumerate();
    all.filter(|(i, _)| kept(*i))
        .map(|(_, point)| point)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logs::{Nodes, RootNumbers};

    fn sample(minute: i64, life: u32, jobs: u64) -> Sample {
        Sample {
            at: Timestamp::from_second(60 * minute).unwrap(),
            life,
            jobs_done: jobs,
            spent: 100 * jobs,
            wasted: [("duplicate".to_owned(), 10 * jobs)].into(),
            nodes: Nodes {
                solved: jobs,
                open: 9,
            },
            workers: vec![WorkerState {
                name: "pc".to_owned(),
                connected: true,
                jobs,
                ..WorkerState::default()
            }],
            searches: vec![SearchState {
                name: "TX-H9".to_owned(),
                root: RootNumbers::new(9, 9),
                ..SearchState::default()
            }],
            ..Sample::default()
        }
    }

    fn report(samples: &[Sample]) -> Report {
        Report::from_samples(samples, TimeZone::UTC)
    }

    #[test]
    fn only_what_was_done_in_this_time_counts_across_restarts() {
        let report = report(&[sample(0, 1, 1000), sample(1, 1, 1060), sample(2, 2, 40)]);
        assert_eq!(
            (report.jobs, report.spent, report.restarts),
            (100, 10_000, 1)
        );
        assert_eq!(report.wasted, [("duplicate".to_owned(), 1000)]);
        assert_eq!(report.workers[0].jobs, 100);
        assert_eq!(report.wasted_share(), 0.1);
    }

    #[test]
    fn who_slows_the_search_is_named_with_what_it_did_in_this_time() {
        let at = |minute, life, late, quarantine: &str| {
            let mut sample = sample(minute, life, 0);
            sample.workers.push(WorkerState {
                name: "hoarder".to_owned(),
                late,
                quarantine: quarantine.to_owned(),
                ..WorkerState::default()
            });
            sample
        };
        let told = report(&[at(0, 1, 5, ""), at(1, 1, 7, ""), at(2, 2, 8, "by order")]);
        let slowing: Vec<_> = told.slowing().collect();
        let words = "in quarantine (by order), 3 late".to_owned();
        assert_eq!(slowing, [("hoarder", words)]);
        for told in [told.to_text(), told.to_html()] {
            assert!(told.contains("hoarder slows the search"), "{told}");
        }
    }

    #[test]
    fn what_was_proved_before_is_not_new() {
        let proved = |name: &str| SearchState {
            name: name.to_owned(),
            status: SearchStatus::Proved,
            ..SearchState::default()
        };
        let mut first = sample(0, 1, 0);
        first.searches.push(proved("old"));
        let mut last = first.clone();
        last.searches.push(proved("new"));
        let report = report(&[first, last]);
        assert_eq!(report.newly_proved, ["new"]);
        assert_eq!(report.headline(), "new was proved.");
        assert_eq!(
            report.searches.last().unwrap().name,
            "TX-H9",
            "open ones come after"
        );
    }

    #[test]
    fn an_empty_time_makes_a_report_too() {
        let report = report(&[]);
        assert_eq!(report.headline(), "Nothing was recorded in this time.");
        assert!(report.to_text().contains("Nothing was recorded"));
        assert!(report.to_html().contains("Nothing was recorded"));
    }

    #[test]
    fn weeks_of_samples_are_thinned_but_keep_their_end() {
        let samples: Vec<_> = (0..10_000).map(|i| sample(i, 1, 1)).collect();
        let report = report(&samples);
        assert!(report.points.len() <= POINTS + 1);
        assert_eq!(report.points.last().unwrap().at, samples.last().unwrap().at);
    }
}
