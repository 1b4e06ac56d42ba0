use std::collections::{BTreeMap, VecDeque};

use jiff::{SignedDuration, Timestamp};

use super::sample::{RootNumbers, Sample, SearchState, SearchStatus};
use super::summary::{Direction, SearchProgress, Summary};

/// How far back trends look.
const LOOK_BACK: SignedDuration = SignedDuration::from_hours(1);

const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// How long nothing may move before it is said.
const STAGNANT: SignedDuration = SignedDuration::from_mins(30);

/// A change of the numbers' ratio by less than this factor is none.
const STEADY: f64 = 1.05;

/// Turns samples into summaries. Remembers the last hour.
#[derive(Clone, Debug, Default)]
pub struct Trend {
    /// Oldest first.
    recent: VecDeque<Sample>,
    moved: Option<Timestamp>,
}

impl Trend {
    /// Samples must come in order of time.
    pub fn add(&mut self, now: &Sample) -> Summary {
        let last = self.recent.back();
        if last.is_none_or(|last| has_moved(last, now)) {
            self.moved = Some(now.at);
        }
        // The oldest that is kept is the one from just before the hour, to compare with.
        while self
            .recent
            .get(1)
            .is_some_and(|second| now.at.duration_since(second.at) >= LOOK_BACK)
        {
            self.recent.pop_front();
        }
        let summary = self.summary(now);
        self.recent.push_back(now.clone());
        summary
    }

    fn summary(&self, now: &Sample) -> Summary {
        let ended =
            |status: SearchStatus| now.searches.iter().filter(|s| s.status == status).count();
        let shares = now
            .wasted
            .iter()
            .filter(|&(_, &part)| part > 0)
            .map(|(reason, &part)| (reason.clone(), ratio(part, now.spent)));
        let wasted_by: BTreeMap<String, f64> = shares.collect();
        Summary {
            roots: self.search_progress(now),
            proved: ended(SearchStatus::Proved) as u64,
            searches: now.searches.len() as u64,
            nodes: now.nodes,
            jobs_a_second: self.jobs_a_second(now),
            workers: now.connected().count() as u64,
            wasted: ratio(now.wasted_total(), now.spent),
            wasted_by,
            stagnant_seconds: self.stagnant_seconds(now),
        }
    }

    fn search_progress(&self, now: &Sample) -> Vec<SearchProgress> {
        let last = self.recent.back();
        let long_ago = self.recent.front();
        let news = |search: &&SearchState| {
            let before = last.and_then(|last| find(last, &search.name));
            search.status == SearchStatus::Open
                || before.is_none_or(|b| b.status == SearchStatus::Open)
        };
        let mut lines: Vec<_> = now
            .searches
            .iter()
            .filter(news)
            .map(|search| {
                let before = long_ago.and_then(|sample| find(sample, &search.name));
                let before = before.map(|search| search.root);
                SearchProgress {
                    id: search.id,
                    name: search.name.clone(),
                    status: search.status,
                    root: search.root,
                    before,
                    direction: before
                        .map_or(Direction::Level, |before| direction(before, search.root)),
                }
            })
            .collect();
        // What ended is news; then what is nearest to its end.
        lines.sort_by_key(|line| {
            (
                line.status == SearchStatus::Open,
                line.root.proof.unwrap_or(u32::MAX),
            )
        });
        lines
    }

    /// Since the line before, so that a longest_standstill shows at once; but not over a moment, which
    /// says nothing.
    fn jobs_a_second(&self, now: &Sample) -> f64 {
        let age = |sample: &Sample| now.at.duration_since(sample.at);
        let mut before = self.recent.iter().rev();
        let Some(last) = before.find(|sample| age(sample) >= SECOND) else {
            return 0.0;
        };
        now.growth(last, |sample| sample.jobs_done) as f64 / age(last).as_secs_f64()
    }

    fn stagnant_seconds(&self, now: &Sample) -> Option<u64> {
        let open = now.searches.iter().any(SearchState::is_open);
        let still = now.at.duration_since(self.moved?);
        let seconds = u64::try_from(still.as_secs()).ok()?;
        (open && still >= STAGNANT).then_some(seconds)
    }
}

fn find<'a>(sample: &'a Sample, name: &str) -> Option<&'a SearchState> {
    sample.searches.iter().find(|search| search.name == name)
}

/// Nodes were solved, or a root has other numbers, or searches came or went.
fn has_moved(before: &Sample, now: &Sample) -> bool {
    let roots = |sample: &Sample| -> Vec<(String, RootNumbers)> {
        let searches = sample.searches.iter();
        searches
            .map(|search| (search.name.clone(), search.root))
            .collect()
    };
    now.nodes.solved > before.nodes.solved || roots(before) != roots(now)
}

fn direction(before: RootNumbers, now: RootNumbers) -> Direction {
    // What an order has given up is as far away as can be, and cannot be compared.
    let distance = |root: RootNumbers| match (root.proof, root.disproof) {
        (Some(0), _) => Some(0.0),
        (_, Some(0)) => Some(f64::INFINITY),
        (Some(proof), Some(disproof)) => Some(f64::from(proof) / f64::from(disproof)),
        (None, _) | (_, None) => None,
    };
    match (distance(before), distance(now)) {
        (Some(before), Some(now)) if now * STEADY < before => Direction::Nearer,
        (Some(before), Some(now)) if now > before * STEADY => Direction::Farther,
        _ => Direction::Level,
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Nodes, WorkerState};
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(60 * minute).unwrap()
    }

    fn search(name: &str, status: SearchStatus, root: RootNumbers) -> SearchState {
        SearchState {
            name: name.to_owned(),
            status,
            root,
            ..SearchState::default()
        }
    }

    fn sample(minute: i64, root: RootNumbers, solved: u64) -> Sample {
        Sample {
            at: at(minute),
            searches: vec![search("TX-H9", SearchStatus::Open, root)],
            nodes: Nodes { solved, open: 458 },
            jobs_done: 60 * u64::try_from(minute).unwrap(),
            spent: 1000,
            wasted: [("worker lost".to_owned(), 30), ("duplicate".to_owned(), 50)].into(),
            workers: vec![WorkerState {
                connected: true,
                ..WorkerState::default()
            }],
            ..Sample::default()
        }
    }

    #[test]
    fn the_line_tells_how_the_night_goes() {
        let mut trend = Trend::default();
        trend.add(&sample(0, RootNumbers::new(30, 20), 1000));
        let summary = trend.add(&sample(1, RootNumbers::new(12, 48), 1203));
        assert_eq!(
            summary.to_string(),
            "TX-H9 12/48 ↘ (was 30/20), 1 search | 1,203 nodes solved, 458 open | 1 jobs/s, \
             1 worker | wasted 8% (duplicate 5%, worker lost 3%)"
        );
    }

    #[test]
    fn machines_read_the_same_line_as_an_object() {
        let summary = Trend::default().add(&sample(0, RootNumbers::new(3, u32::MAX), 5));
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!(json["roots"][0]["name"], "TX-H9");
        assert_eq!(
            json["roots"][0]["root"]["disproof"],
            serde_json::Value::Null
        );
        assert_eq!(json["nodes"]["solved"], 5);
    }

    #[test]
    fn trends_look_an_hour_back() {
        let mut trend = Trend::default();
        for minute in 0..=90 {
            let proof = u32::try_from(100 + minute).unwrap();
            let summary = trend.add(&sample(minute, RootNumbers::new(proof, 100), 0));
            let before = summary.roots[0].before;
            let hour_ago = u32::try_from(100 + (minute - 60).max(0)).unwrap();
            if minute > 0 {
                assert_eq!(
                    before,
                    Some(RootNumbers::new(hour_ago, 100)),
                    "minute {minute}"
                );
            }
        }
        let summary = trend.add(&sample(91, RootNumbers::new(191, 100), 0));
        assert_eq!(summary.roots[0].direction, Direction::Farther);
    }

    #[test]
    fn a_standstill_is_told_after_half_an_hour_and_ends_with_a_move() {
        let mut trend = Trend::default();
        let root = RootNumbers::new(7, 7);
        for minute in 0..30 {
            assert_eq!(trend.add(&sample(minute, root, 9)).stagnant_seconds, None);
        }
        let summary = trend.add(&sample(30, root, 9));
        assert_eq!(summary.stagnant_seconds, Some(1800));
        assert!(
            summary
                .to_string()
                .ends_with("WARNING: nothing has moved for 30 min")
        );
        assert_eq!(trend.add(&sample(31, root, 10)).stagnant_seconds, None);
    }

    #[test]
    fn a_search_that_ended_is_told_once_and_first() {
        let mut trend = Trend::default();
        let mut now = sample(0, RootNumbers::new(1, 9), 0);
        now.searches
            .push(search("XX-L8", SearchStatus::Open, RootNumbers::new(5, 5)));
        trend.add(&now);
        now.at = at(1);
        now.searches[1] = search("XX-L8", SearchStatus::Proved, RootNumbers::new(0, u32::MAX));
        assert!(
            trend
                .add(&now)
                .to_string()
                .starts_with("XX-L8 PROVED, TX-H9 1/9 →, 1 of 2 proved")
        );
        now.at = at(2);
        assert_eq!(trend.add(&now).roots.len(), 1);
    }

    #[test]
    fn a_restart_does_not_make_counts_negative() {
        let mut trend = Trend::default();
        trend.add(&sample(10, RootNumbers::new(5, 5), 0));
        let mut restarted = sample(11, RootNumbers::new(5, 5), 0);
        (restarted.life, restarted.jobs_done) = (1, 120);
        assert_eq!(trend.add(&restarted).jobs_a_second, 2.0);
    }

    #[test]
    fn a_number_that_an_order_has_given_up_is_never_shown() {
        let forgotten = RootNumbers::new(20, u32::MAX - 1);
        assert_eq!(forgotten.to_string(), "20/∞");
        let mut trend = Trend::default();
        trend.add(&sample(0, RootNumbers::new(30, 20), 0));
        let summary = trend.add(&sample(1, forgotten, 0));
        assert_eq!(summary.roots[0].direction, Direction::Level);
        assert!(!summary.to_string().contains("42949"), "{summary}");
        let json = serde_json::to_string(&summary).unwrap();
        assert!(!json.contains("42949"), "{json}");
    }
}
