//! The database beside the log: finds certificates by their hash, and records by their number.
//!
//! All that it holds is in the log too. So whatever is wrong with it, it can be made anew; and
//! it is a second copy from which a damaged log is mended. sled panics over damaged files: here
//! that is an error like others.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use gridproof_certificate::ContentHash;

use super::{Batch, Record, StoreError};

#[derive(Debug)]
pub(super) struct Index {
    db: sled::Db,
}

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("it is locked")]
    Locked,
    #[error("{0}")]
    Database(#[from] sled::Error),
    #[error("the database panicked over its files")]
    Panicked,
    #[error("{0}")]
    Damaged(&'static str),
}

/// Keys: records by their number, certificates by their hash.
mod key {
    pub(super) const RECORD: u8 = b'r';
    pub(super) const CERTIFICATE: u8 = b'c';
}

/// Runs what sled may panic in. Its files are then made anew or left alone, so that no half
/// done change in memory is seen by anybody.
fn guard<T>(work: impl FnOnce() -> Result<T, IndexError>) -> Result<T, IndexError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(IndexError::Panicked))
}

impl Index {
    /// Opens the database in a folder, or makes one there.
    pub(super) fn open(path: &Path) -> Result<Self, IndexError> {
        remove_half_snapshots(path).map_err(sled::Error::Io)?;
        guard(|| {
            let db = sled::Config::new()
                .path(path)
                .mode(sled::Mode::HighThroughput)
                // Every group of results is flushed before it is acknowledged: no timer is
                // needed.
                .flush_every_ms(None)
                .cache_capacity(64 << 20)
                .open()
                .map_err(|error| match error {
                    sled::Error::Io(error) if is_lock(&error) => IndexError::Locked,
                    other => IndexError::Database(other),
                })?;
            Ok(Self { db })
        })
    }

    /// A database that was closed in this process a moment ago may still hold its lock.
    pub(super) fn open_patiently(path: &Path) -> Result<Self, IndexError> {
        const TRIES: u32 = 100;
        for _ in 1..TRIES {
            match Self::open(path) {
                Err(IndexError::Locked) => thread::sleep(Duration::from_millis(20)),
                opened => return opened,
            }
        }
        Self::open(path)
    }

    /// Records that it holds, if none is missing.
    pub(super) fn records(&self) -> Result<u64, IndexError> {
        guard(|| match self.db.get_lt([key::RECORD + 1])? {
            Some((key, _)) if key.first() == Some(&key::RECORD) => Ok(number_of(&key)? + 1),
            _ => Ok(0),
        })
    }

    /// Writes records from a number on, and certificates.
    pub(super) fn apply(&self, first: u64, batch: &Batch) -> Result<(), IndexError> {
        guard(|| {
            let mut writes = sled::Batch::default();
            for (record, number) in batch.records.iter().zip(first..) {
                writes.insert(&record_key(number)[..], record.encode());
            }
            for (hash, bytes) in &batch.certificates {
                let key = certificate_key(*hash);
                if !self.db.contains_key(&key[..])? {
                    writes.insert(&key[..], &bytes[..]);
                }
            }
            Ok(self.db.apply_batch(writes)?)
        })
    }

    pub(super) fn flush(&self) -> Result<(), IndexError> {
        guard(|| {
            self.db.flush()?;
            Ok(())
        })
    }

    pub(super) fn record(&self, number: u64) -> Result<Option<Record>, IndexError> {
        guard(|| {
            let value = self.db.get(record_key(number))?;
            let decoded = value.map(|bytes| Record::decode(&bytes)).transpose();
            decoded.map_err(|_| IndexError::Damaged("a record cannot be read"))
        })
    }

    pub(super) fn certificate(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, IndexError> {
        guard(|| {
            let value = self.db.get(certificate_key(hash))?;
            Ok(value.map(|bytes| bytes.to_vec()))
        })
    }

    pub(super) fn has_certificate(&self, hash: ContentHash) -> Result<bool, IndexError> {
        guard(|| Ok(self.db.contains_key(certificate_key(hash))?))
    }

    /// The hashes of all certificates, in their order.
    pub(super) fn certificates(&self) -> impl Iterator<Item = Result<ContentHash, IndexError>> {
        let mut keys = self.db.scan_prefix([key::CERTIFICATE]).keys();
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let next = guard(|| keys.next().transpose().map_err(IndexError::from)).transpose()?;
            is_over = next.is_err();
            Some(next.and_then(|key| hash_of(&key)))
        })
    }

    pub(super) fn size_on_disk(&self) -> Result<u64, IndexError> {
        guard(|| Ok(self.db.size_on_disk()?))
    }
}

/// Leaves an empty folder where a database was.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io("remove", path)(error))
        }
        _ => fs::create_dir_all(path).map_err(StoreError::io("make the folder", path)),
    }
}

fn record_key(number: u64) -> [u8; 9] {
    let mut key = [key::RECORD; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    key
}

fn certificate_key(hash: ContentHash) -> [u8; 33] {
    let mut key = [key::CERTIFICATE; 33];
    key[1..].copy_from_slice(&hash.0);
    key
}

fn number_of(key: &[u8]) -> Result<u64, IndexError> {
    let bytes: Option<[u8; 8]> = key.get(1..).and_then(|rest| rest.try_into().ok());
    bytes
        .map(u64::from_be_bytes)
        .ok_or(IndexError::Damaged("a record has no number"))
}

fn hash_of(key: &[u8]) -> Result<ContentHash, IndexError> {
    let bytes: Option<[u8; 32]> = key.get(1..).and_then(|rest| rest.try_into().ok());
    bytes
        .map(ContentHash)
        .ok_or(IndexError::Damaged("a certificate has no hash"))
}

/// A snapshot that a crash cut short makes sled refuse to open; it is of no use anyway.
fn remove_half_snapshots(database: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(database) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let is_half = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("snap.") && name.ends_with(".generating"))
    };
    for path in entries.flatten().map(|entry| entry.path()).filter(is_half) {
        fs::remove_file(&path)?;
    }
    Ok(())
}

fn is_lock(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
        || error.to_string().contains("could not acquire lock")
}
