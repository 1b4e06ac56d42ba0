//! The store on disk: sled, used as an append-only log.

use std::fs::{self, File};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gridproof_certificate::ContentHash;

use super::folder::{Folder, IfMissing, sync_folder};
use super::{Batch, Exported, Hashes, Record, Records, Store, StoreError, import};

/// What a commit is safe against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Durability {
    /// The power may fail: the file is synchronised with the disk.
    #[default]
    PowerFailure,
    /// The process may be killed: the file is handed to the system. Faster.
    Crash,
}

/// A store in a folder.
#[derive(Debug)]
pub struct DiskStore {
    folder: Folder,
    generation: u32,
    db: sled::Db,
    /// The database's own file, since sled's flush does not reach the disk itself.
    file: Option<File>,
    next: AtomicU64,
}

/// Keys: records by their number, certificates by their hash.
mod key {
    pub(super) const RECORD: u8 = b'r';
    pub(super) const CERTIFICATE: u8 = b'c';
}

impl DiskStore {
    /// Opens the store in a folder, or makes one there.
    pub fn open(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        Self::open_folder(path, durability, IfMissing::Create)
    }

    /// Opens a store that must exist.
    pub fn open_existing(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        Self::open_folder(path, durability, IfMissing::Refuse)
    }

    /// Makes a store of an export. If that fails nothing is left of it.
    pub fn import(path: &Path, export: impl BufRead) -> Result<Exported, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists(path.into()));
        }
        let filled = Self::open(path, Durability::PowerFailure).and_then(|store| {
            store.folder.begin_import()?;
            let counts = import(&store, export)?;
            store.folder.end_import()?;
            Ok(counts)
        });
        if filled.is_err() {
            fs::remove_dir_all(path).map_err(StoreError::io("remove", path))?;
        }
        filled
    }

    fn open_folder(
        path: &Path,
        durability: Durability,
        if_missing: IfMissing,
    ) -> Result<Self, StoreError> {
        let folder = Folder::open(path, if_missing)?;
        let generation = folder.current()?;
        let store = Self::open_generation(path, folder, generation, durability)?;
        // Only now do we hold the database's lock, so nobody is compacting.
        store.folder.remove_others()?;
        Ok(store)
    }

    fn open_generation(
        path: &Path,
        folder: Folder,
        generation: u32,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let database = folder.generation(generation);
        remove_half_snapshots(&database)?;
        let db = sled::Config::new()
            .path(&database)
            .mode(sled::Mode::HighThroughput)
            // Every group of results is flushed before it is acknowledged: no timer is needed.
            .flush_every_ms(None)
            .cache_capacity(64 << 20)
            .open()
            .map_err(|error| match error {
                sled::Error::Io(error) if is_lock(&error) => StoreError::InUse(path.into()),
                other => StoreError::Database(other),
            })?;
        let file = match durability {
            Durability::PowerFailure => {
                let path = database.join("db");
                Some(File::open(&path).map_err(StoreError::io("open", path))?)
            }
            Durability::Crash => None,
        };
        let last = db.get_lt([key::RECORD + 1])?;
        let next = match last {
            Some((key, _)) if key.first() == Some(&key::RECORD) => number_of(&key)? + 1,
            _ => 0,
        };
        Ok(Self {
            folder,
            generation,
            db,
            file,
            next: AtomicU64::new(next),
        })
    }

    /// Writes what is still of use to a fresh database, puts it in place of this one and
    /// removes this one. Deleting in place would give nothing back.
    pub fn compact(self) -> Result<Compacted, StoreError> {
        let before = self.db.size_on_disk()?;
        let number = self.generation + 1;
        let fresh_path = self.folder.generation(number);
        if fresh_path.exists() {
            fs::remove_dir_all(&fresh_path).map_err(StoreError::io("remove", &fresh_path))?;
        }
        let fresh = Self::open_generation(
            &fresh_path,
            self.folder.clone(),
            number,
            Durability::PowerFailure,
        )?;
        copy(&self, &fresh)?;
        sync_folder(&fresh_path).map_err(StoreError::io("synchronise", &fresh_path))?;
        self.folder.point_at(number)?;
        let after = fresh.db.size_on_disk()?;
        let folder = self.folder.clone();
        drop(self);
        folder.remove_others()?;
        Ok(Compacted { before, after })
    }
}

/// Bytes on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    pub before: u64,
    pub after: u64,
}

/// Copies all records, and the certificates that they rest on.
pub(super) fn copy(from: &dyn Store, to: &dyn Store) -> Result<(), StoreError> {
    const AT_ONCE: usize = 1000;
    let mut batch = Batch::default();
    for record in from.records() {
        let record = record?;
        for hash in record.certificates() {
            let waiting = batch.certificates.iter().any(|(other, _)| *other == hash);
            if !waiting && !to.has_certificate(hash)? {
                let bytes = from.certificate(hash)?;
                let bytes = bytes.ok_or_else(|| missing(hash))?;
                batch.certificates.push((hash, bytes));
            }
        }
        batch.records.push(record);
        if batch.records.len() == AT_ONCE {
            to.commit(&std::mem::take(&mut batch))?;
        }
    }
    to.commit(&batch)
}

pub(super) fn missing(hash: ContentHash) -> StoreError {
    StoreError::Damaged(format!("certificate {hash} is missing"))
}

impl Store for DiskStore {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut writes = sled::Batch::default();
        let first = self.next.load(Ordering::Relaxed);
        for (record, number) in batch.records.iter().zip(first..) {
            writes.insert(&record_key(number)[..], record.encode());
        }
        for (hash, bytes) in &batch.certificates {
            let key = certificate_key(*hash);
            if !self.db.contains_key(&key[..])? {
                writes.insert(&key[..], &bytes[..]);
            }
        }
        self.db.apply_batch(writes)?;
        self.next
            .store(first + batch.records.len() as u64, Ordering::Relaxed);
        self.db.flush()?;
        if let Some(file) = &self.file {
            let path = self.folder.generation(self.generation);
            file.sync_data()
                .map_err(StoreError::io("synchronise", path))?;
        }
        Ok(())
    }

    fn records(&self) -> Records<'_> {
        let mut expected = 0;
        Box::new(self.db.scan_prefix([key::RECORD]).map(move |entry| {
            let (key, value) = entry?;
            let number = number_of(&key)?;
            if number != expected {
                return Err(StoreError::Damaged(format!("record {expected} is missing")));
            }
            expected += 1;
            Ok(Record::decode(&value)?)
        }))
    }

    fn certificate(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.db.get(certificate_key(hash))?;
        Ok(value.map(|bytes| bytes.to_vec()))
    }

    fn certificates(&self) -> Hashes<'_> {
        let keys = self.db.scan_prefix([key::CERTIFICATE]).keys();
        Box::new(keys.map(|key| {
            let key = key?;
            let bytes: Option<[u8; 32]> = key.get(1..).and_then(|rest| rest.try_into().ok());
            bytes
                .map(ContentHash)
                .ok_or_else(|| StoreError::Damaged("a certificate has no hash".to_owned()))
        }))
    }

    fn has_certificate(&self, hash: ContentHash) -> Result<bool, StoreError> {
        Ok(self.db.contains_key(certificate_key(hash))?)
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

fn number_of(key: &[u8]) -> Result<u64, StoreError> {
    let bytes: Option<[u8; 8]> = key.get(1..).and_then(|rest| rest.try_into().ok());
    bytes
        .map(u64::from_be_bytes)
        .ok_or_else(|| StoreError::Damaged("a record has no number".to_owned()))
}

/// A snapshot that a crash cut short makes sled refuse to open; it is of no use anyway.
fn remove_half_snapshots(database: &Path) -> Result<(), StoreError> {
    let entries = match fs::read_dir(database) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::io("read", database)(error)),
    };
    let is_half = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("snap.") && name.ends_with(".generating"))
    };
    for path in entries.flatten().map(|entry| entry.path()).filter(is_half) {
        fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
    }
    Ok(())
}

fn is_lock(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
        || error.to_string().contains("could not acquire lock")
}
