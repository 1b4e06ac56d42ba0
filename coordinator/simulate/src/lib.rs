//! The core at a scale that we do not own: thousands of virtual workers, virtual time, and
//! faults from a seed.
//!
//! A [`World`] knows what jobs answer and what they cost: [`Recorded`] from a file of real jobs,
//! [`Synthetic`] made up with real costs, [`Toy`] made up with a known value. A [`Grid`] drives
//! the real core with virtual workers over a world, as the shell would with real ones.

mod busy;
mod compare;
mod costs;
mod dice;
mod faults;
mod grid;
mod hostile;
mod plot;
mod policy;
mod record;
mod recorded;
mod seeds;
mod settings;
mod shell;
mod synthetic;
mod tape;
mod toy;
mod work;
mod worker;
mod world;

pub use compare::{Trial, compare, heading, row};
pub use costs::{HostileCost, HostileCosts};
pub use dice::Dice;
pub use grid::{Grid, Report, SimulationError};
pub use hostile::Strategy;
pub use plot::plot;
pub use policy::{ParsePolicyError, Policy};
pub use record::Recorder;
pub use recorded::{Guesses, Recorded};
pub use seeds::{Watch, Weather, run_seed};
pub use settings::{Faults, Settings};
pub use synthetic::{Shape, Synthetic};
pub use tape::{Tape, TapeError, Terms};
pub use toy::Toy;
pub use world::{Run, Settlement, World};
