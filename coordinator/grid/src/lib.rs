//! The coordinator of a grid of workers that proves who wins.

mod book;
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

pub use book::{Added, GridBook};
pub use naming::{
    GameOver, check_open, default_attacker, file_name, position_record, record_after, search_name,
    turn_to,
};
pub use serve::{ServeFailure, ServeOptions, ServeRun, WantedSearch};
pub use solve::{SolveEnd, SolveFailure, SolveOptions, SolveRun, Solved};
