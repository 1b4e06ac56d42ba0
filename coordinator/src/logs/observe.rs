use jiff::Timestamp;

use super::sample::{Ending, Nodes, Root, Sample, SearchState, WorkerState};
use crate::core::{Verdict, Waste};
use crate::shell::{SearchSnapshot, Snapshot, WorkerSnapshot};

/// More of the best line than anyone reads in a table.
const LINE: usize = 6;

impl Sample {
    /// What the shell tells of itself. `life` is any number that is larger with each start of
    /// the coordinator.
    #[must_use]
    pub fn of(snapshot: &Snapshot, at: Timestamp, life: u32) -> Self {
        let stats = &snapshot.stats;
        let wasted = Waste::ALL.iter().filter_map(|reason| {
            let nodes = stats.wasted.get(reason)?.nodes;
            (nodes > 0).then(|| (reason.name().to_owned(), nodes))
        });
        let wasted: std::collections::BTreeMap<_, _> = wasted.collect();
        let proved = snapshot.proved as u64;
        Self {
            at,
            life,
            searches: snapshot.searches.iter().map(search_state).collect(),
            nodes: Nodes {
                solved: proved,
                open: (snapshot.nodes as u64).saturating_sub(proved),
            },
            jobs_done: stats.answers,
            jobs_running: snapshot.running_jobs as u64,
            spent: stats.useful_nodes + wasted.values().sum::<u64>(),
            wasted,
            workers: snapshot.workers.iter().map(worker_state).collect(),
            slowest: Vec::new(),
        }
    }
}

fn search_state(search: &SearchSnapshot) -> SearchState {
    let line = search.main_line.iter().take(LINE).map(ToString::to_string);
    SearchState {
        name: search.game.clone(),
        ending: match search.view.verdict {
            Verdict::Open => Ending::Open,
            Verdict::Proved => Ending::Proved,
            Verdict::Failed => Ending::Failed,
        },
        root: Root::new(search.view.numbers.proof, search.view.numbers.disproof),
        line: line.collect::<Vec<_>>().join(" "),
        ..SearchState::default()
    }
}

fn worker_state(worker: &WorkerSnapshot) -> WorkerState {
    WorkerState {
        name: worker.name.clone(),
        connected: worker.connected,
        slots: worker.slots,
        ..WorkerState::default()
    }
}
