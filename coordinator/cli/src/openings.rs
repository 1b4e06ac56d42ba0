use std::io::{self, IsTerminal as _};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use gridproof_game::{Colour, Opening, OpeningError, Rules};
use gridproof_grid::campaign::{
    self, Index, State, Tried, check_certificates, svg_map, terminal_map,
};
use gridproof_grid::coordinator::CoordinatorOptions;
use gridproof_grid::embedded::LocalGrid;
use gridproof_grid::store::{DiskStore, Durability};
use gridproof_host::logs::LogOptions;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use tokio_util::sync::CancellationToken;

use super::book::SearchBook;
use super::budgets::JobBudgets;
use super::exit::BadInput;
use super::page::PageArgs;
use super::rules::RulesOption;
use super::values::{self, Count, Time};
use super::{Failure, exit, output};

/// Solve all openings near the centre, and draw the map of them
///
/// Black's first stone is at the centre; White's replies, one of each class that turns or
/// mirrors into each other, are searched over one store of facts, one for each worker at a
/// time. With --rules gomoku, or another game of one stone a turn, White's replies are single
/// stones. The folder gets the store, a certificate for each solved opening, index.json, openings.tsv and
/// map.svg, and all are brought up to date after each opening. The same command goes on where
/// it was stopped; a larger --nodes is the next round. What resists one way of searching often
/// falls to another: a round with another --store starts afresh, for example with larger jobs.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Openings {
    #[command(subcommand)]
    command: Option<Command>,
    /// The campaign's folder
    /// [default: gridproof-data/openings, and the game's name if it is not Connect6]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    rules: RulesOption,
    /// The store of facts, which several campaigns may use one after the other [default: store
    /// in the campaign's folder]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// How far White's stones may be from the centre
    #[arg(long, value_name = "STEPS", default_value_t = 3,
        value_parser = values::within::<u8>(1..=9))]
    within: u8,
    /// Only these openings, such as TX-H9,I7-G9; with one stone a turn White's stones, such as H9,I9
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// The side to be proved winning
    #[arg(long, value_name = "COLOUR", value_parser = values::colour, default_value = "black")]
    attacker: Colour,
    /// Search nodes that each opening may cost in all; 80 million are about a minute of a core
    #[arg(long, value_name = "NODES", default_value_t = Count(80_000_000))]
    nodes: Count,
    #[command(flatten)]
    budgets: JobBudgets,
    #[command(flatten)]
    book: SearchBook,
    /// Stop after this time, such as 30m or 8h; what was found out is kept
    #[arg(long, value_name = "TIME")]
    time: Option<Time>,
    /// Jobs at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = values::parallel::<NonZeroU16>)]
    workers: Option<NonZeroU16>,
    #[command(flatten)]
    page: PageArgs,
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
    /// Write the picture to this file instead; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
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

/// The opening of this name. With one stone a turn White's stone is enough.
fn named(name: &str, rules: Rules) -> Result<Opening, BadInput> {
    let is_stone = rules.stones_per_turn() == 1 && !name.contains('-');
    let named = match is_stone {
        true => format!("{}-{name}", rules.short_name()).parse(),
        false => name.parse(),
    };
    let opening: Opening = named.map_err(|error: OpeningError| BadInput(error.to_string()))?;
    Ok(Opening::of(&opening.position()).unwrap_or(opening))
}

impl Openings {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Some(Command::Check(check)) => check.run(),
            Some(Command::Map(map)) => map.run(),
            None => self.solve_all(),
        }
    }

    fn solve_all(&self) -> Result<(), Failure> {
        let mut logs = self.logs.clone();
        logs.log.get_or_insert_with(|| "warn".to_owned());
        let _logs = logs.start()?;
        let (folder, chosen) = (self.folder(), self.chosen()?);
        let own = folder.join("store");
        let mut campaign = campaign::Campaign::open(folder, self.attacker, chosen, self.nodes.0)?;
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
            let is_over = CancellationToken::new();
            let folder = self.folder();
            let (coordinator, shown) = (grid.coordinator(), book.as_ref());
            let page = self.page.serve_here(coordinator, &folder, shown, &is_over);
            if let Some(address) = page.await? {
                eprintln!("Page: {}", address.entry());
            }
            campaign.add_to(book);
            let limit = self.time.map_or(Duration::MAX, |time| time.0);
            let leave = async {
                tokio::select! {
                    () = super::asked_to_leave() => {}
                    () = tokio::time::sleep(limit) => {}
                }
            };
            let progress = Progress::new(campaign.left());
            let told = |tried: &Tried| progress.tell(tried);
            let ended = campaign.run(grid.coordinator(), threads, leave, told).await;
            is_over.cancel();
            grid.stop().await;
            Ok::<(), Failure>(ended?)
        })?;
        output::print(terminal_map(campaign.index()).as_bytes())
    }

    fn chosen(&self) -> Result<Vec<Opening>, BadInput> {
        let rules = self.rules.or_connect6();
        if !self.only.is_empty() {
            return self.only.iter().map(|name| named(name, rules)).collect();
        }
        if rules == Rules::CONNECT6 {
            return Ok(Opening::replies_within(self.within));
        }
        let replies = Opening::one_stone_replies(rules, self.within);
        if replies.is_empty() {
            let words = "openings are known of Connect6 and of games with one stone a turn";
            return Err(BadInput(format!("{words}, and not of {rules}")));
        }
        Ok(replies)
    }

    fn folder(&self) -> PathBuf {
        let default = || match self.rules.or_connect6() {
            Rules::CONNECT6 => PathBuf::from(DATA),
            rules => PathBuf::from(format!("{DATA}-{}", rules.short_name())),
        };
        self.data.clone().unwrap_or_else(default)
    }
}

/// A line for each opening, and on a terminal how far the campaign is and how long it may take.
struct Progress {
    bar: ProgressBar,
    all: usize,
}

impl Progress {
    fn new(all: usize) -> Self {
        let bar = match io::stderr().is_terminal() && !output::is_quiet() {
            true => ProgressBar::new(all as u64),
            false => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template(
            "{bar:30} {pos} of {len} openings, {elapsed} so far, about {eta} to go",
        );
        if let Ok(style) = style {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar, all }
    }

    fn tell(&self, tried: &Tried) {
        self.bar.inc(1);
        let state = match &tried.state {
            State::Won(won) => format!("won with {}", won.mv.as_deref().unwrap_or("any")),
            _ => "not settled".to_owned(),
        };
        let line = format!(
            "{:>3} of {}  {:8} {state}, {} nodes, {} jobs, {:.1} s",
            self.bar.position(),
            self.all,
            tried.opening,
            HumanCount(tried.spent.nodes),
            tried.spent.jobs,
            tried.took.as_secs_f64(),
        );
        if !output::is_quiet() {
            self.bar.suspend(|| eprintln!("{line}"));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Map {
    fn run(&self) -> Result<(), Failure> {
        let index = Index::load(self.campaign.folder())?;
        match &self.svg {
            Some(path) => output::write_to(path, svg_map(&index).as_bytes()),
            None => output::print(terminal_map(&index).as_bytes()),
        }
    }
}

impl CheckAll {
    fn run(&self) -> Result<(), Failure> {
        let folder = self.campaign.folder();
        let index = Index::load(folder)?;
        let (mut all, mut refused) = (0, 0);
        for (name, checked) in check_certificates(folder, &index) {
            all += 1;
            let words = match checked {
                Ok(nodes) => format!("{name:8} accepted, {} nodes\n", HumanCount(nodes)),
                Err(refusal) => {
                    refused += 1;
                    format!("{name:8} REFUSED: {}\n", exit::with_causes(&refusal))
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
}
