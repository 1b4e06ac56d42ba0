//! How the night goes: what is measured, the line in the log, and the journal that the
//! morning report is made from.
//!
//! # How to use it
//! ```text
//! let mut night = Night::default();
//! let journal = Journal::at(data.join("journal"));
//! // every minute, and at the end:
//! let sample = Sample::of(&shell.snapshot().await?, Timestamp::now(), life);
//! tracing::info!("{}", night.add(&sample)); // the summary is serde::Serialize too
//! journal.append(&sample)?;
//! metrics::publish(&sample);
//! ```

mod journal;
mod night;
mod observe;
mod sample;
mod summary;
pub(crate) mod words;

pub use journal::{Journal, JournalError};
pub use night::Night;
pub use sample::{Certificate, Ending, Nodes, Root, Sample, SearchState, SlowJob, WorkerState};
pub use summary::{Heading, RootLine, Stagnation, Summary};
