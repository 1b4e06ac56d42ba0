//! What can be saved of a damaged store.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gridproof_certificate::{CheckLimits, ContentHash, FILE_ENDING, check_file};
use gridproof_host::files::{self, Access, Existing};

use super::disk::build;
use super::folder::{Folder, Generation};
use super::index::Index;
use super::wal::{Mark, Piece, Scan, Storage};
use super::{Batch, DiskStore, Record, Store, StoreError, verify};

/// What was saved, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    pub records: u64,
    pub certificates: u64,
    /// Records that the log had lost, and the database had.
    pub mended: u64,
    /// Records that are lost, or of no use without lost ones before them.
    pub lost: Option<Range<u64>>,
    /// Proofs that hold but belong to lost records: they are files in this folder.
    pub loose: Option<(PathBuf, u64)>,
}

/// Makes a new store of what a damaged one still holds, and verifies it. The damaged one is left
/// as it is.
pub fn recover(from: &Path, to: &Path) -> Result<Recovered, StoreError> {
    let folder = Folder::unread(from);
    let found = folder.generations()?;
    let current = folder.current().ok();
    let is_current = |(number, _): &&(u32, Generation)| Some(*number) == current;
    let generation = found.iter().find(is_current).or(found.last());
    let Some((_, generation)) = generation else {
        return Err(StoreError::Missing(from.into()));
    };
    let copy = to.with_extension("index-copy");
    let index = copied_index(generation, &copy);
    let recovered = build(to, "recovering", |store| {
        let mut saved = Saved {
            to: store,
            index: index.as_ref(),
            next: 0,
            highest: 0,
            is_cut: false,
            loose: Vec::new(),
            found: Recovered::default(),
        };
        saved.read_log(generation)?;
        saved.read_rest()?;
        let saved = saved.finish();
        let store: Arc<dyn Store> = Arc::clone(store) as _;
        verify(&store)?;
        Ok(saved)
    });
    drop(index);
    let removed = fs::remove_dir_all(&copy);
    if let Err(error) = removed
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(StoreError::io("remove", copy)(error));
    }
    let (mut recovered, loose) = recovered?;
    if !loose.is_empty() {
        let place = to.with_extension("loose-proofs");
        for (hash, bytes) in &loose {
            let path = place.join(format!("{hash}.{FILE_ENDING}"));
            files::write(&path, bytes, Access::Everybody, Existing::Replace)?;
        }
        recovered.loose = Some((place, loose.len() as u64));
    }
    Ok(recovered)
}

/// The database, from a copy: opening it changes its files.
fn copied_index(generation: &Generation, copy: &Path) -> Option<Index> {
    // Without a log, the generation is the database.
    let place = match generation.wal().exists() || generation.index().exists() {
        true => generation.index(),
        false => generation.path.clone(),
    };
    copy_folder(&place, copy).ok()?;
    Index::open(copy).ok()
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}

struct Saved<'a> {
    to: &'a Arc<DiskStore>,
    index: Option<&'a Index>,
    /// Records that are saved.
    next: u64,
    /// Records that there once were, as far as anybody knows.
    highest: u64,
    /// Something could not be saved: what comes after it is of no use.
    is_cut: bool,
    /// Certificates of what comes after.
    loose: Vec<(ContentHash, Vec<u8>)>,
    found: Recovered,
}

impl Saved<'_> {
    fn read_log(&mut self, generation: &Generation) -> Result<(), StoreError> {
        let open = |path: PathBuf| fs::File::open(path).ok();
        if let Some(mark) = open(generation.mark()).and_then(|file| Mark::read(&file)) {
            self.highest = mark.records;
        }
        let Some(file) = open(generation.wal()) else {
            return Ok(());
        };
        let unreadable = || StoreError::io("read", generation.wal());
        let length = file.length().map_err(unreadable())?;
        for piece in Scan::new(&file, length) {
            // A frame that cannot be read is a gap; the next one tells what is missing.
            let Piece::Frame(frame) = piece.map_err(unreadable())? else {
                continue;
            };
            let header = frame.header;
            self.highest = self.highest.max(header.end());
            let Ok(batch) = frame.batch() else { continue };
            if header.first < self.next && header.records > 0 {
                continue;
            }
            self.fill_up(header.first)?;
            self.save(batch)?;
        }
        Ok(())
    }

    /// What the database has beyond the log.
    fn read_rest(&mut self) -> Result<(), StoreError> {
        let Some(index) = self.index else {
            return Ok(());
        };
        self.highest = self.highest.max(index.records().unwrap_or(0));
        self.fill_up(self.highest)?;
        if self.is_cut {
            let hashes = index.certificates().map_while(Result::ok);
            for hash in hashes {
                if let Ok(Some(bytes)) = index.certificate(hash) {
                    self.loose.push((hash, bytes));
                }
            }
        }
        Ok(())
    }

    /// Gets records up to a number from the database, or cuts here.
    fn fill_up(&mut self, end: u64) -> Result<(), StoreError> {
        if self.is_cut || self.next >= end {
            return Ok(());
        }
        let record = |number| self.index?.record(number).ok().flatten();
        let records: Option<Vec<_>> = (self.next..end).map(record).collect();
        let Some(records) = records else {
            self.is_cut = true;
            return Ok(());
        };
        self.found.mended += records.len() as u64;
        self.save(Batch {
            records,
            certificates: Vec::new(),
        })
    }

    /// Writes a group with all that it rests on, or cuts before it.
    fn save(&mut self, mut batch: Batch) -> Result<(), StoreError> {
        if !self.is_cut {
            let named: BTreeSet<_> = batch
                .records
                .iter()
                .flat_map(Record::certificates)
                .collect();
            for hash in named {
                let is_here = batch.certificates.iter().any(|(other, _)| *other == hash);
                if is_here || self.to.has_certificate(hash)? {
                    continue;
                }
                match self.index.map(|index| index.certificate(hash)) {
                    Some(Ok(Some(bytes))) => batch.certificates.push((hash, bytes)),
                    _ => self.is_cut = true,
                }
            }
        }
        if self.is_cut {
            self.loose.append(&mut batch.certificates);
            return Ok(());
        }
        self.next += batch.records.len() as u64;
        self.to.commit(&batch)
    }

    fn finish(mut self) -> (Recovered, Vec<(ContentHash, Vec<u8>)>) {
        self.found.records = self.next;
        self.found.certificates = self.to.certificates().count() as u64;
        self.found.lost = (self.next < self.highest).then_some(self.next..self.highest);
        self.loose.sort_unstable();
        self.loose.dedup_by_key(|(hash, _)| *hash);
        let is_new = |hash: &ContentHash| !self.to.has_certificate(*hash).unwrap_or(false);
        let holds = |bytes: &[u8]| check_file(bytes, CheckLimits::default()).is_ok();
        self.loose
            .retain(|(hash, bytes)| is_new(hash) && holds(bytes));
        (self.found, self.loose)
    }
}
