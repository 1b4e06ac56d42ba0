//! The plug: other engines do the engine job, or play.
//!
//! Another program may hang, crash, talk nonsense or never stop talking. All of that ends in
//! an error with the reason. What it claims is an opinion like any other: a win that it
//! announces becomes a [`Status`](crate::Status), never a proof.

mod error;
mod job;
mod letters;
mod process;
mod stdin;

pub use error::AdapterError;
pub use job::JobEngine;
pub use process::EngineCommand;
pub use stdin::StdinEngine;

pub(crate) use letters::{read_move, write_move};
