//! How much room a store takes, and how much is left.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// Bytes of a store, and of the disk that it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    pub used: u64,
    /// That anybody but root may still use.
    pub free: u64,
    pub limit: Option<u64>,
}

/// Time to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// Four fifths of the limit are used.
    NearLimit { used: u64, limit: u64 },
    /// The disk has little room left.
    DiskNearlyFull { free: u64 },
}

/// The disk counts as nearly full with less, or with less than a tenth of what the store takes.
const LEAST_FREE: u64 = 1 << 30;

impl Space {
    /// Looks at the folder of a store.
    pub fn of(folder: &Path, limit: Option<u64>) -> io::Result<Self> {
        let disk = rustix::fs::statvfs(folder)?;
        Ok(Self {
            used: size(folder)?,
            free: disk.f_bavail.saturating_mul(disk.f_frsize),
            limit,
        })
    }

    #[must_use]
    pub fn alarm(&self) -> Option<Alarm> {
        let Self { used, free, limit } = *self;
        if let Some(limit) = limit
            && used >= limit / 5 * 4
        {
            return Some(Alarm::NearLimit { used, limit });
        }
        (free < LEAST_FREE.max(used / 10)).then_some(Alarm::DiskNearlyFull { free })
    }
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes >> 20;
        match self {
            Self::NearLimit { used, limit } => write!(
                f,
                "the store takes {} of {} MiB, and at the limit the program ends: run `gridproof \
                 store compact`, or raise --store-limit",
                mib(*used),
                mib(*limit)
            ),
            Self::DiskNearlyFull { free } => write!(
                f,
                "the store's disk has {} MiB left: make room, for on a full disk the program ends",
                mib(*free)
            ),
        }
    }
}

/// Bytes of all files in a folder. Files that go away meanwhile do not count.
fn size(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(data) = entry.metadata() else { continue };
        sum += match data.is_dir() {
            true => size(&entry.path()).unwrap_or(0),
            false => data.len(),
        };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alarm_comes_before_the_limit_and_before_the_disk_is_full() {
        let roomy = Space {
            used: 70 << 20,
            free: 100 << 30,
            limit: Some(100 << 20),
        };
        assert_eq!(roomy.alarm(), None);
        let near = Space {
            used: 90 << 20,
            ..roomy
        };
        assert!(matches!(near.alarm(), Some(Alarm::NearLimit { .. })));
        let tight = Space {
            free: 500 << 20,
            limit: None,
            ..roomy
        };
        assert!(matches!(tight.alarm(), Some(Alarm::DiskNearlyFull { .. })));
    }

    #[test]
    fn a_folder_is_as_large_as_its_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), [0; 700]).unwrap();
        fs::write(folder.path().join("c"), [0; 30]).unwrap();
        let space = Space::of(folder.path(), None).unwrap();
        assert_eq!(space.used, 730);
        assert!(space.free > 0);
    }
}
