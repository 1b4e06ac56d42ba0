//! Picks moves: for the proof search, for play, and through other engines.

pub mod adapter;
mod best;
mod candidates;
mod engine;
mod evaluate;
mod judge;
pub mod players;
pub mod protocol;
mod questions;
mod rank;
mod score;
mod shapes;
mod status;
pub mod tournament;
mod weights;

pub use engine::{Answer, Engine, EngineError, Suggestion};
pub use evaluate::{SIndexWeights, half_move};
pub use rank::{Ranked, Standing};
pub use score::{Elo, Score};
pub use status::{Status, Strength};
pub use weights::{BEAM_BY_HAND, BEAM_TUNED};
