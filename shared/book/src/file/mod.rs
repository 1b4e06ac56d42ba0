//! The book's file.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the magic, `89 'G' 'P' 'B' 'O' 'O' 'K' 0A` |
//! | 2 | the version, now 1; numbers of fixed width are little-endian |
//! | 5 | m, n, k, p, q |
//! | 1 | the canonical form, now 1 |
//! | 8 each | entries; blocks; bytes of sources, blocks and index; certificates |
//! | 32 | BLAKE3 of everything but these bytes: the content hash |
//! | .. | sources: the name of each, its length first |
//! | .. | blocks: entries in the order of their keys |
//! | .. | index: each block's first key, its length first, and the block's length |
//! | 32 each | certificates: their content hashes in ascending order |
//!
//! Numbers of variable width have seven bits a byte, least first. An entry is: how many bytes of
//! the key are those of the entry before (none for the first of a block), how many follow, these;
//! the length of the rest; a byte, status plus 4 if there is a note plus 8 times the form of the
//! wins: none (0), one of Black (1) or of White (2) in the source whose number follows, or a list
//! (3) of their number and for each source its number and both sides' wins; the status's own
//! numbers; a byte, the first move's symmetry plus 8 times the number of moves, which is 31 when
//! the number of the others follows; the moves' stones, from the second on after their symmetry;
//! the note.
//!
//! A reader holds the index in memory and reads one block for each question. It reads with
//! `pread` and maps nothing: a mapped file that somebody cuts short ends the process, and one
//! that is read gives an error. The same content makes the same bytes.

mod code;
mod read;
mod write;

use std::io;
use std::path::PathBuf;

use gridproof_game::{PlayError, Rules, RulesError, SetupError};

pub use read::{BookFile, ReadAt, Verified};
pub(crate) use write::replace;
pub use write::{encode, write};

/// What the names of books end with, after the dot.
pub const FILE_ENDING: &str = "gpb";

/// The version that this program writes, and the only one it reads.
pub const VERSION: u16 = 1;

const MAGIC: [u8; 8] = *b"\x89GPBOOK\n";
/// Up to the content hash, and with it.
const BEFORE_HASH: usize = 8 + 2 + 5 + 1 + 6 * 8;
const HEADER: usize = BEFORE_HASH + 32;

/// Why bytes are no book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The system could not read or write.
    #[error("the book cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// Its name.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It does not begin like one.
    #[error("this is no book: it does not begin like one")]
    NotABook,
    /// Of another version.
    #[error(
        "a book of version {0}, and this program reads version {VERSION}: export it with the program that wrote it"
    )]
    Version(u16),
    /// Its keys are of another canonical form.
    #[error("the book's positions are in canonical form {0}, which this program does not know")]
    CanonicalForm(u8),
    /// The rules are none.
    #[error("the book names no game: {0}")]
    Rules(#[from] RulesError),
    /// Another game was asked for.
    #[error("a book of {found}, not of {expected}")]
    OtherGame {
        /// The book's.
        found: Rules,
        /// What was asked for.
        expected: Rules,
    },
    /// Shorter or longer than it says.
    #[error("the book has {found} bytes and announces {announced}: it was cut off or added to")]
    Length {
        /// What there is.
        found: u64,
        /// What there should be.
        announced: u64,
    },
    /// It contradicts itself.
    #[error("the book is damaged: {0}")]
    Damaged(String),
    /// A key is no position.
    #[error("the book is damaged: {0}")]
    Position(#[source] SetupError),
    /// A move cannot be played.
    #[error("the book is damaged: {0}")]
    Move(#[source] PlayError),
    /// The content hash is another.
    #[error("the book is damaged: its content does not fit its hash")]
    Hash,
}

impl BookError {
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }
}
