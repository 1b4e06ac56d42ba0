use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use gridproof_game::{Colour, PositionInput};
use gridproof_grid::default_attacker;
use gridproof_search::{FirstNumbers, JobKind, Level};
use gridproof_simulate::{
    Grid, HostileCosts, Policy, Recorded, Recorder, Settings, Shape, Strategy, Synthetic, Tape,
    Terms, Trial, Watch, Weather, compare, heading, plot, row, run_seed,
};

use super::exit::{BadInput, with_causes};
use super::rules::RulesOption;
use super::values::{Count, fraction, within};
use super::{Failure, output};

/// Try the search core on a grid that is not there: virtual workers, virtual time
#[derive(Debug, Args)]
pub(super) struct Simulate {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Compare(Compare),
    Faults(FaultSeeds),
    Hostile(Hostile),
    Record(Record),
}

impl Simulate {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Compare(compare) => compare.run(),
            What::Faults(faults) => faults.run(),
            What::Hostile(hostile) => hostile.run(),
            What::Record(record) => record.run(),
        }
    }
}

/// How much faster more workers are, policy by policy
#[derive(Debug, Args)]
struct Compare {
    /// A recorded job tree; the one that comes with the program if there is none
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Grow a made-up tree of so many turns instead, with the recorded tree's job costs
    #[arg(long, value_name = "TURNS", value_parser = within::<u32>(1..=u32::MAX.into()))]
    synthetic: Option<u32>,
    /// Policies to set side by side
    #[arg(long, value_delimiter = ',', default_values_t = Policy::ALL)]
    policies: Vec<Policy>,
    /// Numbers of workers
    #[arg(long, value_delimiter = ',', default_values_t = [1, 4, 16, 64, 256, 1024, 4096],
        value_parser = within::<usize>(1..=1_000_000))]
    workers: Vec<usize>,
    /// Milliseconds from an answer to the start of the next job
    #[arg(long, default_value_t = 5, value_parser = within::<u64>(0..=u64::MAX))]
    latency: u64,
    /// How unlike the machines are: 0 for all the same, 0.5 for a mixed lot
    #[arg(long, default_value_t = 0.0, value_parser = fraction)]
    spread: f64,
    /// The seed of everything random
    #[arg(long, default_value_t = 1, value_parser = within::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Write the curve as an SVG picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Compare {
    fn run(&self) -> Result<(), Failure> {
        let tape = match &self.tree {
            Some(path) => Tape::read(output::open_file(path)?).map_err(|error| {
                BadInput(format!("{}: {}", path.display(), with_causes(&error)))
            })?,
            None => Tape::bundled(),
        };
        let settings = Settings {
            speed: tape.terms.speed,
            latency: self.latency,
            speed_spread: self.spread,
            seed: self.seed,
            options: tape.options(),
            ..Settings::default()
        };
        let title = match self.synthetic {
            None => format!(
                "recorded: {} ({} jobs, {} nodes)",
                tape.name,
                tape.job_count(),
                tape.node_count()
            ),
            Some(turns) => format!("synthetic: {turns} turns, costs of {}", tape.name),
        };
        output::print(format!("{title}\n{}\n", heading()).as_bytes())?;
        let shape = self
            .synthetic
            .map(|turns| Shape::with_costs_of(&tape, turns));
        let run = |settings: &Settings| match &shape {
            None => Grid::new(&mut Recorded::new(&tape), settings).run(),
            Some(shape) => {
                let mut world = Synthetic::new(self.seed, shape.clone());
                Grid::new(&mut world, settings).run()
            }
        };
        let trials = compare(&settings, &self.policies, &self.workers, run, print_row)?;
        if let Some(path) = &self.svg {
            output::write_to(path, plot(&title, &trials).as_bytes())?;
        }
        Ok(())
    }
}

/// Grids where everything goes wrong: does the search come to the right verdict?
#[derive(Debug, Args)]
struct FaultSeeds {
    /// The first seed
    #[arg(long, default_value_t = 0, value_parser = within::<u64>(0..=u64::MAX))]
    seed: u64,
    /// How many seeds
    #[arg(long, default_value_t = 100, value_parser = within::<u64>(1..=u64::MAX))]
    count: u64,
    /// Check everything after every event
    #[arg(long)]
    every_step: bool,
    /// Nothing goes wrong
    #[arg(long)]
    fair: bool,
}

impl FaultSeeds {
    fn run(&self) -> Result<(), Failure> {
        let watch = if self.every_step {
            Watch::EveryStep
        } else {
            Watch::NowAndThen
        };
        let weather = if self.fair {
            Weather::Fair
        } else {
            Weather::Foul
        };
        let mut failed = 0;
        for seed in self.seed..self.seed.saturating_add(self.count) {
            if let Err(error) = run_seed(seed, weather, watch) {
                failed += 1;
                output::print(format!("seed {seed}: {error}\n").as_bytes())?;
            }
        }
        output::print(format!("{} seeds, {failed} failed\n", self.count).as_bytes())?;
        if failed > 0 {
            return Err(
                "run again with --seed N --count 1 --every-step for each that failed".into(),
            );
        }
        Ok(())
    }
}

/// What one hostile worker of four costs, strategy by strategy
///
/// Made-up searches of different shapes are done by honest workers, and again with a hostile one
/// among them. A search counts as many times as long as it takes on the mean of its runs.
#[derive(Debug, Args)]
struct Hostile {
    /// How many searches
    #[arg(long, default_value_t = 12, value_parser = within::<usize>(1..=10_000))]
    searches: usize,
    /// Runs of each search, by workers of other speeds
    #[arg(long, default_value_t = 8, value_parser = within::<u64>(1..=u64::MAX))]
    runs: u64,
    /// Strategies of the hostile worker
    #[arg(long, value_delimiter = ',', default_values_t = Strategy::ALL)]
    strategies: Vec<Strategy>,
}

impl Hostile {
    fn run(&self) -> Result<(), Failure> {
        let costs = HostileCosts::new(self.searches, self.runs)?;
        let mut times: Vec<_> = costs.honest().collect();
        times.sort_unstable();
        let words = format!(
            "{} searches, {} runs each; honest workers take {:.0} to {:.0} s\n\n{:<12} {:>6} {:>6} {:>6} {:>9} {:>7} {:>5}\n",
            self.searches,
            self.runs,
            times[0].as_secs_f64(),
            times[times.len() - 1].as_secs_f64(),
            "strategy",
            "median",
            "total",
            "worst",
            "put aside",
            "wronged",
            "stuck",
        );
        output::print(words.as_bytes())?;
        for &strategy in &self.strategies {
            let cost = costs.of(strategy)?;
            let (aside, all) = cost.put_aside;
            let words = format!(
                "{strategy:<12} {:>6.2} {:>6.2} {:>6.2} {:>9} {:>7} {:>5}\n",
                cost.median(),
                cost.total,
                cost.worst(),
                format!("{aside}/{all}"),
                cost.wronged,
                cost.stuck,
            );
            output::print(words.as_bytes())?;
        }
        Ok(())
    }
}

/// Run real jobs on this machine and keep the job tree for simulations
///
/// Schedules that are recorded play back nearly to the letter. Small budgets make a small search
/// into one of many jobs; a speed that is as much smaller makes them take as long as real ones.
#[derive(Debug, Args)]
struct Record {
    /// What to search: an opening like TX-H9, or a record
    position: PositionInput,
    #[command(flatten)]
    rules: RulesOption,
    /// The file to write; if it exists it is gone on with
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The side to be proved winning [default: Black in openings, else the side to move]
    #[arg(long, value_name = "COLOUR", value_parser = super::values::colour)]
    attacker: Option<Colour>,
    /// Policies to search with, one search after the other
    #[arg(long, value_delimiter = ',', default_values_t = [Policy::default()])]
    policies: Vec<Policy>,
    /// Numbers of virtual workers to search with
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64],
        value_parser = within::<usize>(1..=1_000_000))]
    workers: Vec<usize>,
    /// Solver nodes of an engine's job, after a glance with a quarter
    #[arg(long, default_value_t = Count(20_000))]
    engine: Count,
    /// Solver nodes of a verifier's first job
    #[arg(long, default_value_t = Count(100_000))]
    verifier: Count,
    /// How often a node's budget may double
    #[arg(long, default_value_t = 8, value_parser = within::<u8>(0..=40))]
    highest: u8,
    /// Start every position at 1/1, to measure what graded first numbers bring
    #[arg(long)]
    even: bool,
    /// Solver nodes a second of a virtual worker
    #[arg(long, default_value_t = Count(300_000))]
    speed: Count,
    /// Give up a search after so many hours of virtual time
    #[arg(long, default_value_t = 1.0, value_parser = fraction)]
    hours: f64,
}

impl Record {
    fn run(&self) -> Result<(), Failure> {
        let game = self.rules.read(&self.position)?;
        let attacker = self
            .attacker
            .unwrap_or_else(|| default_attacker(game.position()));
        let terms = Terms {
            speed: self.speed.0,
            engine: self.engine.0,
            verifier: self.verifier.0,
            highest: Level(self.highest),
        };
        let name = self.out.file_stem().unwrap_or_default().to_string_lossy();
        let tape = match File::open(&self.out) {
            Ok(file) => Tape::read(file)?,
            Err(_) => Tape::new(&name, game.position(), attacker, terms),
        };
        if tape.terms != terms || *tape.root != *game.position() || tape.attacker != attacker {
            let file = self.out.display();
            let words = format!(
                "{file} holds another search, or one with other budgets: name another file"
            );
            return Err(BadInput(words).into());
        }
        let mut options = tape.options();
        if self.even {
            options.first_numbers = FirstNumbers::Even;
        }
        let settings = Settings {
            speed: terms.speed,
            options,
            patience: Duration::from_secs_f64(self.hours * 3_600.0),
            ..Settings::default()
        };
        let mut recorder = Recorder::new(tape);
        let words = format!(
            "recording {name}: does {attacker} win? Jobs of {} and {} nodes\n{}\n",
            terms.engine,
            terms.verifier,
            heading()
        );
        output::print(words.as_bytes())?;
        let run = |settings: &Settings| {
            recorder.rewind();
            Grid::new(&mut recorder, settings).run()
        };
        let done = compare(&settings, &self.policies, &self.workers, run, print_row);
        recorder.tape().write(File::create(&self.out)?)?;
        done?;
        let tape = recorder.tape();
        for kind in JobKind::ALL {
            let costs = tape.costs(kind);
            let at = |percent: usize| {
                costs
                    .get((costs.len().max(1) - 1) * percent / 100)
                    .copied()
                    .unwrap_or(0)
            };
            let words = format!(
                "{kind:?}: {} jobs, nodes at 10/50/90/99/100%: {} {} {} {} {}\n",
                costs.len(),
                at(10),
                at(50),
                at(90),
                at(99),
                at(100)
            );
            output::print(words.as_bytes())?;
        }
        Ok(())
    }
}

fn print_row(trial: &Trial) {
    // Who reads no more is noticed at the end: a simulation takes moments.
    let _ = output::print(format!("{}\n", row(trial)).as_bytes());
}
