//! The store on disk: a log that is the truth, and a database that finds things in it.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gridproof_certificate::ContentHash;

use super::fill::{fill, missing};
use super::folder::{Folder, Generation, IfMissing, sync_folder};
use super::index::{self, Index, IndexError};
use super::repair::Repair;
use super::wal::{Piece, Wal, WalError};
use super::{Batch, Exported, Hashes, Records, Store, StoreError, import, verify};

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
    number: u32,
    wal: Wal<File>,
    index: Index,
    repairs: Vec<Repair>,
    /// The most bytes that log and database may have.
    limit: AtomicU64,
    /// Of the database, as it was of late.
    index_size: AtomicU64,
}

/// Groups of writes between two looks at how large the database is.
const MEASURE_EVERY: u64 = 64;

impl DiskStore {
    /// Opens the store in a folder, or makes one there.
    pub fn open(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        Self::open_folder(path, durability, IfMissing::Create)
    }

    /// Opens a store that must exist.
    pub fn open_existing(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        Self::open_folder(path, durability, IfMissing::Refuse)
    }

    /// Makes a store of an export, and checks every claim in it. There is none before all is
    /// checked, whatever happens meanwhile.
    pub fn import(path: &Path, export: impl BufRead) -> Result<Exported, StoreError> {
        build(path, "importing", |store| {
            let counts = import(&**store, export)?;
            let store: Arc<dyn Store> = Arc::clone(store) as _;
            verify(&store)?;
            Ok(counts)
        })
    }

    fn open_folder(
        path: &Path,
        durability: Durability,
        if_missing: IfMissing,
    ) -> Result<Self, StoreError> {
        let mut folder = Folder::open(path, if_missing)?;
        if folder.is_without_log()? {
            add_log(&mut folder, path)?;
        }
        let number = folder.current()?;
        let store = Self::open_generation(path, folder, number, durability)?;
        // Only now do we hold the lock, so nobody is compacting.
        store.folder.remove_others()?;
        Ok(store)
    }

    fn open_generation(
        path: &Path,
        folder: Folder,
        number: u32,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let generation = folder.generation(number);
        let (file, mark) = generation.open_wal()?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => StoreError::InUse(path.into()),
            TryLockError::Error(error) => StoreError::io("lock", generation.wal())(error),
        })?;
        let opened = Wal::open(file, mark, durability, |_| {});
        let (wal, ending) = opened.map_err(|error| match error {
            WalError::Io(error) => StoreError::io("read", generation.wal())(error),
            WalError::Damaged(damage) => StoreError::Lost(damage),
        })?;
        let mut repairs = Repair::of_ending(ending);
        let index = open_index(path, &generation, &wal, &mut repairs)?;
        repairs.iter().for_each(Repair::log);
        Ok(Self {
            folder,
            number,
            wal,
            index,
            repairs,
            limit: AtomicU64::new(u64::MAX),
            index_size: AtomicU64::new(0),
        })
    }

    /// What was mended when it was opened.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// From now on, refuses to write once log and database have so many bytes.
    pub fn limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Compares the database with the log, entry by entry, and makes it anew if they differ.
    pub fn check_index(&mut self) -> Result<(), StoreError> {
        let Err(error) = compare(&self.wal, &self.index)? else {
            return Ok(());
        };
        let path = self.folder.generation(self.number).index();
        self.index = rebuild(&path, &self.wal)?;
        let repair = Repair::IndexRebuilt(error.to_string());
        repair.log();
        self.repairs.push(repair);
        Ok(())
    }

    /// Writes what is still of use to a fresh generation, puts it in place of this one and
    /// removes this one. Deleting in place would give nothing back.
    pub fn compact(self) -> Result<Compacted, StoreError> {
        let before = self.size()?;
        let number = self.number + 1;
        let generation = self.folder.generation(number);
        generation.create()?;
        let path = &generation.path;
        let durability = Durability::PowerFailure;
        let fresh = Self::open_generation(path, self.folder.clone(), number, durability)?;
        fill(self.records(), |hash| self.certificate(hash), &fresh)?;
        sync_folder(path).map_err(StoreError::io("synchronise", path))?;
        self.folder.point_at(number)?;
        let after = fresh.size()?;
        let folder = self.folder.clone();
        drop(self);
        folder.remove_others()?;
        Ok(Compacted { before, after })
    }

    fn size(&self) -> Result<u64, StoreError> {
        Ok(self.wal.end().length + self.index.size_on_disk()?)
    }

    /// Looks a certificate up in the log itself.
    fn find_in_log(&self, wanted: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        for batch in batches(&self.wal) {
            let (_, batch) = batch?;
            let mut found = batch.certificates.into_iter();
            if let Some((_, bytes)) = found.find(|(hash, _)| *hash == wanted) {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}

/// Makes a store beside its place, and moves it there when it is all right.
pub(super) fn build<T>(
    path: &Path,
    suffix: &str,
    fill: impl FnOnce(&Arc<DiskStore>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    if path.exists() {
        return Err(StoreError::Exists(path.into()));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{suffix}"));
    let unfinished = path.with_file_name(name);
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(StoreError::io("remove", &unfinished))?;
    }
    let filled = DiskStore::open(&unfinished, Durability::Crash).and_then(|store| {
        let store = Arc::new(store);
        let filled = fill(&store)?;
        store.index.flush()?;
        Ok(filled)
    });
    let placed = filled.and_then(|filled| {
        sync_all(&unfinished).map_err(StoreError::io("synchronise", &unfinished))?;
        fs::rename(&unfinished, path).map_err(StoreError::io("make", path))?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        sync_folder(parent).map_err(StoreError::io("synchronise", parent))?;
        Ok(filled)
    });
    if placed.is_err() && unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(StoreError::io("remove", &unfinished))?;
    }
    placed
}

fn sync_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => sync_all(&path)?,
            false => File::open(&path)?.sync_all()?,
        }
    }
    sync_folder(folder)
}

/// Gives a log to a store of an earlier version.
fn add_log(folder: &mut Folder, path: &Path) -> Result<(), StoreError> {
    let number = folder.current()?;
    let old = Index::open_patiently(&folder.generation(number).path);
    let old = old.map_err(|error| match error {
        IndexError::Locked => StoreError::InUse(path.into()),
        other => StoreError::Damaged(other.to_string()),
    })?;
    let fresh = folder.generation(number + 1);
    fresh.create()?;
    let durability = Durability::PowerFailure;
    let store = DiskStore::open_generation(&fresh.path, folder.clone(), number + 1, durability)?;
    let records = (0..old.records()?).map(|number| {
        let record = old.record(number)?;
        record.ok_or_else(|| StoreError::Damaged(format!("record {number} is missing")))
    });
    fill(Box::new(records), |hash| Ok(old.certificate(hash)?), &store)?;
    folder.point_at(number + 1)?;
    folder.stamp()
}

fn open_index(
    path: &Path,
    generation: &Generation,
    wal: &Wal<File>,
    repairs: &mut Vec<Repair>,
) -> Result<Index, StoreError> {
    let end = wal.end();
    let place = generation.index();
    let broken = generation.broken_index();
    if broken.exists() {
        let index = rebuild(&place, wal)?;
        fs::remove_file(&broken).map_err(StoreError::io("remove", broken))?;
        repairs.push(Repair::IndexRebuilt("it failed in use".to_owned()));
        return Ok(index);
    }
    let opened = Index::open_patiently(&place).and_then(|index| {
        let records = index.records()?;
        if records < end.records {
            catch_up(&index, wal, records)?;
        }
        Ok((index, records))
    });
    match opened {
        Ok((index, records)) => {
            if records > end.records {
                return Err(StoreError::Damaged(format!(
                    "the database holds {records} records and the log {}",
                    end.records
                )));
            }
            if records < end.records {
                repairs.push(Repair::IndexBehind(end.records - records));
            }
            Ok(index)
        }
        Err(IndexError::Locked) => Err(StoreError::InUse(path.into())),
        Err(error) => {
            let index = rebuild(&place, wal)?;
            repairs.push(Repair::IndexRebuilt(error.to_string()));
            Ok(index)
        }
    }
}

fn rebuild(place: &Path, wal: &Wal<File>) -> Result<Index, StoreError> {
    index::remove(place)?;
    let index = Index::open(place)?;
    catch_up(&index, wal, 0)?;
    Ok(index)
}

/// Brings an index up to date that holds the first `records`.
fn catch_up(index: &Index, wal: &Wal<File>, records: u64) -> Result<(), IndexError> {
    for batch in batches(wal) {
        let unreadable = |_| IndexError::Damaged("the log changed while it was read");
        let (first, batch) = batch.map_err(unreadable)?;
        if first + batch.records.len() as u64 > records || batch.records.is_empty() {
            index.apply(first, &batch)?;
        }
    }
    index.flush()
}

/// Whether the index holds what the log does. The outer error is the log's.
fn compare(wal: &Wal<File>, index: &Index) -> Result<Result<(), IndexError>, StoreError> {
    for batch in batches(wal) {
        let (first, batch) = batch?;
        for (record, number) in batch.records.iter().zip(first..) {
            match index.record(number) {
                Ok(Some(found)) if found == *record => {}
                Ok(_) => return Ok(Err(IndexError::Damaged("a record is not the log's"))),
                Err(error) => return Ok(Err(error)),
            }
        }
        for (hash, bytes) in &batch.certificates {
            match index.certificate(*hash) {
                Ok(Some(found)) if found == *bytes => {}
                Ok(_) => return Ok(Err(IndexError::Damaged("a certificate is not the log's"))),
                Err(error) => return Ok(Err(error)),
            }
        }
    }
    Ok(Ok(()))
}

/// What was committed, group by group, each with the number of its first record.
fn batches(wal: &Wal<File>) -> impl Iterator<Item = Result<(u64, Batch), StoreError>> + '_ {
    wal.pieces().map(|piece| match piece {
        Ok(Piece::Frame(frame)) => Ok((frame.header.first, frame.batch()?)),
        Ok(Piece::Gap(_)) => Err(StoreError::Damaged(
            "the log changed while it was read".to_owned(),
        )),
        Err(error) => Err(StoreError::io("read", PathBuf::from("the log"))(error)),
    })
}

/// Bytes on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    pub before: u64,
    pub after: u64,
}

impl Store for DiskStore {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let end = self.wal.end();
        let limit = self.limit.load(Ordering::Relaxed);
        if limit < u64::MAX && end.frames.is_multiple_of(MEASURE_EVERY) {
            let size = self.index.size_on_disk()?;
            self.index_size.store(size, Ordering::Relaxed);
        }
        if end.length + self.index_size.load(Ordering::Relaxed) >= limit {
            return Err(StoreError::Full { limit });
        }
        let generation = self.folder.generation(self.number);
        // The next start makes the index anew, or it would fail again and again.
        let broken = |error| {
            let _ = File::create(generation.broken_index());
            StoreError::Index(error)
        };
        let fresh = without_known(&self.index, batch).map_err(broken)?;
        let written = self.wal.append(&fresh);
        written.map_err(StoreError::io("write", generation.wal()))?;
        let applied = self.index.apply(end.records, &fresh);
        applied.and_then(|()| self.index.flush()).map_err(broken)
    }

    fn records(&self) -> Records<'_> {
        Box::new(batches(&self.wal).flat_map(|batch| {
            let (records, error) = match batch {
                Ok((_, batch)) => (batch.records, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            records.into_iter().map(Ok).chain(error)
        }))
    }

    fn certificate(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        match self.index.certificate(hash) {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            Ok(None) => self.find_in_log(hash),
            Err(error) => {
                let found = self.find_in_log(hash)?;
                tracing::warn!(
                    "the store's database is damaged ({error}); certificate {hash} was read from \
                     the log: stop the program and run `gridproof store verify`, which mends it"
                );
                found.ok_or_else(|| missing(hash)).map(Some)
            }
        }
    }

    fn certificates(&self) -> Hashes<'_> {
        Box::new(self.index.certificates().map(|hash| Ok(hash?)))
    }

    fn has_certificate(&self, hash: ContentHash) -> Result<bool, StoreError> {
        Ok(self.index.has_certificate(hash)?)
    }
}

/// The batch without certificates that are stored already.
fn without_known(index: &Index, batch: &Batch) -> Result<Batch, IndexError> {
    let mut fresh = Batch {
        records: batch.records.clone(),
        certificates: Vec::new(),
    };
    for (hash, bytes) in &batch.certificates {
        let is_waiting = fresh.certificates.iter().any(|(other, _)| other == hash);
        if !is_waiting && !index.has_certificate(*hash)? {
            fresh.certificates.push((*hash, bytes.clone()));
        }
    }
    Ok(fresh)
}
