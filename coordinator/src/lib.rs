//! The coordinator of a grid of workers that proves who wins.

mod attacker;
pub mod campaign;
pub mod core;
pub mod embedded;
pub mod logs;
pub mod metrics;
pub mod report;
pub mod security;
pub mod service;
pub mod shell;
pub mod simulate;
pub mod store;

pub use attacker::default_attacker;
