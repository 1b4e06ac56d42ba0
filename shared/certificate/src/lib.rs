#![doc = include_str!("../README.md")]

mod builder;
mod check;
mod dedup;
mod event;
mod file;
mod guide;
mod place;
mod proof;
mod stats;
#[cfg(test)]
mod testing;
mod walk;

pub use builder::{BuildError, ProofBuilder};
pub use check::{CheckLimits, Checked, Claim, MAX_STONES_PER_TURN, Reason, Refusal, Zone, check};
pub use event::{Event, EventSource, GrammarError, SharedId};
pub use file::{
    CheckedFile, ContentHash, FILE_ENDING, FileRefusal, FormatError, IfExists, MAX_LOADED,
    ProofReader, ProofWriter, SaveError, VERSION, WriteError, check_file, read_proof, save,
    write_proof,
};
pub use guide::{Guide, GuideError, Why};
pub use proof::{Answer, Node, Proof, ProofId, Reply};
pub use stats::Stats;
pub use walk::Walk;
