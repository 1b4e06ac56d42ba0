//! The live display of a search on a terminal.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use gridproof::core::SearchId;
use gridproof::logs::{Night, Sample};
use gridproof::shell::{SearchSnapshot, Snapshot};
use gridproof_game::{Colour, Move};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use jiff::Timestamp;
use tracing_subscriber::fmt::MakeWriter;

/// How often there is something new to see.
pub(super) const PERIOD: Duration = Duration::from_millis(500);

/// Jobs a second are told over this time: long enough to stand still, short enough to follow.
const RATE_OVER: Duration = Duration::from_secs(10);

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
    night: Night,
    answers: VecDeque<(Instant, u64)>,
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

    pub(super) fn show(&self, snapshot: &Snapshot, search: SearchId) {
        let of_search = |other: &&SearchSnapshot| other.view.search == search;
        let Some(found) = snapshot.searches.iter().find(of_search) else {
            return;
        };
        let mut history = self
            .history
            .lock()
            .expect("nothing panics while it is shown");
        let sample = Sample::of(snapshot, Timestamp::now());
        let summary = history.night.add(&sample);
        let of_game = |line: &&gridproof::logs::RootLine| line.name == found.game;
        if let Some(line) = summary.roots.iter().find(of_game) {
            let was = line.before.filter(|before| *before != line.root);
            let was = was.map_or(String::new(), |before| format!("  (was {before})"));
            let words = format!("{} to prove/disprove {}{was}", line.root, line.heading);
            self.root.set_message(words);
        }
        bar(
            &self.positions,
            snapshot.proved,
            snapshot.nodes,
            &format!("{} proved of {}", snapshot.proved, snapshot.nodes),
        );
        let rate = history.jobs_a_second(Instant::now(), snapshot.stats.answers);
        bar(
            &self.slots,
            snapshot.running_jobs,
            snapshot.slots() as usize,
            &format!(
                "{} of {} busy, {} jobs, {rate:.1} a second, {:.0}% wasted",
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

impl History {
    fn jobs_a_second(&mut self, now: Instant, answers: u64) -> f64 {
        let is_old = |then: &Instant| now.duration_since(*then) > RATE_OVER;
        // The newest of the old ones stays, to count from.
        while self.answers.get(1).is_some_and(|(then, _)| is_old(then)) {
            self.answers.pop_front();
        }
        self.answers.push_back((now, answers));
        let (then, before) = self.answers[0];
        let seconds = now.duration_since(then).as_secs_f64();
        if seconds <= 0.0 {
            return 0.0;
        }
        answers.saturating_sub(before) as f64 / seconds
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_a_second_follow_the_last_seconds() {
        let mut history = History::default();
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(history.jobs_a_second(at(0), 0), 0.0);
        assert_eq!(history.jobs_a_second(at(5), 50), 10.0);
        for second in 6..60 {
            history.jobs_a_second(at(second), 50);
        }
        assert_eq!(history.jobs_a_second(at(60), 50), 0.0);
    }
}
