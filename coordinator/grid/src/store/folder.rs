//! The folder round the database: which version, which generation.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gridproof_host::files::{self, Access, Existing};

use super::StoreError;

/// The format that this program writes, and the newest that it reads.
pub(super) const VERSION: u32 = 1;

const STAMP: &str = "gridproof-store";
const CURRENT: &str = "CURRENT";
const GENERATION: &str = "generation-";
/// There while an import is under way: what such a folder holds is a part.
const IMPORTING: &str = "IMPORTING";

/// A folder that holds a store.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

/// What to do when there is no store yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IfMissing {
    Create,
    Refuse,
}

impl Folder {
    /// A store's folder of a version that this program knows.
    pub(super) fn open(path: &Path, if_missing: IfMissing) -> Result<Self, StoreError> {
        let folder = Self { path: path.into() };
        let stamp = path.join(STAMP);
        match fs::read_to_string(&stamp) {
            Ok(text) => {
                folder.check_version(&text)?;
                if path.join(IMPORTING).exists() {
                    return Err(StoreError::HalfImported(path.into()));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if if_missing == IfMissing::Refuse {
                    return Err(StoreError::Missing(path.into()));
                }
                folder.create()?;
            }
            Err(error) => return Err(StoreError::io("read", stamp)(error)),
        }
        Ok(folder)
    }

    /// Says that what the folder holds is not all of it, also after a crash.
    pub(super) fn begin_import(&self) -> Result<(), StoreError> {
        self.write(IMPORTING, "an import is under way, or was broken off\n")
    }

    pub(super) fn end_import(&self) -> Result<(), StoreError> {
        let path = self.path.join(IMPORTING);
        let removed = fs::remove_file(&path).and_then(|()| sync_folder(&self.path));
        removed.map_err(StoreError::io("remove", &path))
    }

    fn check_version(&self, stamp: &str) -> Result<(), StoreError> {
        let version = stamp
            .split_whitespace()
            .last()
            .and_then(|word| word.parse::<u32>().ok())
            .ok_or_else(|| StoreError::Damaged(format!("{STAMP} names no version")))?;
        if version > VERSION {
            return Err(StoreError::Newer {
                path: self.path.clone(),
                found: version,
            });
        }
        Ok(())
    }

    fn create(&self) -> Result<(), StoreError> {
        let path = &self.path;
        fs::create_dir_all(path).map_err(StoreError::io("make the folder", path))?;
        let mut entries = fs::read_dir(path).map_err(StoreError::io("read", path))?;
        // A crash in this very function leaves some of these, and no stamp.
        let is_foreign = |entry: io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                !name.starts_with(GENERATION) && name != CURRENT && !files::is_unfinished(&name)
            })
        };
        if entries.any(is_foreign) {
            return Err(StoreError::NotAStore(path.clone()));
        }
        self.point_at(1)?;
        self.write(STAMP, &format!("gridproof store, version {VERSION}\n"))
    }

    /// Where generation `number` is.
    pub(super) fn generation(&self, number: u32) -> PathBuf {
        self.path.join(format!("{GENERATION}{number:04}"))
    }

    /// The number of the generation in use.
    pub(super) fn current(&self) -> Result<u32, StoreError> {
        let path = self.path.join(CURRENT);
        let text = fs::read_to_string(&path).map_err(StoreError::io("read", &path))?;
        text.trim()
            .strip_prefix(GENERATION)
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| StoreError::Damaged(format!("{CURRENT} names no generation")))
    }

    /// Makes another generation the one in use: from one moment to the next, also when the
    /// power fails.
    pub(super) fn point_at(&self, number: u32) -> Result<(), StoreError> {
        self.write(CURRENT, &format!("{GENERATION}{number:04}\n"))
    }

    /// Removes generations that are not in use: what a compaction left, finished or not.
    pub(super) fn remove_others(&self) -> Result<(), StoreError> {
        let current = self.generation(self.current()?);
        let entries = fs::read_dir(&self.path).map_err(StoreError::io("read", &self.path))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if name.to_string_lossy().starts_with(GENERATION) && path != current {
                fs::remove_dir_all(&path).map_err(StoreError::io("remove", &path))?;
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let path = self.path.join(name);
        files::write(&path, text.as_bytes(), Access::Everybody, Existing::Replace)?;
        Ok(())
    }
}

/// So that a rename outlives a power failure.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
