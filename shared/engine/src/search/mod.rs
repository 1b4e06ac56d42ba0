//! The search over turns.

mod cells;
mod clock;
mod generate;
mod model;
mod overlooked;
mod pvs;
mod root;
mod state;
mod table;
mod tactics;
mod think;
pub mod tune;

pub(crate) use clock::Clock;
pub use overlooked::{Checked, Checker};
pub(crate) use think::{Limits, Thinker};
pub use think::{Line, Thought};
