use std::io::{self, IsTerminal};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use gridproof_game::records::Game;
use gridproof_game::{Colour, Opening, Position, PositionInput, State};
use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions, SearchSnapshot, Snapshot};
use gridproof_grid::embedded::LocalGrid;
use gridproof_grid::logs::{Journal, Monitor, ProofFiles, SavedProof};
use gridproof_grid::store::{DiskStore, Durability, Store};
use gridproof_grid::text;
use gridproof_host::logs::{LogGuard, LogOptions};
use gridproof_search::{Order, SearchId, Verdict};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::Failure;
use super::book::SearchBook;
use super::budgets::JobBudgets;
use super::exit::{BadInput, Exit, Quietly};
use super::explain::print_main_line;
use super::output::{self, ColourChoice};
use super::page::PageArgs;
use super::progress::{self, Display, Screen};
use super::values::{self, Time};

/// Prove who wins a position, on this machine alone
///
/// Runs a coordinator and workers in one process. What is found out is kept in a folder; the
/// same command goes on from there when it was stopped.
#[derive(Debug, Args)]
pub(super) struct Solve {
    /// An opening like TX-H9 or connect623 (more stones may follow: "TX-H9 k11,l10"), a record
    /// file, or - for standard input
    position: PositionInput,
    /// The side to be proved winning [default: Black in openings, else the side to move]
    #[arg(long, value_name = "COLOUR", value_parser = values::colour)]
    attacker: Option<Colour>,
    /// Jobs at a time [default: one for each core]
    #[arg(long, value_name = "N")]
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

enum End {
    Verdict(Verdict),
    Interrupted,
    TimeIsUp,
}

impl Solve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let shows = io::stderr().is_terminal() && !output::is_quiet();
        let screen = shows.then(Screen::default);
        let _logs = self.start_logs(screen.as_ref())?;
        let game = self.position.read(io::stdin())?;
        super::prove::check_game(game.position().rules())?;
        check_open(&game)?;
        let folder = self.folder(&game);
        let store = DiskStore::open(&folder, Durability::PowerFailure)?;
        let runtime = super::runtime()?;
        let started = Instant::now();
        let ended = runtime.block_on(self.search(&game, &folder, Arc::new(store), screen))?;
        self.report(&game, &folder, ended, started.elapsed())
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
    ) -> Result<Ended, Failure> {
        let root = game.position().clone();
        let attacker = self.attacker(game);
        let mut options = CoordinatorOptions::default();
        options.core.budgets = self.budgets.into();
        let threads = self.workers.unwrap_or_else(super::cores);
        let book = self.book.open()?;
        let on_failure = super::end_by_store;
        let grid = LocalGrid::start_with_book(store, threads, &options, book.clone(), on_failure)?;
        let shell = grid.coordinator().clone();
        let words = self.name(game);
        stop_others(&shell, &root, attacker).await?;
        let search = shell.submit(words.clone(), root, attacker, 1).await?;
        info!("{words}: does {attacker} win? Kept in {}", folder.display());
        let is_over = CancellationToken::new();
        if let Some(address) = self
            .page
            .serve_here(&shell, folder, book.as_ref(), &is_over)
            .await?
        {
            eprintln!("Page: {address}");
        }
        let display = screen.map(|screen| Display::start(&screen, &words, attacker, folder));
        let proofs = match &self.proof {
            Some(path) => ProofFiles::in_file(path),
            None => ProofFiles::in_folder(folder),
        };
        let proofs = proofs.with_book(book);
        let journal = Journal::at(folder.join("journal"));
        let format = self.logs.log_format.unwrap_or_default();
        let monitor = Monitor::new(journal, proofs.clone(), format);
        let monitoring =
            tokio::spawn(monitor.run(shell.clone(), self.log_every.0, is_over.clone()));
        let end = self.wait(&shell, search, display.as_ref()).await?;
        let ended = finish(&shell, end, search, &proofs).await;
        is_over.cancel();
        // Its last line comes before the end; without a coordinator there is nothing to tell.
        let _ = monitoring.await;
        drop(display);
        grid.stop().await;
        ended
    }

    fn name(&self, game: &Game) -> String {
        match Opening::of(game.position()) {
            Some(opening) => opening.to_string(),
            None => match &self.position {
                PositionInput::Text(text) => text.trim_end_matches(':').to_owned(),
                PositionInput::File(path) => path.display().to_string(),
                PositionInput::Stdin => "standard input".to_owned(),
            },
        }
    }

    async fn wait(
        &self,
        shell: &Coordinator,
        search: SearchId,
        display: Option<&Display>,
    ) -> Result<End, Failure> {
        let limit = self.time.map_or(Duration::MAX, |time| time.0);
        let time_is_up = tokio::time::sleep(limit);
        tokio::pin!(time_is_up);
        let verdict = shell.verdict(search);
        tokio::pin!(verdict);
        let asked_to_leave = super::asked_to_leave();
        tokio::pin!(asked_to_leave);
        let mut ticks = tokio::time::interval(progress::PERIOD);
        loop {
            tokio::select! {
                verdict = &mut verdict => return Ok(End::Verdict(verdict?)),
                () = &mut asked_to_leave => return Ok(End::Interrupted),
                () = &mut time_is_up => return Ok(End::TimeIsUp),
                _ = ticks.tick() => if let Some(display) = display {
                    let oldest = shell
                        .ask(|core| core.leases().map(|lease| lease.running_for).max())
                        .await?;
                    display.show(&shell.snapshot().await?, search, oldest);
                },
            }
        }
    }

    fn report(
        &self,
        game: &Game,
        folder: &Path,
        ended: Ended,
        time: Duration,
    ) -> Result<(), Failure> {
        let Ended {
            end,
            proof,
            search,
            totals: snapshot,
        } = ended;
        let attacker = self.attacker(game);
        let totals = totals(&snapshot, time);
        let folder = folder.to_owned();
        let kept = format!("All of it is kept in {}.\n", folder.display());
        if let Some(proof) = proof {
            if !output::is_quiet() {
                print_main_line(&proof.path, self.color.style())?;
            }
            let checked = &proof.file.checked;
            let text = format!(
                "{attacker} wins: proved.\n\
                 Certificate: {}, {} nodes, {} moves deep, checked.\n",
                proof.path.display(),
                checked.nodes,
                checked.depth,
            );
            output::print(text.as_bytes())?;
            return output::print_extra(&(totals + &kept));
        }
        let line: Vec<_> = search.main_line.iter().map(ToString::to_string).collect();
        let mut text = match end {
            End::Verdict(_) => format!(
                "Not proved: nobody knows another move to try for {attacker}. \
                 This proves nothing; larger budgets may help.\n"
            ),
            End::Interrupted | End::TimeIsUp => {
                let left = match search.view.numbers.proof {
                    number if number < u32::MAX - 1 => {
                        let positions = text::plural(number.into(), "position");
                        format!("About {positions} must still be settled to prove it")
                    }
                    _ => "It is not known how much is left to do".to_owned(),
                };
                format!("Open: does {attacker} win? {left}.\n")
            }
        };
        if !line.is_empty() {
            text += &format!("Best line so far: {}\n", line.join(" / "));
        }
        output::print((text + &totals).as_bytes())?;
        Err(match end {
            End::Verdict(_) => {
                output::print_extra(&kept)?;
                Quietly(Exit::Unknown).into()
            }
            End::Interrupted => Unfinished::Stopped(folder).into(),
            End::TimeIsUp => Unfinished::Time(folder).into(),
        })
    }
}

/// What there is to tell at the end.
struct Ended {
    end: End,
    proof: Option<SavedProof>,
    search: SearchSnapshot,
    totals: Snapshot,
}

async fn finish(
    shell: &Coordinator,
    end: End,
    search: SearchId,
    proofs: &ProofFiles,
) -> Result<Ended, Failure> {
    let totals = shell.snapshot().await?;
    let of_search = |other: &&SearchSnapshot| other.view.search == search;
    let search = totals.searches.iter().find(of_search).cloned();
    let search = search.expect("a search that was submitted is there");
    let proof = match end {
        End::Verdict(Verdict::Proved) => Some(proofs.save(shell, &search).await?),
        _ => None,
    };
    Ok(Ended {
        end,
        proof,
        search,
        totals,
    })
}

/// What an earlier command left open in this folder would take workers from what is asked for
/// now. It can be taken up again by asking for it.
async fn stop_others(
    shell: &Coordinator,
    root: &Position,
    attacker: Colour,
) -> Result<(), Failure> {
    for search in shell.snapshot().await?.searches {
        let view = search.view;
        let is_open = view.verdict == Verdict::Open && !view.stopped;
        if is_open && (search.root != *root || view.attacker != attacker) {
            let order = Order::Stop {
                search: view.search,
            };
            shell.order(order).await?;
            warn!(
                "{} was open in this folder and is stopped: solve it again to go on",
                search.game
            );
        }
    }
    Ok(())
}

/// A game that is over leaves nothing to prove.
fn check_open(game: &Game) -> Result<(), BadInput> {
    let words = match game.position().state() {
        State::Open => return Ok(()),
        State::Won(winner) => format!("the game is over: {winner} has won"),
        State::Drawn => "the game is over: the board is full, a draw".to_owned(),
    };
    Err(BadInput(format!("{words}; there is nothing left to prove")))
}

fn totals(snapshot: &Snapshot, time: Duration) -> String {
    let stats = &snapshot.stats;
    let wasted: u64 = stats.wasted.values().map(|wasted| wasted.leases).sum();
    format!(
        "{} positions, {} of them proved; {} jobs ({wasted} for nothing), {} search nodes, {:.1} s.\n",
        snapshot.nodes,
        snapshot.proved,
        stats.answers,
        stats.useful_nodes,
        time.as_secs_f64(),
    )
}
