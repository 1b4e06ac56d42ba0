//! Picks moves: for the proof search, for play, and through other engines.

mod candidates;
mod engine;
mod potential;
mod questions;
mod rank;
mod status;
mod weights;

pub use engine::{Answer, Engine, EngineError};
pub use rank::{Ranked, Standing};
pub use status::{Numbers, Status, Strength};
