//! A grid of real processes, for tests that break them.

mod grid;
mod program;
mod talker;
mod usage;

pub use grid::{Coordinator, Grid, SMALL, Worker, solve};
pub use program::{gridproof, run_to_end, worker_program};
pub use talker::{Talker, made_up};
pub use usage::Usage;
