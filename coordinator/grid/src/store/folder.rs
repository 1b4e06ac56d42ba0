//! The folder round the database: which version, which generation.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gridproof_host::files::{self, Access, Existing};

use super::StoreError;
use super::wal::{Mark, Wal};

/// The format that this program writes, and the newest that it reads.
pub(super) const VERSION: u32 = 2;
/// Without a log: a generation is nothing but a database.
const WITHOUT_LOG: u32 = 1;

const STAMP: &str = "gridproof-store";
const CURRENT: &str = "CURRENT";
const GENERATION: &str = "generation-";
/// There while an earlier program was at an import: what such a folder holds is a part.
const IMPORTING: &str = "IMPORTING";

/// A folder that holds a store.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
    version: u32,
}

/// Where the parts of a generation are.
#[derive(Clone, Debug)]
pub(super) struct Generation {
    pub(super) path: PathBuf,
}

impl Generation {
    pub(super) fn wal(&self) -> PathBuf {
        self.path.join("wal")
    }

    pub(super) fn mark(&self) -> PathBuf {
        self.path.join("mark")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.path.join("index")
    }

    /// There when the index failed in use.
    pub(super) fn broken_index(&self) -> PathBuf {
        self.path.join("index-is-broken")
    }

    /// Opens the log and its mark.
    pub(super) fn open_wal(&self) -> Result<(File, File), StoreError> {
        let open = |path: PathBuf| {
            let file = File::options().read(true).write(true).open(&path);
            file.map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => {
                    StoreError::Damaged(format!("{} is missing", path.display()))
                }
                _ => StoreError::io("open", &path)(error),
            })
        };
        Ok((open(self.wal())?, open(self.mark())?))
    }

    /// Makes an empty generation, in place of what an earlier try may have left.
    pub(super) fn create(&self) -> Result<(), StoreError> {
        let path = &self.path;
        if path.exists() {
            fs::remove_dir_all(path).map_err(StoreError::io("remove", path))?;
        }
        let make = || {
            fs::create_dir_all(self.index())?;
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(true);
            let (wal, mark) = (options.open(self.wal())?, options.open(self.mark())?);
            Wal::create(&wal, &mark)?;
            sync_folder(path)?;
            sync_folder(path.parent().unwrap_or(path))
        };
        make().map_err(StoreError::io("make", path))
    }

    /// Whether nothing was ever committed to it.
    fn is_untouched(&self) -> bool {
        let written = [self.wal(), self.path.join("db"), self.index().join("db")];
        let is_empty = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len()) == 0;
        let mark = File::open(self.mark()).ok();
        let mark = mark.and_then(|file| Mark::read(&file));
        written.iter().all(is_empty) && mark.is_none_or(|mark| mark.frames == 0)
    }
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
        let mut folder = Self {
            path: path.into(),
            version: VERSION,
        };
        let stamp = path.join(STAMP);
        match fs::read(&stamp) {
            Ok(text) => {
                folder.read_version(&String::from_utf8_lossy(&text))?;
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

    /// Whether an earlier program wrote it, which kept no log.
    pub(super) fn is_without_log(&self) -> Result<bool, StoreError> {
        let has_log = self.generation(self.current()?).wal().exists();
        Ok(self.version == WITHOUT_LOG && !has_log)
    }

    /// Says that it has a log from now on.
    pub(super) fn stamp(&mut self) -> Result<(), StoreError> {
        self.version = VERSION;
        self.write(STAMP, &format!("gridproof store, version {VERSION}\n"))
    }

    fn read_version(&mut self, stamp: &str) -> Result<(), StoreError> {
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
        if version < WITHOUT_LOG {
            return Err(StoreError::Damaged(format!("{STAMP} names no version")));
        }
        self.version = version;
        Ok(())
    }

    fn create(&mut self) -> Result<(), StoreError> {
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
        if !self
            .generations()?
            .iter()
            .all(|(_, generation)| generation.is_untouched())
        {
            return Err(StoreError::Damaged(format!("{STAMP} is missing")));
        }
        self.generation(1).create()?;
        self.point_at(1)?;
        self.stamp()
    }

    /// Where generation `number` is.
    pub(super) fn generation(&self, number: u32) -> Generation {
        Generation {
            path: self.path.join(format!("{GENERATION}{number:04}")),
        }
    }

    /// All that are there, oldest first.
    pub(super) fn generations(&self) -> Result<Vec<(u32, Generation)>, StoreError> {
        let path = &self.path;
        let entries = fs::read_dir(path).map_err(StoreError::io("read", path))?;
        let number_of = |entry: fs::DirEntry| {
            let name = entry.file_name();
            name.to_string_lossy()
                .strip_prefix(GENERATION)?
                .parse()
                .ok()
        };
        let mut numbers: Vec<u32> = entries.flatten().filter_map(number_of).collect();
        numbers.sort_unstable();
        let found = numbers.into_iter();
        Ok(found
            .map(|number| (number, self.generation(number)))
            .collect())
    }

    /// The folder as it is, whatever it says of itself.
    pub(super) fn unread(path: &Path) -> Self {
        Self {
            path: path.into(),
            version: VERSION,
        }
    }

    /// The number of the generation in use.
    pub(super) fn current(&self) -> Result<u32, StoreError> {
        let path = self.path.join(CURRENT);
        let text = fs::read(&path).map_err(StoreError::io("read", &path))?;
        String::from_utf8_lossy(&text)
            .trim()
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
        let current = self.current()?;
        for (number, Generation { path }) in self.generations()? {
            if number != current {
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
