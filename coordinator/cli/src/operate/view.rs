//! What a coordinator tells, as commands print it.

use std::fmt::{self, Write as _};
use std::time::Duration;

use gridproof_game::draw::{Diagram, TerminalStyle};
use gridproof_game::{Colour, Move, Position, Rules, Symmetry};
use gridproof_grid::text::{self, Table};
use gridproof_grid::{default_attacker, position_record, record_after, search_name, turn_to};
use gridproof_proto::{colour_from_wire, v1};
use serde::Serialize;

use super::connect::CoordinatorError;

/// What is left to do; none cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Numbers {
    pub(super) proof: Option<u32>,
    pub(super) disproof: Option<u32>,
}

impl From<Option<v1::Numbers>> for Numbers {
    fn from(numbers: Option<v1::Numbers>) -> Self {
        // The largest two stand for what is decided, or given up by order.
        let counted = |number: u32| (number < u32::MAX - 1).then_some(number);
        let numbers = numbers.unwrap_or_default();
        Self {
            proof: counted(numbers.proof),
            disproof: counted(numbers.disproof),
        }
    }
}

/// How a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Open,
    Paused,
    Stopped,
    Proved,
    Failed,
}

/// A search.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Search {
    #[serde(rename = "search")]
    pub(super) id: u32,
    pub(super) name: String,
    #[serde(serialize_with = "as_text")]
    pub(super) attacker: Colour,
    pub(super) state: State,
    #[serde(flatten)]
    pub(super) numbers: Numbers,
    pub(super) share: u32,
    /// As it was submitted.
    #[serde(skip)]
    pub(super) game: String,
    #[serde(skip)]
    pub(super) root: Position,
}

fn as_text<S: serde::Serializer>(value: &impl fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.to_string().to_lowercase())
}

pub(super) fn missing(what: &str) -> CoordinatorError {
    CoordinatorError::BadAnswer(format!("{what} is missing"))
}

pub(super) fn unreadable(error: impl fmt::Display) -> CoordinatorError {
    CoordinatorError::BadAnswer(error.to_string())
}

impl TryFrom<&v1::SearchReport> for Search {
    type Error = CoordinatorError;

    fn try_from(report: &v1::SearchReport) -> Result<Self, Self::Error> {
        let root = report.root.as_ref().ok_or_else(|| missing("the root"))?;
        let root = Position::try_from(root).map_err(unreadable)?;
        let attacker = colour_from_wire(report.attacker).map_err(unreadable)?;
        let attacker = attacker.ok_or_else(|| missing("the attacker"))?;
        Ok(Self {
            id: report.search,
            name: search_name(&report.game, &root, attacker),
            attacker,
            state: match report.verdict() {
                v1::Verdict::Proved => State::Proved,
                v1::Verdict::Failed => State::Failed,
                _ if report.stopped => State::Stopped,
                _ if report.paused => State::Paused,
                _ => State::Open,
            },
            numbers: report.numbers.into(),
            share: report.share,
            game: report.game.trim_end_matches(':').to_owned(),
            root,
        })
    }
}

impl Search {
    /// Whether jobs are given out for it, or would be but for a pause.
    pub(super) fn is_running(&self) -> bool {
        matches!(self.state, State::Open | State::Paused)
    }

    /// What starts the same search.
    pub(super) fn submit_command(&self) -> String {
        if self.attacker == default_attacker(&self.root) {
            return format!("gridproof submit \"{}\"", self.game);
        }
        let attacker = self.attacker.to_string().to_lowercase();
        format!("gridproof submit \"{}\" --attacker {attacker}", self.game)
    }

    /// No verdict where there is none.
    pub(super) fn state_text(&self) -> String {
        let attacker = self.attacker;
        match self.state {
            State::Open => format!("open, {attacker} to prove"),
            State::Paused => format!("paused, {attacker} to prove"),
            State::Stopped => format!("stopped, {attacker} not proved"),
            State::Proved => format!("proved: {attacker} wins"),
            State::Failed => "nothing left to try".to_owned(),
        }
    }

    /// What stands between a search and its end.
    pub(super) fn distance(&self) -> String {
        let Numbers { proof, disproof } = self.numbers;
        let name = &self.name;
        match (self.state, proof, disproof) {
            (State::Paused, ..) => format!(
                "No jobs are given out for it: `gridproof resume --search \"{name}\"` takes that \
                 back.\n"
            ),
            (State::Stopped, ..) => {
                format!(
                    "It is not searched: `{}` takes it up again.\n",
                    self.submit_command()
                )
            }
            (State::Proved, ..) => {
                format!("`gridproof fetch \"{name}\"` gets the proof.\n")
            }
            (State::Failed, ..) => {
                "Nobody knows another move to try, which proves nothing: hint one, or raise the \
                 budgets.\n"
                    .to_owned()
            }
            (_, Some(proof), Some(disproof)) => format!(
                "About {} must still be settled to prove it, and {} to give it up.\n",
                text::plural(proof.into(), "position"),
                text::count(disproof.into()),
            ),
            _ => "An order took away what it stood on: hint a move, or resume a position.\n".into(),
        }
    }
}

pub(super) fn number(number: Option<u32>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| text::count(number.into()))
}

pub(super) fn search_table(searches: &[Search]) -> Table {
    let row = |search: &Search| {
        vec![
            search.id.to_string(),
            search.name.clone(),
            search.state_text(),
            number(search.numbers.proof),
            number(search.numbers.disproof),
            search.share.to_string(),
        ]
    };
    Table::new(["no.", "search", "state", "to prove", "to give up", "share"])
        .with_rows(searches.iter().map(row))
}

pub(super) fn searches(reply: &v1::ListReply) -> Result<Vec<Search>, CoordinatorError> {
    reply.searches.iter().map(Search::try_from).collect()
}

pub(super) fn list_text(searches: &[Search]) -> String {
    if searches.is_empty() {
        return "No searches yet: `gridproof submit TX-H9` starts one.\n".to_owned();
    }
    search_table(searches).to_string()
}

/// A worker.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Worker {
    pub(super) name: String,
    pub(super) state: &'static str,
    pub(super) slots: u32,
    pub(super) running: u32,
    pub(super) version: String,
    /// Jobs that it answered, and those that it won.
    pub(super) answers: u64,
    pub(super) wins: u64,
    /// Answers that made no sense, and jobs that it kept too long.
    pub(super) refused: u64,
    pub(super) late: u64,
    /// Answers that others came to as well, or did not.
    pub(super) confirmed: u64,
    pub(super) contradicted: u64,
    /// Why it is in quarantine.
    pub(super) quarantine: Option<String>,
}

impl Worker {
    /// What of it slows the search down.
    fn harm(&self) -> String {
        let counts = [
            (self.refused, "refused"),
            (self.late, "late"),
            (self.contradicted, "contradicted"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let words: Vec<_> = counts
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        if words.is_empty() {
            "-".to_owned()
        } else {
            words.join(", ")
        }
    }
}

impl From<v1::WorkerReport> for Worker {
    fn from(worker: v1::WorkerReport) -> Self {
        let record = worker.reliability.unwrap_or_default();
        let quarantine = Some(record.quarantine).filter(|reason| !reason.is_empty());
        Self {
            state: match (worker.banned, &quarantine, worker.connected) {
                (true, ..) => "cut off",
                (_, Some(_), _) => "quarantine",
                (_, _, true) => "here",
                (_, _, false) => "away",
            },
            answers: record.answers,
            wins: record.wins,
            refused: record.refused,
            late: record.late,
            confirmed: record.confirmed,
            contradicted: record.contradicted,
            quarantine,
            name: worker.name,
            slots: worker.slots,
            running: worker.running,
            version: worker.version,
        }
    }
}

pub(super) fn worker_table(workers: &[Worker]) -> Table {
    let row = |worker: &Worker| {
        vec![
            worker.name.clone(),
            worker.state.to_owned(),
            format!("{} of {}", worker.running, worker.slots),
            worker.answers.to_string(),
            worker.wins.to_string(),
            worker.harm(),
            worker.version.clone(),
        ]
    };
    Table::new(["worker", "state", "busy", "jobs", "won", "harm", "version"])
        .with_rows(workers.iter().map(row))
}

pub(super) fn workers_text(workers: &[Worker]) -> String {
    if workers.is_empty() {
        return "No worker was ever here: `gridproof-worker --coordinator URL` starts one.\n"
            .into();
    }
    worker_table(workers).to_string()
}

/// A job that runs.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Job {
    pub(super) node: u32,
    /// As a record that `gridproof show` reads.
    pub(super) position: String,
    pub(super) kind: &'static str,
    pub(super) worker: String,
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub(super) age: Duration,
    pub(super) spent: u64,
    pub(super) budget: u64,
}

fn as_seconds<S: serde::Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(time.as_secs())
}

pub(super) fn kind_name(kind: v1::JobKind) -> &'static str {
    match kind {
        v1::JobKind::Engine => "engine",
        v1::JobKind::Verifier => "verifier",
        v1::JobKind::Unspecified => "?",
    }
}

impl Job {
    pub(super) fn of(report: &v1::JobReport, searches: &[Search]) -> Option<Self> {
        let position = Position::try_from(report.position.as_ref()?).ok()?;
        Some(Self {
            node: report.node,
            position: record_as_asked(searches, &position).unwrap_or_default(),
            kind: kind_name(report.kind()),
            worker: report.worker.clone(),
            age: Duration::from_millis(report.age_ms),
            spent: report.spent,
            budget: report.budget,
        })
    }

    /// Whether it can be a search's.
    pub(super) fn is_of(report: &v1::JobReport, search: &Search) -> bool {
        let position = report.position.as_ref();
        let position = position.and_then(|position| Position::try_from(position).ok());
        position.is_some_and(|position| turn_to(&search.root, &position).is_some())
    }
}

/// Nodes are turned and mirrored; people see them as the first search that they can come from
/// was submitted.
pub(super) fn turn_as_asked<'a>(
    searches: &'a [Search],
    position: &Position,
) -> Option<(&'a Search, Symmetry)> {
    let mut searches = searches.iter();
    searches.find_map(|search| Some((search, turn_to(&search.root, position)?)))
}

/// A position as a record that `gridproof show` reads.
fn record_as_asked(searches: &[Search], position: &Position) -> Option<String> {
    match turn_as_asked(searches, position) {
        Some((search, turn)) => record_after(&search.root, &position.transformed(turn)),
        None => position_record(position),
    }
}

pub(super) fn job_table(jobs: &[Job]) -> Table {
    let row = |job: &Job| {
        vec![
            text::time(job.age),
            job.worker.clone(),
            job.kind.to_owned(),
            format!(
                "{} of {}",
                text::short(job.spent as f64),
                text::short(job.budget as f64)
            ),
            format!("#{}", job.node),
            job.position.clone(),
        ]
    };
    Table::new(["running for", "worker", "kind", "nodes", "node", "position"])
        .with_rows(jobs.iter().map(row))
}

/// A search in full.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Status {
    #[serde(flatten)]
    pub(super) search: Search,
    #[serde(rename = "best_line", serialize_with = "as_words")]
    pub(super) line: Vec<Move>,
    /// To the open reply that is farthest from a proof.
    #[serde(serialize_with = "as_words")]
    pub(super) hardest_reply: Vec<Move>,
    /// Oldest first.
    pub(super) jobs: Vec<Job>,
    pub(super) totals: Totals,
}

fn as_words<S: serde::Serializer>(line: &[Move], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(line.iter().map(ToString::to_string))
}

fn line_text(line: &[Move]) -> String {
    let moves: Vec<_> = line.iter().map(ToString::to_string).collect();
    moves.join(" / ")
}

pub(super) fn moves(line: &[v1::Move], rules: &Rules) -> Result<Vec<Move>, CoordinatorError> {
    let moves = line.iter().map(|mv| mv.read(rules));
    moves.collect::<Result<_, _>>().map_err(unreadable)
}

/// Counts of all searches.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Totals {
    pub(super) positions: u64,
    pub(super) proved: u64,
    pub(super) jobs_running: u64,
    pub(super) jobs_done: u64,
    pub(super) jobs_wasted: u64,
    pub(super) workers: u32,
    pub(super) slots: u32,
}

impl Totals {
    /// What an operator should know who waits for something to happen.
    pub(super) fn nobody_works(&self) -> Option<String> {
        let words = "No worker is here, so nothing happens yet: `gridproof-worker --coordinator \
                     URL` starts one.\n";
        (self.workers == 0).then(|| words.to_owned())
    }
}

impl From<Option<v1::Totals>> for Totals {
    fn from(totals: Option<v1::Totals>) -> Self {
        let totals = totals.unwrap_or_default();
        Self {
            positions: totals.nodes,
            proved: totals.proved,
            jobs_running: totals.jobs_running,
            jobs_done: totals.jobs_done,
            jobs_wasted: totals.jobs_wasted,
            workers: totals.workers,
            slots: totals.slots,
        }
    }
}

impl TryFrom<&v1::StatusReply> for Status {
    type Error = CoordinatorError;

    fn try_from(reply: &v1::StatusReply) -> Result<Self, Self::Error> {
        let search = reply.search.as_ref().ok_or_else(|| missing("the search"))?;
        let search = Search::try_from(search)?;
        Ok(Self {
            line: moves(&reply.main_line, search.root.rules())?,
            hardest_reply: Vec::new(),
            jobs: Vec::new(),
            totals: reply.totals.into(),
            search,
        })
    }
}

impl Status {
    pub(super) fn to_text(&self, style: TerminalStyle) -> String {
        let search = &self.search;
        let mut text = format!("{}: {}\n\n", search.name, search.state_text());
        let mut position = search.root.clone();
        let best = self.line.first().filter(|mv| position.play(mv).is_ok());
        let mut diagram = Diagram::new(&position);
        if let Some(mv) = best {
            let mover = search.root.to_move();
            diagram = diagram
                .with_caption(&format!("after the best move so far, {mover} {mv}"))
                .with_last_move(mv);
        }
        text.push_str(&diagram.to_terminal(style));
        text.push('\n');
        if !self.line.is_empty() {
            let _ = writeln!(text, "Best line: {}", line_text(&self.line));
        }
        // Without a reply it says no more than the best line.
        if self.hardest_reply.len() > 1 && self.hardest_reply != self.line {
            let line = line_text(&self.hardest_reply);
            let _ = writeln!(text, "Farthest from a proof: {line}");
        }
        text.push_str(&search.distance());
        if search.is_running()
            && let Some(words) = self.totals.nobody_works()
        {
            text.push_str(&words);
        }
        if !self.jobs.is_empty() {
            let _ = write!(text, "\nRunning jobs\n{}\n", job_table(&self.jobs));
        }
        let totals = self.totals;
        let _ = writeln!(
            text,
            "All searches: {}, {} proved; {} running, {} done, {} for nothing; {} with {}",
            text::plural(totals.positions, "position"),
            text::count(totals.proved),
            text::plural(totals.jobs_running, "job"),
            text::count(totals.jobs_done),
            text::count(totals.jobs_wasted),
            text::plural(totals.workers.into(), "worker"),
            text::plural(totals.slots.into(), "slot"),
        );
        text
    }
}

/// A position of a search, as a record that `gridproof show` reads where that can be said.
pub(super) fn node_name(node: u32, position: Option<&v1::Position>, searches: &[Search]) -> String {
    let position = position.and_then(|position| Position::try_from(position).ok());
    match position.and_then(|position| record_as_asked(searches, &position)) {
        Some(record) => format!("#{node} ({record})"),
        None => format!("#{node}"),
    }
}
