use std::fs::File;
use std::io::{self, BufReader, IsTerminal};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use gridproof::core::{SearchId, Verdict};
use gridproof::embedded::{Grid, main_line};
use gridproof::logs::{Journal, Keeper};
use gridproof::shell::{Shell, ShellOptions, Snapshot};
use gridproof::store::{DiskStore, Durability, Store};
use gridproof_certificate::{
    CheckLimits, CheckedFile, FILE_ENDING, IfExists, Proof, check_file, save,
};
use gridproof_game::draw::Diagram;
use gridproof_game::records::Game;
use gridproof_game::{Colour, Opening, PositionInput};
use gridproof_host::logs::{LogGuard, LogOptions};
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::Failure;
use super::budgets::JobBudgets;
use super::logging::readers;
use super::output::{self, ColourChoice};
use super::progress::{self, Display, Screen};

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
    #[arg(long, value_name = "COLOUR", value_parser = parse_colour)]
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
    /// Give up after so many seconds; what was found out is kept
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Where to write the proof [default: proof.gpf in the folder]
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
    /// Say how it goes this often
    #[arg(long, value_name = "SECONDS", default_value_t = 10, help_heading = "Logs",
        value_parser = clap::value_parser!(u64).range(1..))]
    log_every: u64,
    #[command(flatten)]
    logs: LogOptions,
}

/// How a solve ended without a verdict.
#[derive(Debug, thiserror::Error)]
enum Unfinished {
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
        let screen = io::stderr().is_terminal().then(Screen::default);
        let _logs = self.start_logs(screen.as_ref())?;
        let game = self.position.read(io::stdin())?;
        super::prove::check_game(game.position().rules())?;
        let folder = self.folder(&game);
        let store = DiskStore::open(&folder, Durability::PowerFailure)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let started = Instant::now();
        let solved = runtime.block_on(self.search(&game, &folder, Arc::new(store), screen))?;
        let text = self.report(&game, &folder, &solved, started.elapsed())?;
        output::print(text.as_bytes())
    }

    /// On a terminal the display tells all but what is wrong; elsewhere lines do. The worker
    /// in this process has nothing to say that the coordinator does not know.
    fn start_logs(&self, screen: Option<&Screen>) -> Result<LogGuard, Failure> {
        let usual = match screen {
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
        let name = || match Opening::of(game.position()) {
            Some(opening) => opening.to_string(),
            None => format!("position-{:016x}", game.position().canonical().0.key()),
        };
        let default = || Path::new("gridproof-data").join(name());
        self.store.clone().unwrap_or_else(default)
    }

    fn attacker(&self, game: &Game) -> Colour {
        let default = || gridproof::default_attacker(game.position());
        self.attacker.unwrap_or_else(default)
    }

    async fn search(
        &self,
        game: &Game,
        folder: &Path,
        store: Arc<dyn Store>,
        screen: Option<Screen>,
    ) -> Result<Solved, Failure> {
        let root = game.position().clone();
        let attacker = self.attacker(game);
        let mut options = ShellOptions::default();
        options.core.budgets = self.budgets.into();
        let threads = self.workers.unwrap_or_else(super::cores);
        let grid = Grid::start(store, threads, &options, super::end_by_store)?;
        let shell = grid.shell().clone();
        let words = self.name(game);
        let search = shell.submit(words.clone(), root, attacker, 1).await?;
        info!("{words}: does {attacker} win? Kept in {}", folder.display());
        let display = screen.map(|screen| Display::start(&screen, &words, attacker, folder));
        let is_over = CancellationToken::new();
        let keeper = Keeper::new(Journal::at(folder.join("journal")), readers(&self.logs));
        let every = Duration::from_secs(self.log_every);
        let keeping = tokio::spawn(keeper.keep(shell.clone(), every, is_over.clone()));
        let end = self.wait(&shell, search, display.as_ref()).await?;
        is_over.cancel();
        // Its last line comes before the end; without a shell there is nothing left to tell.
        let _ = keeping.await;
        let solved = self.finish(&shell, end, search, folder).await;
        drop(display);
        grid.stop().await;
        solved
    }

    fn name(&self, game: &Game) -> String {
        match Opening::of(game.position()) {
            Some(opening) => opening.to_string(),
            None => match &self.position {
                PositionInput::Text(text) => text.clone(),
                PositionInput::File(path) => path.display().to_string(),
                PositionInput::Stdin => "standard input".to_owned(),
            },
        }
    }

    async fn wait(
        &self,
        shell: &Shell,
        search: SearchId,
        display: Option<&Display>,
    ) -> Result<End, Failure> {
        let limit = self.time.map_or(Duration::MAX, Duration::from_secs);
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
                    display.show(&shell.snapshot().await?, search);
                },
            }
        }
    }

    async fn finish(
        &self,
        shell: &Shell,
        end: End,
        search: SearchId,
        folder: &Path,
    ) -> Result<Solved, Failure> {
        let verdict = match end {
            End::Verdict(verdict) => verdict,
            End::Interrupted => return Err(Unfinished::Stopped(folder.to_owned()).into()),
            End::TimeIsUp => return Err(Unfinished::Time(folder.to_owned()).into()),
        };
        let totals = shell.snapshot().await?;
        let proof = match verdict {
            Verdict::Proved => Some(shell.proof(search).await?),
            Verdict::Open | Verdict::Failed => None,
        };
        Ok(Solved { proof, totals })
    }

    fn report(
        &self,
        game: &Game,
        folder: &Path,
        solved: &Solved,
        time: Duration,
    ) -> Result<String, Failure> {
        let attacker = self.attacker(game);
        let mut text = String::new();
        match &solved.proof {
            Some(proof) => {
                let default = || folder.join("proof").with_extension(FILE_ENDING);
                let path = self.proof.clone().unwrap_or_else(default);
                let checked = save_and_check(proof, &path)?;
                text.push_str(&boards(game, proof, self.color));
                text.push_str(&format!(
                    "{attacker} wins: proved.\n\
                     Certificate: {}, {} nodes, {} moves deep, checked.\n",
                    path.display(),
                    checked.checked.nodes,
                    checked.checked.depth,
                ));
            }
            None => text.push_str(&format!(
                "Not proved: nobody knows another move to try for {attacker}. \
                 This proves nothing; larger budgets may help.\n"
            )),
        }
        text.push_str(&totals(&solved.totals, time));
        text.push_str(&format!("All of it is kept in {}.\n", folder.display()));
        Ok(text)
    }
}

struct Solved {
    proof: Option<Proof>,
    totals: Snapshot,
}

/// What was written is what is checked: the file, not what we have in memory.
pub(super) fn save_and_check(proof: &Proof, path: &Path) -> Result<CheckedFile, Failure> {
    let proof = proof.deduplicated()?;
    save(&proof, path, IfExists::Replace)?;
    let file = BufReader::new(File::open(path)?);
    Ok(check_file(file, CheckLimits::default())?)
}

/// The main line, board by board.
fn boards(game: &Game, proof: &Proof, colour: ColourChoice) -> String {
    let style = colour.style();
    let mut position = game.position().clone();
    let start = Diagram::new(&position).with_caption("From here:");
    let mut text = start.to_terminal(style);
    for (mv, number) in main_line(proof).iter().zip(game.moves().len() + 1..) {
        let side = position.to_move();
        if position.play(mv).is_err() {
            break;
        }
        let caption = format!("{number}. {side} {mv}");
        let board = Diagram::new(&position)
            .with_last_move(mv)
            .with_caption(&caption);
        text.push('\n');
        text.push_str(&board.to_terminal(style));
    }
    text.push('\n');
    text
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

pub(super) fn parse_colour(text: &str) -> Result<Colour, String> {
    let mut letters = text.chars();
    let colour = letters.next().and_then(Colour::from_letter);
    let is_name = |colour: &Colour| {
        letters.as_str().is_empty() || text.eq_ignore_ascii_case(&colour.to_string())
    };
    colour
        .filter(is_name)
        .ok_or_else(|| "write black or white".to_owned())
}
