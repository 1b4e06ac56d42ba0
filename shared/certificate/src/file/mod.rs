//! The proof file.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the magic, `89 'G' 'P' 'R' 'O' 'O' 'F' 0A` |
//! | 2 | the version, now 1; numbers of fixed width are little-endian |
//! | 5 | m, n, k, p, q |
//! | 2 | `B` or `W`: the side to move, the attacker |
//! | 2 + 2 each | black stones: their number, then their places in ascending order |
//! | 2 + 2 each | white stones |
//! | 8 | the number of nodes |
//! | .. | the events, one zstd frame |
//! | 32 | BLAKE3 of all the above, the events taken uncompressed |
//!
//! A place numbers the squares row by row from A1. An event is a tag and its numbers, each
//! seven bits a byte, least first, the last byte with its top bit clear:
//!
//! | tag | then |
//! |---|---|
//! | 0 | again: the shared node's number |
//! | 1, 2 | the attacker completes a line; plays on: the move |
//! | 3 | the defender to move: the number of replies |
//! | 4 | a reply with a proof of its own: the move |
//! | 5 | a reply like another: the move, that reply's number |
//! | 9, 10, 11 | 1, 2, 3 of a shared node: first how many times it comes again |
//!
//! A move is a byte, stones plus 16 times null stones, then the stones' places: the first
//! itself, each other less the one before it and one.

mod bounded;
mod header;
mod load;
mod reader;
mod save;
pub(crate) mod varint;
mod writer;

use std::fmt;
use std::io::{self, BufRead};
use std::sync::atomic::AtomicBool;

use gridproof_game::{RulesError, SetupError};

use bounded::Bounded;
pub use bounded::CheckBudget;
pub(crate) use header::Header;
pub use load::{read_proof, read_proof_within};
pub(crate) use reader::Hashing;
pub use reader::ProofReader;
pub(crate) use reader::read_event;
pub use save::{FileWriter, IfExists, SaveError, save, save_with};
pub use writer::{ProofWriter, WriteError, write_proof};

use crate::builder::BuildError;
use crate::check::{CheckError, CheckLimits, Checked, Guards, Refusal, Unneeded, check_noting};
use crate::event::GrammarError;

/// The version that this program writes, and the only one it reads.
pub const VERSION: u16 = 1;

/// What the names of proof files end with, after the dot.
pub const FILE_ENDING: &str = "gpf";

/// BLAKE3 of a proof's content, however it is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Why bytes are no proof file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum FormatError {
    #[error("the file cannot be read: {0}")]
    Io(#[source] io::Error),
    #[error("this is no proof file: it does not begin like one")]
    NotAProof,
    #[error(
        "a proof file of version {0}, and this program reads version {VERSION}: use the program that wrote it"
    )]
    Version(u16),
    #[error("the file ends too early: it was cut off, or is still being written")]
    Truncated,
    #[error("the file goes on after the proof's end")]
    TrailingBytes,
    #[error("the file is damaged: {0}")]
    Damaged(String),
    #[error("the file is damaged: its content does not fit its hash")]
    Hash,
    #[error("the file names no game: {0}")]
    Rules(#[from] RulesError),
    #[error("the file names no position: {0}")]
    Position(#[from] SetupError),
    #[error("the file tells no proof: {0}")]
    Grammar(#[from] GrammarError),
    #[error("the file tells no proof: {0}")]
    Graph(#[from] BuildError),
    #[error("the proof is too large to be read into memory; it can still be checked")]
    TooLarge,
    #[error("the proof has more than the {0} nodes and replies that it may have")]
    OverBudget(u64),
    #[error("the check was stopped")]
    Stopped,
    #[error("the file announces {announced} nodes and holds {found}")]
    NodeCount { announced: u64, found: u64 },
}

impl From<io::Error> for FormatError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Self::Truncated
        } else if error.raw_os_error().is_some() {
            Self::Io(error)
        } else {
            // What zstd has to say of bytes that are no frame of its.
            Self::Damaged(error.to_string())
        }
    }
}

impl FormatError {
    fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }
}

/// Why a file is not accepted.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum FileRefusal {
    #[error(transparent)]
    Unreadable(#[from] FormatError),
    #[error("the proof does not hold {0}")]
    Refused(#[from] Box<Refusal>),
}

/// A file whose claim has been checked: it is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    /// The claim and what its proof is like.
    pub checked: Checked,
    /// The name of the content.
    pub hash: ContentHash,
    /// Nodes and replies that it told: what its check cost.
    pub events: u64,
}

/// Checks a proof file as it is read, without holding it in memory.
pub fn check_file(reader: impl BufRead, limits: CheckLimits) -> Result<CheckedFile, FileRefusal> {
    let never = AtomicBool::new(false);
    let endless = CheckBudget {
        events: u64::MAX,
        stop: &never,
    };
    check_file_within(reader, limits, endless)
}

/// The same for a file of a stranger: no longer than a budget allows.
pub fn check_file_within(
    reader: impl BufRead,
    limits: CheckLimits,
    budget: CheckBudget<'_>,
) -> Result<CheckedFile, FileRefusal> {
    check_file_noting(reader, limits, budget, None)
}

/// The same; notes which replies the proof does not need.
pub(crate) fn check_file_noting(
    reader: impl BufRead,
    limits: CheckLimits,
    budget: CheckBudget<'_>,
    unneeded: Option<&mut Unneeded>,
) -> Result<CheckedFile, FileRefusal> {
    let mut file = Bounded::new(ProofReader::new(reader)?, budget);
    let claim = file.file.claim().clone();
    let checked = check_noting(claim, &mut file, limits, Guards::default(), unneeded);
    let checked = checked.map_err(|error| match error {
        CheckError::Source(error) => FileRefusal::Unreadable(error),
        CheckError::Refused(refusal) => FileRefusal::Refused(refusal),
    })?;
    let events = file.read();
    let hash = file.file.finish()?;
    Ok(CheckedFile {
        checked,
        hash,
        events,
    })
}
