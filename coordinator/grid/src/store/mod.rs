//! The store: facts and certificates, written once and never changed.
//!
//! ```text
//! FOLDER/
//!   gridproof-store    the format's version, in words
//!   CURRENT            names the generation in use
//!   generation-0001/
//!     wal              the log: what was committed, group by group, chained by hashes
//!     mark             how long the log must be
//!     index/           a sled database: records by number, certificates by hash
//! ```
//! The log is the truth; the database is made from it, and is a second copy of it. So whatever
//! is damaged is noticed: see [`Repair`], [`StoreError::Lost`] and [`recover`].
//!
//! Nothing that can be derived is stored: proof numbers, for one, are worked out again at each
//! start. [`Writer`] groups what comes in, writes and flushes it, and only then tells.

mod batch;
mod costs;
mod disk;
mod fill;
mod folder;
mod index;
mod memory;
mod portable;
mod record;
mod recover;
mod repair;
mod space;
mod verify;
mod wal;
mod writer;

use std::fmt;
use std::io;
use std::path::PathBuf;

use gridproof_certificate::ContentHash;
use gridproof_host::files::FileError;

pub use batch::Batch;
pub use costs::{Costs, RecordCost, WorkerCost, costs};
pub use disk::Compacted;
pub use disk::{DiskStore, Durability};
pub use index::IndexError;
pub use memory::MemoryStore;
pub use portable::{Exported, export, import};
pub use record::{Note, Record, RecordError};
pub use recover::{Recovered, recover};
pub use repair::Repair;
pub use space::{Alarm, Space};
pub use verify::{Verified, verify};
pub use wal::Damage;
pub use writer::{StoreFailure, Watchdog, Writer};

/// What the coordinator needs of a store. Narrow, so that another database can take sled's
/// place, and memory can in simulations.
pub trait Store: Send + Sync + fmt::Debug {
    /// Writes a batch after all earlier ones: the whole of it or nothing, and safely so when
    /// this returns. Blocks.
    fn commit(&self, batch: &Batch) -> Result<(), StoreError>;

    /// All records in the order in which they were written.
    fn records(&self) -> Records<'_>;

    fn certificate(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError>;

    /// The hashes of all certificates, in their order.
    fn certificates(&self) -> Hashes<'_>;

    /// The certificates alone, to be read from other threads while the store is written.
    fn has_certificate(&self, hash: ContentHash) -> Result<bool, StoreError>;
}

pub type Records<'a> = Box<dyn Iterator<Item = Result<Record, StoreError>> + 'a>;
pub type Hashes<'a> = Box<dyn Iterator<Item = Result<ContentHash, StoreError>> + 'a>;

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot {what} {}", path.display())]
    Io {
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "{} is in use by another gridproof: stop that one first, or use another folder",
        .0.display()
    )]
    InUse(PathBuf),
    #[error(
        "{} holds other files and no store: choose an empty folder or one that does not exist",
        .0.display()
    )]
    NotAStore(PathBuf),
    #[error("there is no store in {}", .0.display())]
    Missing(PathBuf),
    #[error("{} exists: import into a folder that does not", .0.display())]
    Exists(PathBuf),
    #[error(
        "an import into {} was broken off: delete the folder and import again",
        .0.display()
    )]
    HalfImported(PathBuf),
    #[error(
        "the store in {} has version {found}, and this program knows {known}: \
         start the program that wrote it, or a newer one",
        path.display(), known = folder::VERSION
    )]
    Newer { path: PathBuf, found: u32 },
    #[error(
        "the store is damaged ({0}): restore it from a backup, or save what can be saved with \
         `gridproof store recover`"
    )]
    Damaged(String),
    #[error(
        "the store's log is damaged: {0}. Restore it from a backup, or save what can be saved \
         with `gridproof store recover`, which has a second copy of most"
    )]
    Lost(Damage),
    #[error("the store's database failed ({0}): start the program again, it is made anew then")]
    Index(#[from] IndexError),
    #[error(
        "the store has reached its limit of {limit} bytes: make room with `gridproof store \
         compact`, or raise --store-limit"
    )]
    Full { limit: u64 },
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl StoreError {
    fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { what, path, source }
    }
}
