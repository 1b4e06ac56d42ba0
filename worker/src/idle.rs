//! Whether somebody else needs the machine.

use std::fmt;
use std::fs;
use std::path::PathBuf;

/// Where the kernel and the login programs tell what goes on. A test brings its own.
#[derive(Clone, Debug)]
pub struct Machine {
    proc: PathBuf,
    run: PathBuf,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            proc: "/proc".into(),
            run: "/run".into(),
        }
    }
}

/// What was seen at one moment. What could not be seen is left out: a machine that does not
/// tell is taken for free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// What the processors did.
    pub processor: Option<ProcessorTime>,
    /// Who is logged in, by name.
    pub users: Vec<String>,
}

/// What the processors did since the machine started, in ticks.
///
/// The load average would count the worker's own threads. Time of processes with a low
/// priority is booked apart, and the worker has one, so what is left is others' work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorTime {
    others: u64,
    total: u64,
}

/// A part of the whole machine's processor time, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// Nothing under 0 and over 1.
    #[must_use]
    pub const fn new(share: f64) -> Self {
        Self(share.clamp(0.0, 1.0))
    }

    /// From 0 to 1.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0}%", 100.0 * self.0)
    }
}

impl ProcessorTime {
    /// What part of the machine others had between then and now.
    #[must_use]
    pub fn others_since(self, then: Self) -> Option<Share> {
        let total = self
            .total
            .checked_sub(then.total)
            .filter(|&ticks| ticks > 0)?;
        let others = self.others.saturating_sub(then.others);
        Some(Share::new(others as f64 / total as f64))
    }

    /// From the first line of /proc/stat: user nice system idle iowait irq softirq steal.
    fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .take(8)
            .collect();
        let [user, _nice, system, _idle, _wait, irq, softirq, ..] = ticks[..] else {
            return None;
        };
        let others = [user, system, irq, softirq];
        Some(Self {
            others: others.into_iter().fold(0, u64::saturating_add),
            total: ticks.into_iter().fold(0, u64::saturating_add),
        })
    }
}

impl Machine {
    /// Looks at it now.
    #[must_use]
    pub fn observe(&self) -> Observation {
        let stat = fs::read_to_string(self.proc.join("stat")).unwrap_or_default();
        let mut users = self.users_in_utmp();
        users.extend(self.users_in_sessions());
        users.sort();
        users.dedup();
        Observation {
            processor: ProcessorTime::parse(&stat),
            users,
        }
    }

    /// The old book of logins, which some systems no longer keep.
    fn users_in_utmp(&self) -> Vec<String> {
        let bytes = fs::read(self.run.join("utmp")).unwrap_or_default();
        utmp::entries(&bytes)
            // A login that crashed stays in the book.
            .filter(|entry| self.proc.join(entry.process.to_string()).exists())
            .map(|entry| entry.user)
            .collect()
    }

    /// The new one: a small file a session.
    fn users_in_sessions(&self) -> Vec<String> {
        let Ok(files) = fs::read_dir(self.run.join("systemd/sessions")) else {
            return Vec::new();
        };
        files
            .filter_map(|file| fs::read_to_string(file.ok()?.path()).ok())
            .filter_map(|text| session_user(&text))
            .collect()
    }
}

/// The person in a session of systemd, if it is one: the login screen and background
/// services have sessions too.
fn session_user(text: &str) -> Option<String> {
    let value = |name: &str| {
        text.lines()
            .filter_map(|line| line.split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
    };
    let person = matches!(value("CLASS"), Some("user" | "user-early" | "user-light"));
    let there = value("STATE") != Some("closing");
    (person && there).then(|| value("USER").map(str::to_owned))?
}

mod utmp {
    /// Somebody's login.
    pub(super) struct Entry {
        pub(super) process: i32,
        pub(super) user: String,
    }

    /// Linux's record on all 64-bit machines; fields of fixed width, text ended by zeros.
    const RECORD: usize = 384;
    const USER_PROCESS: [u8; 2] = 7_i16.to_ne_bytes();

    pub(super) fn entries(bytes: &[u8]) -> impl Iterator<Item = Entry> {
        bytes
            .chunks_exact(RECORD)
            .filter(|record| record[..2] == USER_PROCESS)
            .map(|record| Entry {
                process: i32::from_ne_bytes([record[4], record[5], record[6], record[7]]),
                user: text(&record[44..76]),
            })
    }

    fn text(field: &[u8]) -> String {
        let end = field.iter().position(|&byte| byte == 0);
        String::from_utf8_lossy(&field[..end.unwrap_or(field.len())]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake {
        folder: tempfile::TempDir,
    }

    impl Fake {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            Self { folder }
        }

        fn with(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
            self
        }

        fn observe(&self) -> Observation {
            Machine {
                proc: self.folder.path().join("proc"),
                run: self.folder.path().join("run"),
            }
            .observe()
        }
    }

    fn login(kind: i16, process: i32, user: &str) -> Vec<u8> {
        let mut record = vec![0; 384];
        record[..2].copy_from_slice(&kind.to_ne_bytes());
        record[4..8].copy_from_slice(&process.to_ne_bytes());
        record[44..44 + user.len()].copy_from_slice(user.as_bytes());
        record
    }

    fn time(stat: &str) -> ProcessorTime {
        ProcessorTime::parse(stat).unwrap()
    }

    #[test]
    fn work_of_low_priority_is_nobodys_load() {
        let before = time("cpu  100 0 0 900 0 0 0 0 0 0\ncpu0 1 1 1 1");
        let busy_with_us = time("cpu  100 1000 0 900 0 0 0 0 0 0\n");
        let busy_with_others = time("cpu  600 0 250 1150 0 0 0 0 0 0\n");
        assert_eq!(busy_with_us.others_since(before), Some(Share::new(0.0)));
        assert_eq!(
            busy_with_others.others_since(before),
            Some(Share::new(0.75))
        );
        assert_eq!(before.others_since(before), None);
        assert_eq!(
            before.others_since(busy_with_us),
            None,
            "the machine started anew"
        );
    }

    #[test]
    fn people_are_found_in_both_books_of_logins() {
        let book = [
            login(7, 41, "anna"),
            login(8, 42, "gone"),
            login(7, 43, "crashed"),
        ]
        .concat();
        let seen = Fake::new()
            .with("proc/41/stat", "")
            .with("run/utmp", [book, vec![7; 100]].concat())
            .with(
                "run/systemd/sessions/1",
                "USER=bert\nSTATE=active\nCLASS=user\n",
            )
            .with(
                "run/systemd/sessions/2",
                "USER=gdm\nSTATE=active\nCLASS=greeter\n",
            )
            .with(
                "run/systemd/sessions/3",
                "USER=carl\nSTATE=closing\nCLASS=user\n",
            )
            .with(
                "run/systemd/sessions/4",
                "USER=anna\nSTATE=online\nCLASS=user\n",
            )
            .observe();
        assert_eq!(seen.users, ["anna", "bert"]);
    }

    #[test]
    fn a_machine_that_tells_nothing_is_free() {
        assert_eq!(Fake::new().observe(), Observation::default());
        let odd = Fake::new()
            .with("proc/stat", "cpu one two")
            .with("run/utmp", "x");
        assert_eq!(odd.observe(), Observation::default());
    }

    #[test]
    fn this_machine_tells_how_busy_it_is() {
        assert!(Machine::default().observe().processor.is_some());
    }
}
