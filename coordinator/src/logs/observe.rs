use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position};
use jiff::Timestamp;

use super::sample::{Ending, Nodes, Root, Sample, SearchState, SlowJob, WorkerState};
use crate::core::{Verdict, Waste};
use crate::shell::{LongJob, SearchSnapshot, Snapshot, WorkerSnapshot, kind_name};

/// More of the best line than anyone reads in a table.
const LINE: usize = 6;

impl Sample {
    /// What the shell tells of itself.
    #[must_use]
    pub fn of(snapshot: &Snapshot, at: Timestamp) -> Self {
        let stats = &snapshot.stats;
        let wasted = Waste::ALL.iter().filter_map(|reason| {
            let nodes = stats.wasted.get(reason)?.nodes;
            (nodes > 0).then(|| (reason.name().to_owned(), nodes))
        });
        let wasted: std::collections::BTreeMap<_, _> = wasted.collect();
        // One that was stopped is nobody's concern any more.
        let searches = snapshot.searches.iter();
        let searches = searches.filter(|search| !search.view.stopped);
        let proved = snapshot.proved as u64;
        Self {
            at,
            life: snapshot.life,
            searches: searches.map(search_state).collect(),
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
        jobs: worker.tally.jobs,
        won: worker.tally.won,
        spent: worker.tally.spent,
        wasted: worker.tally.wasted,
        losses: worker.tally.losses,
    }
}

fn slow_job(job: &LongJob, snapshot: &Snapshot) -> SlowJob {
    SlowJob {
        // Several searches share their positions, so only one alone can be named.
        search: match &snapshot.searches[..] {
            [only] => only.game.clone(),
            _ => String::new(),
        },
        position: record_of(&job.position).unwrap_or_else(|| job.node.to_string()),
        kind: kind_name(job.kind).to_owned(),
        worker: job.worker.clone(),
        seconds: job.took.as_secs(),
        spent: job.spent,
        outcome: job.outcome.to_owned(),
    }
}

/// A game that leads to the position, if its stones can be dealt out by turns: where moves
/// with null stones led to it they cannot.
fn record_of(position: &Position) -> Option<String> {
    let rules = position.rules();
    let [mut black, mut white] =
        [Colour::Black, Colour::White].map(|colour| position.stones(colour).iter());
    let mut game = Game::new(*rules);
    let mut left = position.stone_count();
    while left > 0 {
        let side = game.position().to_move();
        let count = game.position().move_len();
        let stones: Vec<_> = match side {
            Colour::Black => black.by_ref().take(count).collect(),
            Colour::White => white.by_ref().take(count).collect(),
        };
        left = left
            .checked_sub(stones.len())
            .filter(|_| stones.len() == count)?;
        game.play(Move::full(stones)).ok()?;
    }
    let words = game.moves().iter().map(|mv| {
        let stones = mv.stones().iter().map(ToString::to_string);
        stones.collect::<Vec<_>>().join(",")
    });
    Some(words.collect::<Vec<_>>().join(" "))
}
