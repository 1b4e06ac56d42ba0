//! A grid of real processes, for tests that break them.

mod grid;
mod machine;
mod network;
mod program;
mod talker;
mod unit;
mod usage;

pub use grid::{Coordinator, Grid, HARD, LONG_JOB, SMALL, Worker, solve};
pub use machine::Machine;
pub use network::{Cable, Host, Network};
pub use program::{does, gridproof, programs, repository, run_to_end, worker_program};
pub use talker::{Talker, made_up};
pub use unit::Unit;
pub use usage::Usage;
