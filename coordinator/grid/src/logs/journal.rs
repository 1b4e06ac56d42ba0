use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::sample::Sample;

/// A folder with a file a day (of UTC), a sample a line, as JSON. Old days may be deleted.
#[derive(Clone, Debug)]
pub struct Journal {
    folder: PathBuf,
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
        }
    }

    fn day(&self, at: Timestamp) -> PathBuf {
        let day = at.to_zoned(TimeZone::UTC).date();
        self.folder.join(format!("{day}.jsonl"))
    }

    pub fn append(&self, sample: &Sample) -> Result<(), JournalError> {
        let path = self.day(sample.at);
        let mut line = serde_json::to_vec(sample).expect("a sample can be written as JSON");
        line.push(b'\n');
        let write = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)?
                .write_all(&line)
        };
        write().map_err(|source| JournalError::Write {
            path: path.clone(),
            source,
        })
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
            for line in BufReader::new(file).split(b'\n') {
                let line = line.map_err(|source| error(&path, source))?;
                let sample = serde_json::from_slice::<Sample>(&line);
                samples.extend(sample.ok().filter(|s| (from..=to).contains(&s.at)));
            }
        }
        samples.sort_by_key(|sample| sample.at);
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
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
