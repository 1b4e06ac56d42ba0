//! The core at a scale that we do not own: thousands of virtual workers, virtual time, and
//! faults from a seed.

mod dice;
mod faults;
mod grid;
mod settings;
mod toy;
mod worker;
mod world;

pub use dice::Dice;
pub use grid::{Grid, Report, SimulationError};
pub use settings::{Faults, Settings};
pub use toy::Toy;
pub use world::{Run, Settlement, World};
