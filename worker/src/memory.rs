//! How much memory the worker may have.

use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::str::FromStr;

use gridproof_host::Size;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const MIB: u64 = 1 << 20;

/// How much memory the worker takes at most: a part of the machine like `50%`, a size like
/// `2GiB` or `512MiB`, or `none` for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// Of the machine's.
    Percent(u8),
    /// A fixed size.
    Bytes(u64),
    /// As much as there is.
    None,
}

impl Default for MemoryLimit {
    fn default() -> Self {
        Self::Percent(50)
    }
}

/// Why a text is no limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no amount of memory: write a part like 50%, a size of at least 64MiB like 512MiB or 2GiB, or none"
)]
pub struct ParseMemoryError(String);

impl MemoryLimit {
    /// In bytes, on a machine with so many.
    #[must_use]
    pub fn of(self, machine: u64) -> Option<u64> {
        match self {
            Self::Percent(percent) => Some(machine / 100 * u64::from(percent)),
            Self::Bytes(bytes) => Some(bytes),
            Self::None => None,
        }
    }

    /// Starts the program anew in the same process, with an allocator that takes memory as it
    /// needs it, unless it does already. Call it first thing in `main`.
    ///
    /// The limit counts what is writable, and mimalloc makes 1 GiB writable at its first use:
    /// before `main`, so that only the environment can tell it otherwise.
    pub fn prepare(self) -> io::Result<()> {
        const ON_DEMAND: &str = "MIMALLOC_ARENA_EAGER_COMMIT";
        if self == Self::None || env::var_os(ON_DEMAND).is_some() {
            return Ok(());
        }
        let mut arguments = env::args_os();
        let name = arguments.next().unwrap_or_default();
        let mut program = Command::new(env::current_exe()?);
        program.arg0(name).args(arguments).env(ON_DEMAND, "0");
        // It returns only if it failed.
        Err(program.exec())
    }

    /// Makes the system refuse more than that. A job that needs more ends the process, and
    /// its supervisor starts it again: better than a machine that swaps under its users.
    pub fn enforce(self, machine: u64) -> io::Result<()> {
        let Some(bytes) = self.of(machine) else {
            return Ok(());
        };
        let maximum = getrlimit(Resource::Data).maximum;
        let current = Some(maximum.map_or(bytes, |most| most.min(bytes)));
        Ok(setrlimit(Resource::Data, Rlimit { current, maximum })?)
    }
}

/// What this machine has, or what its container may use of it.
#[must_use]
pub fn machine_memory() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let total = total_of(&meminfo)?;
    let cap = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let cap = cap.and_then(|text| text.trim().parse().ok());
    Some(cap.map_or(total, |cap: u64| cap.min(total)))
}

fn total_of(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

impl FromStr for MemoryLimit {
    type Err = ParseMemoryError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let limit = if text.eq_ignore_ascii_case("none") {
            Some(Self::None)
        } else if let Some(percent) = text.strip_suffix('%') {
            let percent = percent.trim().parse().ok();
            percent.filter(|p| (1..=100).contains(p)).map(Self::Percent)
        } else {
            let bytes = text.parse().map(Size::bytes).ok();
            bytes.filter(|&bytes| bytes >= 64 * MIB).map(Self::Bytes)
        };
        limit.ok_or_else(|| ParseMemoryError(text.chars().take(40).collect()))
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(percent) => write!(f, "{percent}%"),
            Self::Bytes(bytes) => Size::of_bytes(*bytes).fmt(f),
            Self::None => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn a_part_is_taken_of_what_the_machine_has() {
        let half: MemoryLimit = "50%".parse().unwrap();
        assert_eq!(half, MemoryLimit::default());
        assert_eq!(half.of(8 * GIB), Some(8 * GIB / 100 * 50));
        assert_eq!(MemoryLimit::None.of(8 * GIB), None);
    }

    #[test]
    fn sizes_can_be_written_and_read() {
        for text in ["50%", "2GiB", "1536MiB", "none"] {
            assert_eq!(text.parse::<MemoryLimit>().unwrap().to_string(), text);
        }
        assert_eq!("2g".parse(), Ok(MemoryLimit::Bytes(2 * GIB)));
        for text in [
            "",
            "0%",
            "101%",
            "2",
            "1MiB",
            "-1GiB",
            "99999999999999999999G",
            "é",
        ] {
            assert!(text.parse::<MemoryLimit>().is_err(), "{text}");
        }
    }

    #[test]
    fn this_machine_has_memory() {
        assert!(machine_memory().unwrap() > 64 * MIB);
        assert_eq!(
            total_of("MemFree: 1 kB\nMemTotal:    2048 kB\n"),
            Some(2 * MIB)
        );
        assert_eq!(total_of("nonsense"), None);
    }
}
