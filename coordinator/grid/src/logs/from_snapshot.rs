use std::collections::BTreeMap;

use gridproof_game::Move;
use jiff::Timestamp;

use super::sample::{Nodes, RootNumbers, Sample, SearchState, SearchStatus, SlowJob, WorkerState};
use crate::coordinator::{LongJob, SearchSnapshot, Snapshot, WorkerSnapshot};
use gridproof_search::Verdict;

/// More of the best line than anyone reads in a table.
const LINE: usize = 6;

impl Sample {
    /// What the shell tells of itself.
    #[must_use]
    pub fn of(snapshot: &Snapshot, at: Timestamp) -> Self {
        let stats = &snapshot.stats;
        let wasted = stats.wasted.iter();
        let wasted = wasted.map(|(reason, wasted)| (reason.to_string(), wasted.nodes));
        let wasted: BTreeMap<_, _> = wasted.filter(|(_, nodes)| *nodes > 0).collect();
        let proved = snapshot.proved as u64;
        Self {
            at,
            life: snapshot.life,
            searches: search_states(snapshot),
            nodes: Nodes {
                solved: proved,
                open: (snapshot.nodes as u64).saturating_sub(proved),
            },
            jobs_done: stats.answers,
            jobs_running: snapshot.running_jobs as u64,
            spent: stats.useful_nodes + wasted.values().sum::<u64>(),
            wasted,
            workers: snapshot.workers.iter().map(worker_state).collect(),
            slowest: snapshot
                .longest
                .iter()
                .map(|job| slow_job(job, snapshot))
                .collect(),
            book: None,
        }
    }
}

/// All searches but those that were stopped without a proof, which are nobody's concern any
/// more.
fn search_states(snapshot: &Snapshot) -> Vec<SearchState> {
    let concerns =
        |search: &&SearchSnapshot| !search.view.stopped || search.view.verdict == Verdict::Proved;
    let searches = snapshot.searches.iter().filter(concerns);
    searches
        .map(|search| SearchState {
            id: search.view.search.0,
            name: unique_name(search, snapshot),
            status: match search.view.verdict {
                Verdict::Open => SearchStatus::Open,
                Verdict::Proved => SearchStatus::Proved,
                Verdict::Failed => SearchStatus::Failed,
            },
            root: RootNumbers::new(search.view.numbers.proof, search.view.numbers.disproof),
            jobs: search.view.spent.jobs,
            spent: search.view.spent.nodes,
            position: crate::position_record(&search.root).unwrap_or_default(),
            attacker: search.view.attacker.to_string().to_lowercase(),
            line: moves(&search.main_line),
            ..SearchState::default()
        })
        .collect()
}

/// Two files of one name, and all that comes on standard input, are told apart by number.
fn unique_name(search: &SearchSnapshot, snapshot: &Snapshot) -> String {
    let own = search.name();
    let is_other = |other: &SearchSnapshot| other.view.search != search.view.search;
    if snapshot
        .searches
        .iter()
        .any(|s| is_other(s) && s.name() == own)
    {
        format!("{own} #{}", search.view.search.0)
    } else {
        own
    }
}

fn moves(line: &[Move]) -> String {
    let words: Vec<_> = line.iter().take(LINE).map(ToString::to_string).collect();
    words.join(" / ")
}

fn worker_state(worker: &WorkerSnapshot) -> WorkerState {
    WorkerState {
        name: worker.name.clone(),
        connected: worker.connected,
        slots: worker.slots,
        jobs: worker.tally.jobs,
        won: worker.tally.won,
        spent: worker.tally.spent,
        wasted: worker.tally.wasted,
        losses: worker.tally.losses,
        refused: worker.reliability.refused,
        late: worker.reliability.late,
        contradicted: worker.reliability.contradicted,
        quarantine: worker
            .reliability
            .quarantine
            .map_or_else(String::new, |reason| reason.to_string()),
    }
}

fn slow_job(job: &LongJob, snapshot: &Snapshot) -> SlowJob {
    // The first search that the position can come from.
    let mut searches = snapshot.searches.iter();
    let found = searches.find_map(|search| {
        let turn = crate::turn_to(&search.root, &job.position)?;
        let position = crate::record_after(&search.root, &job.position.transformed(turn))?;
        Some((unique_name(search, snapshot), position))
    });
    let (search, position) = found.unwrap_or_else(|| {
        let position = crate::position_record(&job.position);
        let position = position.unwrap_or_else(|| job.node.to_string());
        (String::new(), position)
    });
    SlowJob {
        search,
        position,
        kind: job.kind.to_string(),
        worker: job.worker.clone(),
        seconds: job.took.as_secs(),
        spent: job.spent,
        outcome: job.end.to_string(),
    }
}
