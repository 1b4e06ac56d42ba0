//! What is shown while a search runs: a live display on a terminal, else a line now and then.

use std::path::Path;
use std::time::{Duration, Instant};

use gridproof::core::SearchId;
use gridproof::shell::{SearchSnapshot, Snapshot};
use gridproof_game::{Colour, Move};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tracing::info;

/// Shows how a search goes.
#[derive(Debug)]
pub(super) struct Display {
    started: Instant,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Live {
        numbers: ProgressBar,
        jobs: ProgressBar,
        line: ProgressBar,
    },
    Lines,
}

impl Display {
    pub(super) fn start(game: &str, attacker: Colour, folder: &Path, terminal: bool) -> Self {
        let words = format!("{game}: does {attacker} win? Kept in {}", folder.display());
        let kind = if terminal {
            let all = MultiProgress::new();
            let bar = |template: &str| {
                let style = ProgressStyle::with_template(template);
                let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
                all.add(ProgressBar::new_spinner().with_style(style))
            };
            let title = bar("{spinner} {msg}  [{elapsed_precise}]");
            title.set_message(words);
            title.enable_steady_tick(Duration::from_millis(200));
            Kind::Live {
                numbers: title,
                jobs: bar("  {msg}"),
                line: bar("  {msg}"),
            }
        } else {
            info!("{words}");
            Kind::Lines
        };
        Self {
            started: Instant::now(),
            kind,
        }
    }

    /// How often there should be something new.
    pub(super) fn period(&self) -> Duration {
        match self.kind {
            Kind::Live { .. } => Duration::from_millis(500),
            Kind::Lines => Duration::from_secs(10),
        }
    }

    pub(super) fn show(&self, snapshot: &Snapshot, search: SearchId) {
        let of_search = |other: &&SearchSnapshot| other.view.search == search;
        let Some(found) = snapshot.searches.iter().find(of_search) else {
            return;
        };
        let jobs = self.jobs(snapshot);
        let state = format!(
            "root {}, {} positions, {} proved; {jobs}",
            found.view.numbers, snapshot.nodes, snapshot.proved,
        );
        let moves = line(&found.main_line);
        match &self.kind {
            Kind::Live { jobs, line, .. } => {
                jobs.set_message(state);
                line.set_message(moves);
            }
            Kind::Lines => info!("{state}; {moves}"),
        }
    }

    fn jobs(&self, snapshot: &Snapshot) -> String {
        let stats = &snapshot.stats;
        let seconds = self.started.elapsed().as_secs_f64().max(0.001);
        format!(
            "{} of {} slots busy, {} jobs, {:.1} a second",
            snapshot.running_jobs,
            snapshot.slots(),
            stats.answers,
            stats.answers as f64 / seconds,
        )
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Kind::Live {
            numbers,
            jobs,
            line,
        } = &self.kind
        {
            for bar in [numbers, jobs, line] {
                bar.finish_and_clear();
            }
        }
    }
}

fn line(moves: &[Move]) -> String {
    const SHOWN: usize = 8;
    let mut text: Vec<_> = moves.iter().take(SHOWN).map(ToString::to_string).collect();
    if moves.len() > SHOWN {
        text.push("…".to_owned());
    }
    text.join(", ")
}
