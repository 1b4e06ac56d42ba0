//! How the night goes: what is measured, the line in the log, and the journal that the
//! morning report is made from.
//!
//! A [`Keeper`] looks at the shell every so often: it takes a [`Sample`], puts it into the
//! [`Journal`], and lets [`Night`] sum it up in a line.

mod journal;
mod keeper;
mod night;
mod observe;
mod sample;
mod summary;
pub(crate) mod words;

pub use journal::{Journal, JournalError};
pub use keeper::{Keeper, Readers};
pub use night::Night;
pub use sample::{Certificate, Ending, Nodes, Root, Sample, SearchState, SlowJob, WorkerState};
pub use summary::{Heading, RootLine, Stagnation, Summary};
