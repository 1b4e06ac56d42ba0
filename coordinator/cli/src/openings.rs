use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use gridproof_certificate::{CheckLimits, FILE_ENDING, check_file};
use gridproof_game::{Colour, Opening};
use gridproof_grid::GridBook;
use gridproof_grid::campaign::{self, Attempt, Index, Outcome, State, Won, svg_map, terminal_map};
use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions};
use gridproof_grid::embedded::LocalGrid;
use gridproof_grid::logs::{ProofFileError, add_to_book, save_and_check};
use gridproof_grid::store::{DiskStore, Durability};
use gridproof_host::logs::LogOptions;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use tokio::task::JoinSet;

use super::Failure;
use super::book::SearchBook;
use super::budgets::JobBudgets;
use super::exit::BadInput;
use super::output;
use super::values::{self, Count, Time};

/// Solve all openings near the centre, and draw the map of them
///
/// Black's first stone is at the centre; White's replies, one of each class that turns or
/// mirrors into each other, are searched over one store of facts, one for each worker at a
/// time. The folder gets the store, a certificate for each solved opening, index.json, openings.tsv and
/// map.svg, and all are brought up to date after each opening. The same command goes on where
/// it was stopped; a larger --nodes is the next round. What resists one way of searching often
/// falls to another: a round with another --store starts afresh, for example with larger jobs.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Openings {
    #[command(subcommand)]
    command: Option<Command>,
    /// The campaign's folder
    #[arg(long, value_name = "DIR", default_value = DATA)]
    data: PathBuf,
    /// The store of facts, which several campaigns may use one after the other [default: store
    /// in the campaign's folder]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// How far White's stones may be from the centre
    #[arg(long, value_name = "STEPS", default_value_t = 3,
        value_parser = clap::value_parser!(u8).range(1..=9))]
    within: u8,
    /// Only these openings, such as TX-H9,I7-G9
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<Opening>,
    /// The side to be proved winning
    #[arg(long, value_name = "COLOUR", value_parser = values::colour, default_value = "black")]
    attacker: Colour,
    /// Search nodes that each opening may cost in all; 30 million are about a minute of a core
    #[arg(long, value_name = "NODES", default_value_t = Count(30_000_000))]
    nodes: Count,
    #[command(flatten)]
    budgets: JobBudgets,
    #[command(flatten)]
    book: SearchBook,
    /// Stop after this time, such as 30m or 8h; what was found out is kept
    #[arg(long, value_name = "TIME")]
    time: Option<Time>,
    /// Jobs at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    workers: Option<NonZeroU16>,
    #[command(flatten)]
    logs: LogOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(CheckAll),
    Map(Map),
}

/// Check all certificates of a campaign from scratch
#[derive(Debug, Args)]
struct CheckAll {
    #[command(flatten)]
    campaign: Campaign,
}

/// Draw the map of a campaign
#[derive(Debug, Args)]
struct Map {
    #[command(flatten)]
    campaign: Campaign,
}

/// A campaign that was begun.
#[derive(Debug, Args)]
struct Campaign {
    /// The campaign's folder
    #[arg(value_name = "DIR", default_value = DATA)]
    folder: PathBuf,
    /// The same
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    data: Option<PathBuf>,
}

impl Campaign {
    fn folder(&self) -> &Path {
        self.data.as_ref().unwrap_or(&self.folder)
    }
}

const DATA: &str = "gridproof-data/openings";

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("{refused} of {all} certificates are not what the index says")]
    Some { refused: usize, all: usize },
    #[error("the index tells of no solved opening: there is nothing to check")]
    Nothing,
}

impl Openings {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Some(Command::Check(check)) => check.run(),
            Some(Command::Map(map)) => {
                output::print(terminal_map(&Index::load(map.campaign.folder())?).as_bytes())
            }
            None => self.solve_all(),
        }
    }

    fn solve_all(&self) -> Result<(), Failure> {
        let mut logs = self.logs.clone();
        logs.log.get_or_insert_with(|| "warn".to_owned());
        let _logs = logs.start()?;
        output::make_folder(&self.data.join(CERTIFICATES))?;
        let mut index = Index::open(&self.data, self.attacker)?;
        index.add(&self.chosen());
        let own = self.data.join("store");
        let store = self.store.as_ref().unwrap_or(&own);
        let store = DiskStore::open(store, Durability::PowerFailure)?;
        let book = self.book.open()?;
        let runtime = super::runtime()?;
        runtime.block_on(async {
            let mut options = CoordinatorOptions::default();
            options.core.budgets = self.budgets.into();
            let threads = self.workers.unwrap_or_else(super::cores);
            let (store, on_failure) = (Arc::new(store), super::end_by_store);
            let grid =
                LocalGrid::start_with_book(store, threads, &options, book.clone(), on_failure)?;
            let limit = self.time.map_or(Duration::MAX, |time| time.0);
            let leave = async {
                tokio::select! {
                    () = super::asked_to_leave() => {}
                    () = tokio::time::sleep(limit) => {}
                }
            };
            let places = (&mut index, book);
            let ended = self.solve_some(grid.coordinator(), places, threads, leave);
            let ended = ended.await;
            grid.stop().await;
            ended
        })?;
        self.write(&index)?;
        output::print(terminal_map(&index).as_bytes())
    }

    /// As many openings at a time as there are workers. With one job of each in flight, nobody
    /// does work that depends on what others are still finding out.
    async fn solve_some(
        &self,
        shell: &Coordinator,
        (index, book): (&mut Index, Option<GridBook>),
        at_a_time: NonZeroU16,
        leave: impl Future<Output = ()>,
    ) -> Result<(), Failure> {
        campaign::stop_all(shell).await?;
        let todo = self.unsettled(index);
        let (mut waiting, mut done) = (todo.iter().copied(), 0);
        let bar = progress_bar(todo.len());
        let mut running = JoinSet::new();
        let mut attempts = BTreeMap::new();
        tokio::pin!(leave);
        loop {
            while running.len() < usize::from(at_a_time.get())
                && let Some((place, opening, left)) = waiting.next()
            {
                let attempt = Attempt::start(shell, opening, self.attacker, left).await?;
                attempts.insert(place, attempt);
                let (shell, begun) = (shell.clone(), Instant::now());
                running.spawn(async move {
                    let ended = attempt.finish(&shell).await;
                    (place, opening, ended, begun.elapsed())
                });
            }
            tokio::select! {
                ended = running.join_next() => {
                    let Some(ended) = ended else { return Ok(()) };
                    let (place, opening, ended, took) = ended?;
                    attempts.remove(&place);
                    let (outcome, spent) = ended?;
                    let state = self.keep(opening, outcome, book.clone()).await?;
                    done += 1;
                    let line = format!(
                        "{done:>3} of {}  {opening:8} {}, {} nodes, {} jobs, {:.1} s",
                        todo.len(),
                        in_words(&state),
                        HumanCount(spent.nodes),
                        spent.jobs,
                        took.as_secs_f64(),
                    );
                    bar.suspend(|| if !output::is_quiet() { eprintln!("{line}") });
                    bar.inc(1);
                    index.note(place, state, spent);
                    self.write(index)?;
                }
                () = &mut leave => break,
            }
        }
        for (place, attempt) in attempts {
            index.spend(place, attempt.spent(shell).await?);
        }
        Ok(())
    }

    /// The openings that are not won and have nodes left: their places in the index and these
    /// nodes.
    fn unsettled(&self, index: &Index) -> Vec<(usize, Opening, u64)> {
        let chosen = self.chosen().into_iter();
        let with_place = chosen.filter_map(|opening| {
            let place = index.place_of(opening)?;
            let entry = &index.openings[place];
            let left = self.nodes.0.saturating_sub(entry.effort.nodes);
            let is_won = matches!(entry.state, State::Won(_));
            (left > 0 && !is_won).then_some((place, opening, left))
        });
        with_place.collect()
    }

    fn chosen(&self) -> Vec<Opening> {
        if self.only.is_empty() {
            return Opening::replies_within(self.within);
        }
        let named = self.only.iter().filter_map(|o| Opening::of(&o.position()));
        named.collect()
    }

    /// Writes the certificate of a solved opening, checks it, and puts it into the book.
    async fn keep(
        &self,
        opening: Opening,
        outcome: Outcome,
        book: Option<GridBook>,
    ) -> Result<State, Failure> {
        let Outcome::Proved(proof) = outcome else {
            return Ok(State::Unknown);
        };
        let file = Path::new(CERTIFICATES).join(format!("{opening}.{FILE_ENDING}"));
        let path = self.data.join(&file);
        let saved = tokio::task::spawn_blocking(move || {
            let saved = save_and_check(&proof, &path)?;
            if let Some(book) = book {
                add_to_book(&book, &path);
            }
            Ok::<_, ProofFileError>(saved)
        });
        let saved = saved.await??;
        Ok(State::Won(Won {
            mv: saved.checked.first_move.as_ref().map(ToString::to_string),
            lambda: saved.checked.lambda,
            nodes: saved.checked.nodes,
            depth: saved.checked.depth,
            file,
            hash: saved.hash.to_string(),
        }))
    }

    fn write(&self, index: &Index) -> Result<(), Failure> {
        index.save(&self.data)?;
        output::write_to(&self.data.join("openings.tsv"), index.table().as_bytes())?;
        output::write_to(&self.data.join("map.svg"), svg_map(index).as_bytes())
    }
}

/// How far the campaign is and how long it may take; nothing where nobody looks.
fn progress_bar(openings: usize) -> ProgressBar {
    if !io::stderr().is_terminal() || output::is_quiet() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(openings as u64);
    let style = ProgressStyle::with_template(
        "{bar:30} {pos} of {len} openings, {elapsed} so far, about {eta} to go",
    );
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

const CERTIFICATES: &str = "certificates";

fn in_words(state: &State) -> String {
    match state {
        State::Won(won) => format!("won with {}", won.mv.as_deref().unwrap_or("any")),
        _ => "not settled".to_owned(),
    }
}

impl CheckAll {
    fn run(&self) -> Result<(), Failure> {
        let index = Index::load(self.campaign.folder())?;
        let (mut all, mut refused) = (0, 0);
        for entry in &index.openings {
            let State::Won(won) = &entry.state else {
                continue;
            };
            all += 1;
            let words = match self.check(&entry.name, index.attacker(), won) {
                Ok(nodes) => format!("{:8} accepted, {} nodes\n", entry.name, HumanCount(nodes)),
                Err(failure) => {
                    refused += 1;
                    format!("{:8} REFUSED: {failure}\n", entry.name)
                }
            };
            output::print(words.as_bytes())?;
        }
        match (all, refused) {
            (0, _) => Err(Refused::Nothing.into()),
            (_, 0) => output::print(format!("all {all} certificates accepted\n").as_bytes()),
            _ => Err(Refused::Some { refused, all }.into()),
        }
    }

    /// The file proves what the index says of the opening, and nothing else will do.
    fn check(&self, name: &str, attacker: &str, won: &Won) -> Result<u64, Failure> {
        let file = output::open_file(&self.campaign.folder().join(&won.file))?;
        let checked = check_file(file, CheckLimits::default())?;
        let opening: Opening = name.parse()?;
        let claim = &checked.checked.claim;
        if claim.start != opening.position()
            || !claim.attacker.to_string().eq_ignore_ascii_case(attacker)
        {
            return Err(BadInput("it proves something else".to_owned()).into());
        }
        if checked.hash.to_string() != won.hash {
            return Err(BadInput("it is another file than the index tells of".to_owned()).into());
        }
        Ok(checked.checked.nodes)
    }
}
