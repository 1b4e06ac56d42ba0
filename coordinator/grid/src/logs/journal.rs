use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::sample::Sample;

/// A folder with a file a day (of UTC), a sample a line, as JSON. Old days may be deleted.
#[derive(Clone, Debug)]
pub struct Journal {
    folder: PathBuf,
    // A std Mutex: nobody waits while holding it.
    last: Arc<Mutex<Option<Sample>>>,
}

/// A sample without what the line before tells already.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    sample: Sample,
    /// Searches that are as they were in the line before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    same: Vec<Ids>,
}

/// Numbers of searches: thousands may stand still.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
enum Ids {
    One(u32),
    /// From the first to the last.
    Range(u32, u32),
}

impl Ids {
    const fn bounds(self) -> (u32, u32) {
        match self {
            Self::One(id) => (id, id),
            Self::Range(first, last) => (first, last),
        }
    }

    fn contains(self, id: u32) -> bool {
        let (first, last) = self.bounds();
        (first..=last).contains(&id)
    }

    fn add(all: &mut Vec<Self>, id: u32) {
        match all.last_mut() {
            Some(ids) if ids.bounds().1.checked_add(1) == Some(id) => {
                *ids = Self::Range(ids.bounds().0, id);
            }
            _ => all.push(Self::One(id)),
        }
    }
}

impl Line {
    fn since(before: Option<&Sample>, mut sample: Sample) -> Self {
        let mut same = Vec::new();
        if let Some(before) = before.filter(|before| before.life == sample.life) {
            sample.searches.retain(|search| {
                let has_changed = !before.searches.contains(search);
                if !has_changed {
                    Ids::add(&mut same, search.id);
                }
                has_changed
            });
        }
        Self { sample, same }
    }

    fn after(self, before: Option<&Sample>) -> Sample {
        let Self { mut sample, same } = self;
        if let Some(before) = before.filter(|_| !same.is_empty()) {
            let kept = before.searches.iter();
            let kept = kept.filter(|search| same.iter().any(|ids| ids.contains(search.id)));
            sample.searches.extend(kept.cloned());
            sample.searches.sort_by_key(|search| search.id);
        }
        sample
    }
}

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("cannot write to the journal {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read the journal {}", path.display())]
    Read { path: PathBuf, source: io::Error },
}

impl Journal {
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            last: Arc::default(),
        }
    }

    fn day(&self, at: Timestamp) -> PathBuf {
        let day = at.to_zoned(TimeZone::UTC).date();
        self.folder.join(format!("{day}.jsonl"))
    }

    pub fn append(&self, sample: &Sample) -> Result<(), JournalError> {
        let path = self.day(sample.at);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Each day can be read without the one before.
        let before = last.as_ref().filter(|last| self.day(last.at) == path);
        let line = Line::since(before, sample.clone());
        let mut line = serde_json::to_vec(&line).expect("a sample can be written as JSON");
        line.push(b'\n');
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)?
                .write_all(&line)
        };
        // What may be half a line is nothing to build on.
        *last = None;
        write().map_err(|source| JournalError::Write {
            path: path.clone(),
            source,
        })?;
        *last = Some(sample.clone());
        Ok(())
    }

    /// Samples of a time, oldest first. Lines that are no samples are passed over: a power
    /// cut may leave half of one, and a newer program may write what this one does not know.
    pub fn read(&self, from: Timestamp, to: Timestamp) -> Result<Vec<Sample>, JournalError> {
        let error = |path: &Path, source| JournalError::Read {
            path: path.to_owned(),
            source,
        };
        let folder = match fs::read_dir(&self.folder) {
            Ok(folder) => folder,
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(error(&self.folder, source)),
        };
        // Names are dates, so that they sort and compare by time.
        let (first, last) = (self.day(from), self.day(to));
        let mut samples = Vec::new();
        for entry in folder {
            let path = entry.map_err(|source| error(&self.folder, source))?.path();
            if path < first || path > last || path.extension().is_none_or(|end| end != "jsonl") {
                continue;
            }
            let file = File::open(&path).map_err(|source| error(&path, source))?;
            let mut before: Option<Sample> = None;
            for line in BufReader::new(file).split(b'\n') {
                let line = line.map_err(|source| error(&path, source))?;
                let Ok(line) = serde_json::from_slice::<Line>(&line) else {
                    continue;
                };
                let sample = line.after(before.as_ref());
                if (from..=to).contains(&sample.at) {
                    samples.push(sample.clone());
                }
                before = Some(sample);
            }
        }
        samples.sort_by_key(|sample| sample.at);
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::SearchState;
    use super::*;

    fn sample(text: &str) -> Sample {
        Sample {
            at: text.parse().unwrap(),
            ..Sample::default()
        }
    }

    #[test]
    fn a_period_is_read_across_midnight_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path().join("journal"));
        let times = [
            "2026-11-14T20:00:00Z",
            "2026-11-15T23:00:00Z",
            "2026-11-16T01:00:00Z",
        ];
        for time in times {
            journal.append(&sample(time)).unwrap();
        }
        let from = "2026-11-15T20:00:00Z".parse().unwrap();
        let to = "2026-11-16T08:00:00Z".parse().unwrap();
        let trend = journal.read(from, to).unwrap();
        assert_eq!(trend, [sample(times[1]), sample(times[2])]);
    }

    #[test]
    fn a_search_that_stands_still_is_written_once_a_day_and_read_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        let search = |id: u32, spent| SearchState {
            id,
            name: format!("search-{id}"),
            spent,
            ..SearchState::default()
        };
        let at = |minute: u64| Sample {
            searches: vec![search(1, 7), search(2, minute), search(3, 9)],
            ..sample(&format!("2026-11-15T12:{minute:02}:00Z"))
        };
        for minute in 0..5 {
            journal.append(&at(minute)).unwrap();
        }
        let text = fs::read_to_string(folder.path().join("2026-11-15.jsonl")).unwrap();
        assert_eq!(text.matches("search-1").count(), 1);
        assert_eq!(text.matches("search-2").count(), 5);
        let all = journal.read(at(1).at, at(4).at).unwrap();
        assert_eq!(all, [1, 2, 3, 4].map(at));
    }

    #[test]
    fn a_thousand_searches_that_stand_still_take_no_room() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        let search = |id| SearchState {
            id,
            name: format!("search-{id}"),
            ..SearchState::default()
        };
        let at = |minute: u64| {
            let mut searches: Vec<_> = (1..=1_000).map(search).collect();
            searches[499].spent = minute;
            Sample {
                searches,
                ..sample(&format!("2026-11-15T12:{minute:02}:00Z"))
            }
        };
        (0..3).for_each(|minute| journal.append(&at(minute)).unwrap());
        let text = fs::read_to_string(folder.path().join("2026-11-15.jsonl")).unwrap();
        let lines: Vec<_> = text.lines().map(str::len).collect();
        assert!(lines[1] < 1_000 && lines[2] < 1_000, "{lines:?}");
        let all = journal.read(at(0).at, at(2).at).unwrap();
        assert_eq!(all, [0, 1, 2].map(at));
    }

    #[test]
    fn half_a_line_after_a_power_cut_harms_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        let time = "2026-11-15T23:00:00Z";
        fs::write(folder.path().join("2026-11-15.jsonl"), "{\"at\":\"20\n").unwrap();
        journal.append(&sample(time)).unwrap();
        let all = journal.read(
            Timestamp::UNIX_EPOCH,
            "2027-01-01T00:00:00Z".parse().unwrap(),
        );
        assert_eq!(all.unwrap(), [sample(time)]);
    }

    #[test]
    fn no_journal_is_an_empty_one() {
        let journal = Journal::at("/nowhere/at/all");
        assert_eq!(
            journal
                .read(Timestamp::UNIX_EPOCH, Timestamp::now())
                .unwrap(),
            []
        );
    }
}
