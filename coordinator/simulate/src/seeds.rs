//! Grids with faults, each made up from one number.

use std::time::Duration;

use super::dice::Dice;
use super::grid::{Grid, Report, SimulationError};
use super::policy::Policy;
use super::settings::{Faults, Settings};
use super::toy::Toy;
use gridproof_search::{Level, Overcounting, Verdict};

/// How closely a simulation is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// All that must hold is checked after every event, and a replay compared.
    EveryStep,
    /// After every fault, now and then, and at the end.
    NowAndThen,
}

/// What goes wrong in the simulations of [`run_seed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    Fair,
    /// As foul weather, but everybody is honest.
    Rough,
    /// Lost, slow, lying and returning workers, partitions, restarts, reason, operators.
    Foul,
}

/// Simulates the grid of a seed on the made-up game of that seed, and compares the verdict
/// with the game's true value.
pub fn run_seed(seed: u64, weather: Weather, watch: Watch) -> Result<Report, SimulationError> {
    let mut toy = Toy::new(seed);
    let truth = if toy.value() {
        Verdict::Proved
    } else {
        Verdict::Failed
    };
    let settings = settings_of(seed, weather, watch);
    let report = Grid::new(&mut toy, &settings).run()?;
    if report.verdict == truth {
        Ok(report)
    } else {
        Err(SimulationError::WrongVerdict(report.verdict, truth))
    }
}

fn settings_of(seed: u64, weather: Weather, watch: Watch) -> Settings {
    let mut dice = Dice::of(seed, 99);
    let workers = 1 + dice.below(12) as usize;
    let mut settings = Settings {
        workers,
        seed,
        speed: 1_000,
        speed_spread: 0.5,
        keeps_facts: true,
        check_every: match watch {
            Watch::EveryStep => 1,
            Watch::NowAndThen => 200,
        },
        patience: Duration::from_secs(3 * 86_400),
        ..Settings::default()
    };
    if let Some(&policy) = dice.pick(&Policy::ALL) {
        settings.policy = policy;
    }
    if dice.percent(50) {
        settings.options.overcounting = Overcounting::Sum;
    }
    settings.options.budgets.highest = Level(2);
    // As slow as these machines are: deadlines follow from it.
    settings.options.budgets.engine = 200_000;
    settings.options.budgets.verifier = 200_000;
    if weather != Weather::Fair {
        let is_foul = weather == Weather::Foul;
        settings.faults = Some(Faults {
            count: 5 + dice.below(30),
            within: 200_000,
            liars: if is_foul { 30 } else { 0 },
            hostile: if is_foul { 60 } else { 0 },
        });
    }
    settings
}
