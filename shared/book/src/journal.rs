use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gridproof_certificate::ContentHash;
use gridproof_game::Colour;
use gridproof_game::records::Format;
use serde::{Deserialize, Serialize};

use crate::book::{Book, MergeError};
use crate::entry::Entry;
use crate::file::BookError;
use crate::json::Line;
use crate::key::Key;

/// What was added to a book since it was written, in a file beside it. A line is on disk before
/// anybody is told of it, so a program that is killed goes on from there.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// One addition to a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A game.
    Game {
        /// Tells it from the others of its source.
        id: String,
        /// Where it comes from.
        source: String,
        /// `B` or `W`.
        winner: char,
        /// How many moves are kept.
        turns: usize,
        /// Its moves as a plain list of stones.
        stones: String,
    },
    /// Knowledge of one position. Its content is private: make one with [`Record::entry`].
    Entry(EntryLine),
}

/// An entry as a line of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryLine(Line);

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system could not read or write.
    #[error("the journal {} cannot be read or written", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Two programs change one book.
    #[error("another program is changing this book: wait until it has ended")]
    InUse,
    /// A line is none of ours.
    #[error("the journal {} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The first line: the book that the journal continues. Once the additions are in the book its
/// hash is another, and what is left of the journal no longer counts.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    continues: Option<String>,
}

impl Record {
    /// Knowledge of one position.
    pub fn entry(book: &Book, key: &Key, entry: &Entry) -> Result<Self, BookError> {
        Line::of(book.rules(), key, entry).map(|line| Self::Entry(EntryLine(line)))
    }

    /// Puts the addition into a book.
    pub fn apply(self, book: &mut Book) -> Result<(), String> {
        match self {
            Self::Game {
                source,
                winner,
                turns,
                stones,
                ..
            } => {
                let text = format!("{}: {stones}", book.rules());
                let game = Format::Stones.read(text.as_bytes());
                let game = game.map_err(|error| error.to_string())?;
                let winner = Colour::from_letter(winner).ok_or("a game without a winner")?;
                book.add_game(&game, turns, winner, &source.into());
                Ok(())
            }
            Self::Entry(EntryLine(line)) => {
                let (key, entry) = line.read(book.rules())?;
                let merged = book.merge_entry(key, entry);
                merged.map_err(|error: MergeError| error.to_string())
            }
        }
    }
}

impl Journal {
    /// Opens the journal of a book that has this hash now (`None`: there is no file yet), and
    /// reads what it holds. Half a line at the end, which a crash leaves, is cut off.
    pub fn open(
        book: &Path,
        hash: Option<ContentHash>,
    ) -> Result<(Self, Vec<Record>), JournalError> {
        let mut name = book.as_os_str().to_owned();
        name.push(".journal");
        let path = PathBuf::from(name);
        let head = Head {
            continues: hash.map(|hash| hash.to_string()),
        };
        let (journal, records) = Self::open_file(&path, &head).map_err(|error| match error {
            OpenError::Io(source) => JournalError::Io {
                path: path.clone(),
                source,
            },
            OpenError::InUse => JournalError::InUse,
            OpenError::Line(reason) => JournalError::Damaged {
                path: path.clone(),
                reason,
            },
        })?;
        Ok((journal, records))
    }

    fn open_file(path: &Path, head: &Head) -> Result<(Self, Vec<Record>), OpenError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        // Until the process ends, however it does.
        file.try_lock().map_err(|_| OpenError::InUse)?;
        let text = fs::read(path)?;
        let whole = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let mut lines = text[..whole].split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let continues = serde_json::from_slice::<Head>(first).is_ok_and(|found| found == *head);
        let mut records = Vec::new();
        if continues {
            for line in lines.filter(|line| !line.is_empty()) {
                let record = serde_json::from_slice(line);
                records.push(record.map_err(|error| OpenError::Line(error.to_string()))?);
            }
        }
        file.set_len(if continues { whole as u64 } else { 0 })?;
        let mut journal = Self {
            path: path.to_owned(),
            file,
        };
        if !continues {
            journal.put(&[head])?;
        }
        Ok((journal, records))
    }

    /// Adds records; all of them are with the system when it returns.
    pub fn append(&mut self, records: &[Record]) -> Result<(), JournalError> {
        self.put(records).map_err(|source| JournalError::Io {
            path: self.path.clone(),
            source,
        })
    }

    /// Waits until the disk has it, too: what a power failure must not take.
    pub fn sync(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| JournalError::Io {
            path: self.path.clone(),
            source,
        })
    }

    fn put(&mut self, lines: &[impl Serialize]) -> io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        self.file.write_all(&text)
    }

    /// Removes it, once the book that holds all of it is written.
    pub fn remove(self) -> Result<(), JournalError> {
        fs::remove_file(&self.path).map_err(|source| JournalError::Io {
            path: self.path.clone(),
            source,
        })
    }
}

/// The ids of the games among records, with their sources.
#[must_use]
pub fn game_ids(records: &[Record]) -> BTreeSet<(String, String)> {
    let ids = records.iter().filter_map(|record| match record {
        Record::Game { id, source, .. } => Some((source.clone(), id.clone())),
        Record::Entry(_) => None,
    });
    ids.collect()
}

enum OpenError {
    Io(io::Error),
    Line(String),
    InUse,
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
