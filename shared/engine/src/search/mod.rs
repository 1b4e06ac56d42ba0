//! The search over turns.

mod cells;
mod generate;
mod model;
mod pvs;
mod root;
mod state;
mod table;
mod tactics;
mod think;
pub mod tune;

pub(crate) use think::Thinker;
pub use think::{Limits, Line, Thought};
