//! The live display of a search on a terminal.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gridproof_game::{Colour, Move};
use gridproof_grid::coordinator::{Coordinator, CoordinatorGone, Page, Snapshot};
use gridproof_grid::logs::{Sample, Trend};
use gridproof_search::SearchId;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use jiff::Timestamp;
use tracing_subscriber::fmt::MakeWriter;

use super::rate::Rate;

/// How often there is something new to see.
const PERIOD: Duration = Duration::from_millis(500);

/// Where the display is drawn. Log lines must go through it, or both come out broken.
#[derive(Clone, Debug, Default)]
pub(super) struct Screen(MultiProgress);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl<'a> MakeWriter<'a> for Screen {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Shows how a search goes, until it is dropped.
#[derive(Debug)]
pub(super) struct Display {
    title: ProgressBar,
    root: ProgressBar,
    positions: ProgressBar,
    slots: ProgressBar,
    line: ProgressBar,
    // A std Mutex: the display is shown from one task, and never while it waits.
    history: Mutex<History>,
}

#[derive(Debug, Default)]
struct History {
    trend: Trend,
    answers: Rate,
}

impl Display {
    pub(super) fn start(screen: &Screen, game: &str, attacker: Colour, folder: &Path) -> Self {
        let row = |template: &str| {
            let style = ProgressStyle::with_template(template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            let style = style.progress_chars("█▉▊▋▌▍▎▏░");
            screen.0.add(ProgressBar::no_length().with_style(style))
        };
        let title = row("{spinner} {wide_msg} {elapsed_precise}");
        title.set_message(format!(
            "{game}: does {attacker} win? Kept in {}",
            folder.display()
        ));
        title.enable_steady_tick(PERIOD / 4);
        Self {
            title,
            root: row("  root       {wide_msg}"),
            positions: row("  positions  {bar:16.green} {wide_msg}"),
            slots: row("  workers    {bar:16.blue} {wide_msg}"),
            line: row("  main line  {wide_msg}"),
            history: Mutex::default(),
        }
    }

    /// Shows how a search goes as long as there is a coordinator.
    pub(super) async fn follow(
        &self,
        coordinator: &Coordinator,
        search: SearchId,
    ) -> Result<(), CoordinatorGone> {
        const OLDEST: Page = Page {
            offset: 0,
            limit: 1,
        };
        let mut ticks = tokio::time::interval(PERIOD);
        loop {
            ticks.tick().await;
            let oldest = coordinator.jobs(OLDEST).await?;
            let oldest = oldest.jobs.first().map(|job| job.age);
            self.show(&coordinator.snapshot().await?, search, oldest);
        }
    }

    /// `oldest` is how long the oldest job has been running.
    fn show(&self, snapshot: &Snapshot, search: SearchId, oldest: Option<Duration>) {
        let Some(found) = snapshot.search(search) else {
            return;
        };
        let mut history = self
            .history
            .lock()
            .expect("nothing panics while it is shown");
        let sample = Sample::of(snapshot, Timestamp::now());
        let summary = history.trend.add(&sample);
        let of_search = |line: &&gridproof_grid::logs::SearchProgress| line.id == search.0;
        if let Some(line) = summary.roots.iter().find(of_search) {
            let was = line.before.filter(|before| *before != line.root);
            let was = was.map_or(String::new(), |before| format!("  (was {before})"));
            let words = format!(
                "{} to prove / to give up {}{was}",
                line.root, line.direction
            );
            self.root.set_message(words);
        }
        bar(
            &self.positions,
            snapshot.proved,
            snapshot.nodes,
            &format!("{} proved of {}", snapshot.proved, snapshot.nodes),
        );
        history.answers.add(Instant::now(), snapshot.stats.answers);
        let rate = history.answers.a_second();
        let oldest = oldest.filter(|age| age.as_secs() > 0);
        let oldest = oldest.map_or_else(String::new, |age| {
            format!(", oldest job {}", gridproof_grid::text::time(age))
        });
        bar(
            &self.slots,
            snapshot.running_jobs,
            snapshot.slots() as usize,
            &format!(
                "{} of {} busy{oldest}, {} jobs, {rate:.1} a second, {:.0}% wasted",
                snapshot.running_jobs,
                snapshot.slots(),
                snapshot.stats.answers,
                100.0 * summary.wasted,
            ),
        );
        self.line.set_message(main_line(&found.main_line));
    }
}

fn bar(bar: &ProgressBar, part: usize, whole: usize, words: &str) {
    bar.set_length(whole.max(1) as u64);
    bar.set_position(part as u64);
    bar.set_message(words.to_owned());
}

impl Drop for Display {
    fn drop(&mut self) {
        for row in [
            &self.title,
            &self.root,
            &self.positions,
            &self.slots,
            &self.line,
        ] {
            row.finish_and_clear();
        }
    }
}

fn main_line(moves: &[Move]) -> String {
    const SHOWN: usize = 8;
    let mut text: Vec<_> = moves.iter().take(SHOWN).map(ToString::to_string).collect();
    if moves.len() > SHOWN {
        text.push("…".to_owned());
    }
    text.join(" / ")
}
