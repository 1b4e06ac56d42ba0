use std::cell::Cell;
use std::io::{self, IsTerminal};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use gridproof_game::records::Game;
use gridproof_game::{Colour, Opening, PositionInput};
use gridproof_grid::GridBook;
use gridproof_grid::coordinator::{CoordinatorOptions, Snapshot};
use gridproof_grid::logs::{Journal, Monitor, ProofFiles};
use gridproof_grid::store::{DiskStore, Durability, Store};
use gridproof_grid::{SolveEnd, SolveOptions, SolveRun, Solved, text};
use gridproof_host::logs::{LogGuard, LogOptions};
use gridproof_solver::Budget;
use tracing::{info, warn};

use super::Failure;
use super::book::SearchBook;
use super::budgets::JobBudgets;
use super::exit::{Exit, Quietly};
use super::explain::print_main_line;
use super::output::{self, ColourChoice};
use super::page::PageArgs;
use super::progress::{Display, Screen};
use super::rules::RulesOption;
use super::value;
use super::values::{self, Time};

/// Prove who wins a position, on this machine alone
///
/// Runs a coordinator and workers in one process. What is found out is kept in a folder; the
/// same command goes on from there when it was stopped.
#[derive(Debug, Args)]
pub(super) struct Solve {
    /// An opening like TX-H9 or connect623 (more stones may follow: "TX-H9 k11,l10"), a record
    /// file, or - for standard input [default: the empty board of --rules]
    #[arg(
        required_unless_present = "rules",
        default_value = "",
        hide_default_value = true
    )]
    position: PositionInput,
    #[command(flatten)]
    rules: RulesOption,
    /// The side to be proved winning [default: Black in openings, else the side to move]
    #[arg(long, value_name = "COLOUR", value_parser = values::colour)]
    attacker: Option<Colour>,
    /// Jobs at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = values::parallel::<NonZeroU16>)]
    workers: Option<NonZeroU16>,
    /// The folder that keeps what is found out [default: gridproof-data/ and the position's
    /// name]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    #[command(flatten)]
    budgets: JobBudgets,
    #[command(flatten)]
    book: SearchBook,
    /// Give up after this time, such as 90s or 2h; what was found out is kept
    #[arg(long, value_name = "TIME")]
    time: Option<Time>,
    /// Where to write the proof [default: in the folder, named after game, position and
    /// attacker]
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
    /// Say how it goes this often
    #[arg(long, value_name = "TIME", default_value = "10s", help_heading = "Logs",
        value_parser = values::positive_time)]
    log_every: Time,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    logs: LogOptions,
}

/// How a solve ended without a verdict.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unfinished {
    #[error("stopped before the end: the same command goes on from {}", .0.display())]
    Stopped(PathBuf),
    #[error("not solved within the time: the same command goes on from {}", .0.display())]
    Time(PathBuf),
}

/// Why a solve was left.
#[derive(Clone, Copy)]
enum Left {
    Interrupted,
    TimeIsUp,
}

impl Solve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let shows = io::stderr().is_terminal() && !output::is_quiet();
        let screen = shows.then(Screen::default);
        let _logs = self.start_logs(screen.as_ref())?;
        let game = self.rules.read(&self.position)?;
        super::prove::check_game(game.position().rules())?;
        gridproof_grid::check_open(game.position())?;
        let folder = self.folder(&game);
        if self.settle_small(&game, &folder)? {
            return Ok(());
        }
        let store = DiskStore::open(&folder, Durability::PowerFailure)?;
        let runtime = super::runtime()?;
        let started = Instant::now();
        let search = self.search(&game, &folder, Arc::new(store), screen);
        let (solved, left) = runtime.block_on(search)?;
        self.report(&game, &folder, solved, left, started.elapsed())
    }

    /// A full search settles small boards: a win of either side, or a draw. Tells what it found.
    fn settle_small(&self, game: &Game, folder: &Path) -> Result<bool, Failure> {
        let position = game.position();
        if position.rules().area() > value::SMALL_BOARD {
            return Ok(false);
        }
        let mut budget = Budget::of_nodes(value::NODES_BEFORE_SEARCH);
        let found = value::find(position, &mut budget)?;
        if !found.is_settled() {
            return Ok(false);
        }
        let files = match &self.proof {
            Some(path) => value::Files::Beside(path.clone()),
            None => value::Files::In(folder.to_owned()),
        };
        found.save(&files)?;
        if let Some(path) = found.win_file(&files)
            && !output::is_quiet()
        {
            print_main_line(&path, self.color.style())?;
        }
        let told = format!(
            "{}.\n{}{} search nodes.\n",
            found.in_words(),
            found.certificates(&files),
            text::count(budget.spent()),
        );
        output::print(told.as_bytes())?;
        Ok(true)
    }

    /// On a terminal the display tells all but what is wrong; elsewhere lines do. The worker
    /// in this process has nothing to say that the coordinator does not know.
    fn start_logs(&self, screen: Option<&Screen>) -> Result<LogGuard, Failure> {
        let usual = match screen {
            _ if output::is_quiet() => "warn",
            Some(_) if self.logs.log_file.is_none() => "warn",
            _ => "warn,gridproof=info,gridproof_worker=warn",
        };
        let mut logs = self.logs.clone();
        logs.log.get_or_insert_with(|| usual.to_owned());
        Ok(match screen {
            Some(screen) => logs.start_through(screen.clone())?,
            None => logs.start()?,
        })
    }

    fn folder(&self, game: &Game) -> PathBuf {
        let default = || {
            let name = gridproof_grid::file_name(game.position(), self.attacker(game));
            Path::new("gridproof-data").join(name)
        };
        self.store.clone().unwrap_or_else(default)
    }

    fn attacker(&self, game: &Game) -> Colour {
        let default = || gridproof_grid::default_attacker(game.position());
        self.attacker.unwrap_or_else(default)
    }

    async fn search(
        &self,
        game: &Game,
        folder: &Path,
        store: Arc<dyn Store>,
        screen: Option<Screen>,
    ) -> Result<(Solved, Left), Failure> {
        let (words, attacker) = (self.name(game), self.attacker(game));
        let book = self.book.open()?;
        let options = self.options(game, folder, book.clone());
        let run = SolveRun::start(store, options, super::end_by_store).await?;
        for name in run.stopped() {
            warn!("{name} was open in this folder and is stopped: solve it again to go on");
        }
        info!("{words}: does {attacker} win? Kept in {}", folder.display());
        let page = self
            .page
            .serve_here(run.coordinator(), folder, book.as_ref(), run.is_over());
        if let Some(address) = page.await? {
            eprintln!("Page: {}", address.entry());
        }
        let display = screen.map(|screen| Display::start(&screen, &words, attacker, folder));
        let (coordinator, search) = (run.coordinator().clone(), run.search());
        let show = async {
            if let Some(display) = &display {
                // It ends with the coordinator, whose end has its own words.
                let _ = display.follow(&coordinator, search).await;
            }
            std::future::pending::<()>().await;
        };
        let limit = self.time.map_or(Duration::MAX, |time| time.0);
        let left = Cell::new(Left::Interrupted);
        let leave = async {
            tokio::select! {
                () = super::asked_to_leave() => left.set(Left::Interrupted),
                () = tokio::time::sleep(limit) => left.set(Left::TimeIsUp),
            }
        };
        let solved = tokio::select! {
            solved = run.finish(leave) => solved?,
            () = show => unreachable!("it waits for ever"),
        };
        Ok((solved, left.get()))
    }

    fn options(&self, game: &Game, folder: &Path, book: Option<GridBook>) -> SolveOptions {
        let mut coordinator = CoordinatorOptions::default();
        coordinator.core.budgets = self.budgets.into();
        let proofs = match &self.proof {
            Some(path) => ProofFiles::in_file(path),
            None => ProofFiles::in_folder(folder),
        };
        let journal = Journal::at(folder.join("journal"));
        let format = self.logs.log_format.unwrap_or_default();
        SolveOptions {
            game: self.name(game),
            root: game.position().clone(),
            attacker: self.attacker(game),
            threads: self.workers.unwrap_or_else(super::cores),
            coordinator,
            monitor: Monitor::new(journal, proofs.with_book(book), format),
            log_every: self.log_every.0,
        }
    }

    fn name(&self, game: &Game) -> String {
        match Opening::of(game.position()) {
            Some(opening) => opening.to_string(),
            None => match &self.position {
                PositionInput::Text(text) if text.is_empty() => game.rules().to_string(),
                PositionInput::Text(text) => text.trim_end_matches(':').to_owned(),
                PositionInput::File(path) => path.display().to_string(),
                PositionInput::Stdin => "standard input".to_owned(),
            },
        }
    }

    fn report(
        &self,
        game: &Game,
        folder: &Path,
        solved: Solved,
        left: Left,
        time: Duration,
    ) -> Result<(), Failure> {
        let attacker = self.attacker(game);
        let totals = totals(&solved.totals, time);
        let kept = format!("All of it is kept in {}.\n", folder.display());
        let search = &solved.search;
        let line: Vec<_> = search.main_line.iter().map(ToString::to_string).collect();
        let line = match line.is_empty() {
            true => String::new(),
            false => format!("Best line so far: {}\n", line.join(" / ")),
        };
        match solved.end {
            SolveEnd::Proved(proof) => {
                if !output::is_quiet() {
                    print_main_line(&proof.path, self.color.style())?;
                }
                let checked = &proof.file.checked;
                let text = format!(
                    "{attacker} wins: proved.\n\
                     Certificate: {}, {} nodes, {} moves deep, checked.\n",
                    proof.path.display(),
                    text::count(checked.nodes),
                    checked.depth,
                );
                let path = proof.path.display();
                let next = format!(
                    "`gridproof explain {path}` answers any defence; `gridproof check {path}` \
                     checks it again.\n"
                );
                output::print(text.as_bytes())?;
                output::print_extra(&(totals + &kept + &next))
            }
            SolveEnd::Failed => {
                let text = format!(
                    "Not proved: nobody knows another move to try for {attacker}. This proves \
                     nothing; larger budgets may help.\n{line}{totals}"
                );
                output::print(text.as_bytes())?;
                output::print_extra(&kept)?;
                Err(Quietly(Exit::Unknown).into())
            }
            SolveEnd::Left => {
                let to_settle = match search.view.numbers.proof {
                    number if number < u32::MAX - 1 => {
                        let positions = text::plural(number.into(), "position");
                        format!("About {positions} must still be settled to prove it")
                    }
                    _ => "It is not known how much is left to do".to_owned(),
                };
                let text = format!("Open: does {attacker} win? {to_settle}.\n{line}{totals}");
                output::print(text.as_bytes())?;
                let folder = folder.to_owned();
                Err(match left {
                    Left::Interrupted => Unfinished::Stopped(folder).into(),
                    Left::TimeIsUp => Unfinished::Time(folder).into(),
                })
            }
        }
    }
}

fn totals(snapshot: &Snapshot, time: Duration) -> String {
    let stats = &snapshot.stats;
    let wasted: u64 = stats.wasted.values().map(|wasted| wasted.leases).sum();
    format!(
        "{}, {} of them proved; {} ({wasted} for nothing), {} search nodes, {:.1} s.\n",
        text::plural(snapshot.nodes as u64, "position"),
        text::count(snapshot.proved as u64),
        text::plural(stats.answers, "job"),
        text::count(stats.useful_nodes),
        time.as_secs_f64(),
    )
}
