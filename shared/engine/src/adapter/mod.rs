//! Other engines: programs that choose moves when they are told a game.
//!
//! Another program may hang, crash, write nonsense or never stop writing. All of that ends in
//! an [`AdapterError`] that says what happened.

mod error;
mod letters;
mod process;
mod stdin;

pub use error::AdapterError;
pub use process::EngineCommand;
pub use stdin::StdinEngine;

pub(crate) use letters::{read_move, write_move};
