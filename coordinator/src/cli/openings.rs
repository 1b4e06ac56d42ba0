use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use gridproof::campaign::{self, Index, Outcome, State, Won, svg_map, terminal_map};
use gridproof::embedded::Grid;
use gridproof::shell::{Shell, ShellOptions};
use gridproof::store::{DiskStore, Durability};
use gridproof_certificate::{CheckLimits, check_file};
use gridproof_game::{Colour, Opening};
use gridproof_host::logs::LogOptions;
use indicatif::HumanCount;

use super::Failure;
use super::output;
use super::solve::{parse_colour, save_and_check};

/// Solve all openings near the centre, and draw the map of them
///
/// Black's first stone is at the centre; White's replies, one of each class that turns or
/// mirrors into each other, are searched one after the other over one store of facts. The
/// folder gets the store, a certificate for each solved opening, index.json, openings.tsv and
/// map.svg, and all are brought up to date after each opening. The same command goes on where
/// it was stopped; a larger --nodes is the next round.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Openings {
    #[command(subcommand)]
    command: Option<Command>,
    /// The campaign's folder
    #[arg(long, value_name = "DIR", default_value = "gridproof-data/openings")]
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
    #[arg(long, value_name = "COLOUR", value_parser = parse_colour, default_value = "black")]
    attacker: Colour,
    /// Search nodes that each opening may cost in all; 20 million are about a minute of a core
    #[arg(long, value_name = "NODES", default_value_t = 20_000_000)]
    nodes: u64,
    /// Stop after so many seconds; what was found out is kept
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
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
    /// The campaign's folder
    folder: PathBuf,
}

/// Draw the map of a campaign
#[derive(Debug, Args)]
struct Map {
    /// The campaign's folder
    folder: PathBuf,
}

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
                output::print(terminal_map(&Index::load(&map.folder)?).as_bytes())
            }
            None => self.solve_all(),
        }
    }

    fn solve_all(&self) -> Result<(), Failure> {
        let mut logs = self.logs.clone();
        logs.log.get_or_insert_with(|| "warn".to_owned());
        let _logs = logs.start()?;
        std::fs::create_dir_all(self.data.join(CERTIFICATES))?;
        let mut index = Index::open(&self.data, self.attacker)?;
        let chosen = if self.only.is_empty() {
            Opening::replies_within(self.within)
        } else {
            let named = self.only.iter().filter_map(|o| Opening::of(&o.position()));
            named.collect()
        };
        index.add(&chosen);
        let own = self.data.join("store");
        let store = self.store.as_ref().unwrap_or(&own);
        let store = DiskStore::open(store, Durability::PowerFailure)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let options = ShellOptions::default();
            let threads = self.workers.unwrap_or_else(super::cores);
            let grid = Grid::start(Arc::new(store), threads, &options, super::end_by_store)?;
            let limit = self.time.map_or(Duration::MAX, Duration::from_secs);
            let ended = tokio::select! {
                ended = self.one_by_one(grid.shell(), &mut index, &chosen) => ended,
                () = super::asked_to_leave() => Ok(()),
                () = tokio::time::sleep(limit) => Ok(()),
            };
            grid.stop().await;
            ended
        })?;
        self.write(&index)?;
        output::print(terminal_map(&index).as_bytes())
    }

    async fn one_by_one(
        &self,
        shell: &Shell,
        index: &mut Index,
        chosen: &[Opening],
    ) -> Result<(), Failure> {
        for (opening, number) in chosen.iter().copied().zip(1..) {
            let Some(place) = index.place_of(opening) else {
                continue;
            };
            let entry = &index.openings[place];
            let left = self.nodes.saturating_sub(entry.effort.nodes);
            if left == 0 || matches!(entry.state, State::Won(_)) {
                continue;
            }
            let begun = Instant::now();
            let (outcome, spent) = campaign::solve(shell, opening, self.attacker, left).await?;
            let state = match outcome {
                Outcome::Unknown => State::Unknown,
                Outcome::Proved(proof) => {
                    let file = Path::new(CERTIFICATES).join(format!("{opening}.gpf"));
                    let path = self.data.join(&file);
                    let saved =
                        tokio::task::spawn_blocking(move || save_and_check(&proof, &path)).await?;
                    let saved = saved?;
                    State::Won(Won {
                        mv: saved.checked.first_move.as_ref().map(ToString::to_string),
                        lambda: saved.checked.lambda,
                        nodes: saved.checked.nodes,
                        depth: saved.checked.depth,
                        file,
                        hash: saved.hash.to_string(),
                    })
                }
            };
            let entry = &mut index.openings[place];
            entry.effort = entry.effort.and(spent);
            entry.state = state;
            eprintln!(
                "{number:>3} of {}  {opening:8} {}, {} nodes, {} jobs, {:.1} s",
                chosen.len(),
                match &entry.state {
                    State::Won(won) => format!("won with {}", won.mv.as_deref().unwrap_or("any")),
                    _ => "not settled".to_owned(),
                },
                HumanCount(spent.nodes),
                spent.jobs,
                begun.elapsed().as_secs_f64(),
            );
            self.write(index)?;
        }
        Ok(())
    }

    fn write(&self, index: &Index) -> Result<(), Failure> {
        index.save(&self.data)?;
        output::write_to(&self.data.join("openings.tsv"), index.table().as_bytes())?;
        output::write_to(&self.data.join("map.svg"), svg_map(index).as_bytes())
    }
}

const CERTIFICATES: &str = "certificates";

impl CheckAll {
    fn run(&self) -> Result<(), Failure> {
        let index = Index::load(&self.folder)?;
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
        let file = BufReader::new(File::open(self.folder.join(&won.file))?);
        let checked = check_file(file, CheckLimits::default())?;
        let opening: Opening = name.parse()?;
        let claim = &checked.checked.claim;
        if claim.start != opening.position()
            || !claim.attacker.to_string().eq_ignore_ascii_case(attacker)
        {
            return Err("it proves something else".into());
        }
        if checked.hash.to_string() != won.hash {
            return Err("it is another file than the index tells of".into());
        }
        Ok(checked.checked.nodes)
    }
}
