//! What positions and stones are worth before anybody looks ahead.

mod connections;
mod half_move;
mod lines;
mod s_index;
mod segments;

pub(crate) use connections::connection_worth;
pub(crate) use half_move::half_move;
pub(crate) use lines::{Lines, Stone, Worth};
pub(crate) use s_index::SIndex;
pub use s_index::SIndexWeights;
pub(crate) use segments::{ByMissing, Potential};
