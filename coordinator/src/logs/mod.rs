//! How the night goes: what is measured, the line in the log, and the journal that the
//! morning report is made from.
//!
//! # How to use it
//! ```text
//! let mut night = Night::default();
//! let journal = Journal::at(data.join("journal"));
//! // every minute, and at the end:
//! let sample = Sample { at: Timestamp::now(), life, searches, .. };
//! let summary = night.add(&sample);
//! tracing::info!(summary = %summary);       // or log it as JSON: it is serde::Serialize
//! journal.append(&sample)?;
//! metrics::publish(&sample);
//! ```

mod journal;
mod night;
mod sample;
mod summary;
pub(crate) mod words;

pub use journal::{Journal, JournalError};
pub use night::Night;
pub use sample::{Certificate, Ending, Nodes, Root, Sample, SearchState, SlowJob, WorkerState};
pub use summary::{Heading, RootLine, Stagnation, Summary};
