//! How the searches go: what is measured, the line in the log, and the journal that the
//! morning report is made from.
//!
//! A [`Monitor`] looks at the coordinator every so often: it takes a [`Sample`], puts it into
//! the [`Journal`], and lets [`Trend`] sum it up in a line.

mod from_snapshot;
mod journal;
mod monitor;
mod proof_files;
mod sample;
mod summary;
mod trend;

pub use journal::{Journal, JournalError};
pub use monitor::Monitor;
pub use proof_files::{ProofFileError, ProofFiles, SavedProof, add_to_book, save_and_check};
pub use sample::{
    BookState, Certificate, Nodes, RootNumbers, Sample, SearchState, SearchStatus, SlowJob,
    WorkerState,
};
pub use summary::{Direction, SearchProgress, Summary};
pub use trend::Trend;
