//! The coordinator of a grid of workers that proves who wins.

pub mod campaign;
pub mod coordinator;
pub mod embedded;
pub mod logs;
pub mod metrics;
mod naming;
pub mod report;
pub mod security;
mod serve;
pub mod service;
mod solve;
pub mod store;
pub mod text;

pub use naming::{
    GameOver, check_open, default_attacker, file_name, position_record, search_name, turned_to,
};
pub use serve::{ServeFailure, ServeOptions, ServeRun};
pub use solve::{SolveEnd, SolveFailure, SolveOptions, SolveRun, Solved};
