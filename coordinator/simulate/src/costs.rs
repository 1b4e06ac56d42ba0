//! What one hostile worker of four costs: how much longer searches take with it than without.

use std::time::Duration;

use gridproof_search::{Budgets, Options, Verdict};

use super::grid::{Grid, SimulationError};
use super::hostile::Strategy;
use super::settings::Settings;
use super::synthetic::{Shape, Synthetic};
use super::tape::Tape;

/// Made-up searches of different shapes, each run several times by workers of other speeds: the
/// order in which moves are tried is luck, and one run says little.
#[derive(Debug)]
pub struct HostileCosts {
    tape: Tape,
    runs: u64,
    searches: Vec<Search>,
}

#[derive(Debug)]
struct Search {
    seed: u64,
    /// Seconds that it takes honest workers.
    honest: f64,
}

/// What one strategy costs.
#[derive(Clone, Debug)]
pub struct HostileCost {
    pub strategy: Strategy,
    /// How many times as long each search took, ascending.
    pub times: Vec<f64>,
    /// The same for all searches, their times added up.
    pub total: f64,
    /// Runs in which the hostile worker was put aside, and all.
    pub put_aside: (usize, usize),
    /// Runs in which an honest worker was.
    pub wronged: usize,
    /// Runs that found no proof in a hundred times the time.
    pub stuck: usize,
}

/// A search that takes so many times as long is given up.
const PATIENCE: f64 = 100.0;

/// Jobs of a search that says something.
const LEAST_ANSWERS: u64 = 60;

/// Three honest workers, and one that may not be.
const WORKERS: usize = 4;

impl HostileCosts {
    /// Lets honest workers do so many searches. Those that take them fewer than sixty jobs are
    /// passed over: they are proved before anybody can do much harm, or by luck.
    pub fn new(searches: usize, runs: u64) -> Result<Self, SimulationError> {
        let mut costs = Self {
            tape: Tape::bundled(),
            runs,
            searches: Vec::new(),
        };
        for seed in 0.. {
            if costs.searches.len() == searches {
                break;
            }
            if !costs.is_long(seed)? {
                continue;
            }
            let mut seconds = 0.0;
            for run in 0..runs {
                seconds += costs.run(seed, run, WORKERS, None, None)?.time;
            }
            let honest = seconds / runs as f64;
            costs.searches.push(Search { seed, honest });
        }
        Ok(costs)
    }

    /// Whether a search takes many jobs. Other numbers of workers say so: with those that are
    /// measured it would be chosen for being unlucky with them.
    fn is_long(&self, seed: u64) -> Result<bool, SimulationError> {
        const OTHERS: [usize; 4] = [1, 2, 6, 8];
        let mut answers = 0;
        for workers in OTHERS {
            answers += self.run(seed, 0, workers, None, None)?.answers;
        }
        Ok(answers >= LEAST_ANSWERS * OTHERS.len() as u64)
    }

    /// How long honest workers take for each search.
    pub fn honest(&self) -> impl Iterator<Item = Duration> + '_ {
        let searches = self.searches.iter();
        searches.map(|search| Duration::from_secs_f64(search.honest))
    }

    /// What a strategy costs.
    pub fn of(&self, strategy: Strategy) -> Result<HostileCost, SimulationError> {
        let mut cost = HostileCost {
            strategy,
            times: Vec::new(),
            total: 0.0,
            put_aside: (0, 0),
            wronged: 0,
            stuck: 0,
        };
        let (mut all, mut all_honest) = (0.0, 0.0);
        for &Search { seed, honest } in &self.searches {
            let patience = PATIENCE * honest;
            let mut seconds = 0.0;
            for run in 0..self.runs {
                let ran = self.run(seed, run, WORKERS, Some(strategy), Some(patience))?;
                seconds += ran.time;
                cost.stuck += usize::from(ran.is_stuck);
                cost.put_aside.0 += usize::from(ran.quarantined > 0);
                cost.put_aside.1 += 1;
                cost.wronged += usize::from(ran.quarantined > 1);
            }
            let time = seconds / self.runs as f64;
            cost.times.push(time / honest);
            (all, all_honest) = (all + time, all_honest + honest);
        }
        cost.times.sort_by(f64::total_cmp);
        cost.total = all / all_honest;
        Ok(cost)
    }

    fn run(
        &self,
        search: u64,
        run: u64,
        workers: usize,
        hostile: Option<Strategy>,
        patience: Option<f64>,
    ) -> Result<Ran, SimulationError> {
        let terms = &self.tape.terms;
        let seed = search << 16 | run;
        let defaults = Settings::default();
        let patience = patience.map(Duration::from_secs_f64);
        let settings = Settings {
            workers,
            seed,
            speed: terms.speed,
            speed_spread: 0.2,
            hostile,
            patience: patience.unwrap_or(defaults.patience),
            options: Options {
                budgets: Budgets {
                    engine: terms.engine,
                    verifier: terms.verifier,
                    highest: terms.highest,
                    ..Budgets::default()
                },
                secret: seed,
                ..Options::default()
            },
            ..defaults
        };
        let mut world = Synthetic::new(search, self.shape(search));
        match Grid::new(&mut world, &settings).run() {
            Ok(report) if report.verdict == Verdict::Proved => Ok(Ran {
                time: report.time.as_secs_f64(),
                quarantined: report.quarantined,
                answers: report.stats.answers,
                is_stuck: false,
            }),
            Ok(report) => Err(SimulationError::WrongVerdict(
                report.verdict,
                Verdict::Proved,
            )),
            Err(SimulationError::Stuck(time, _)) if hostile.is_some() => Ok(Ran {
                time: time.as_secs_f64(),
                quarantined: 0,
                answers: 0,
                is_stuck: true,
            }),
            Err(error) => Err(error),
        }
    }

    /// Some have many replies and some few; in some the engines are right most of the time.
    fn shape(&self, search: u64) -> Shape {
        const REPLIES: [(f64, f64); 3] = [(6.0, 0.6), (9.0, 0.8), (14.0, 0.8)];
        const GOOD_SUGGESTIONS: [u64; 2] = [60, 35];
        let pick = search as usize;
        Shape {
            replies: REPLIES[pick % 3],
            good_suggestions: GOOD_SUGGESTIONS[pick / 3 % 2],
            ..Shape::with_costs_of(&self.tape, 2 + (search / 6 % 2) as u32)
        }
    }
}

struct Ran {
    time: f64,
    quarantined: usize,
    answers: u64,
    is_stuck: bool,
}

impl HostileCost {
    /// In the middle of all searches.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.times[self.times.len() / 2]
    }

    #[must_use]
    pub fn worst(&self) -> f64 {
        self.times[self.times.len() - 1]
    }
}
