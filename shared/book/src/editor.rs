use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use gridproof_certificate::{ContentHash, Proof, Refusal, check};
use gridproof_game::Rules;

use crate::book::{Book, MergeError};
use crate::certificates::{CertificateError, Certificates};
use crate::checked::CheckedClaims;
use crate::entry::{Entry, Proved, Status};
use crate::file::{BookError, BookFile, write};
use crate::journal::{Journal, JournalError, Record, game_ids};
use crate::key::Key;

/// A book that a program changes: the file, its journal, its certificates.
///
/// What is added is in the journal first, so a program that is killed loses nothing. Only one
/// editor of a book is open at a time.
#[derive(Debug)]
pub struct BookEditor {
    path: PathBuf,
    book: Book,
    certificates: Certificates,
    claims: CheckedClaims,
    journal: Journal,
    done: BTreeSet<(String, String)>,
    refused: Vec<CertificateError>,
}

/// What became of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Of the content.
    pub hash: ContentHash,
    /// Positions.
    pub entries: usize,
    /// Those with a proof.
    pub proved: usize,
}

/// Why a book cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read or written.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The journal beside it cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A line of the journal makes no sense.
    #[error("the journal cannot be taken in: {0}")]
    Record(String),
    /// Two pieces of knowledge do not go together.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// A certificate could not be kept.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A proof does not hold.
    #[error("the proof does not hold")]
    Proof(#[from] Box<Refusal>),
    /// The list of checked claims cannot be written.
    #[error("the list of checked claims cannot be written")]
    Claims(#[from] io::Error),
}

impl BookEditor {
    /// Opens a book, with what a program that was killed left in its journal; begins one if
    /// there is none. Claims whose certificates do not hold are [taken back](Self::refused).
    pub fn open(path: &Path, rules: Rules, claims: CheckedClaims) -> Result<Self, EditError> {
        let (mut book, hash) = match BookFile::open(path) {
            Ok(file) => (file.load()?, Some(file.hash())),
            Err(BookError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                (Book::new(rules), None)
            }
            Err(error) => return Err(error.into()),
        };
        let (journal, records) = Journal::open(path, hash)?;
        let done = game_ids(&records);
        for record in records {
            record.apply(&mut book).map_err(EditError::Record)?;
        }
        let mut editor = Self {
            path: path.to_owned(),
            book,
            certificates: Certificates::beside(path),
            claims,
            journal,
            done,
            refused: Vec::new(),
        };
        // So that nobody can make us forget what was played.
        let (rules, certificates) = (editor.book.rules(), &editor.certificates);
        let (claims, refused) = (&mut editor.claims, &mut editor.refused);
        editor
            .book
            .disbelieve(|key, proved| believe(rules, certificates, claims, refused, key, proved))?;
        Ok(editor)
    }

    /// The book as it stands.
    #[must_use]
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// The folder of its certificates.
    #[must_use]
    pub const fn certificates(&self) -> &Certificates {
        &self.certificates
    }

    /// Whether an earlier run, which was stopped, has put a game into the journal.
    #[must_use]
    pub fn has_game(&self, source: &str, id: &str) -> bool {
        // A set of pairs of strings cannot be asked with borrowed ones.
        self.done.contains(&(source.to_owned(), id.to_owned()))
    }

    /// Why claims were taken back since this was asked last.
    pub fn refused(&mut self) -> Vec<CertificateError> {
        std::mem::take(&mut self.refused)
    }

    /// Adds to the journal and then to the book.
    pub fn add(&mut self, records: Vec<Record>) -> Result<(), EditError> {
        self.journal.append(&records)?;
        for record in records {
            record.apply(&mut self.book).map_err(EditError::Record)?;
        }
        Ok(())
    }

    /// Adds a proof once it is found to hold. `None` if no game comes to its position, which has
    /// null stones behind it.
    pub fn add_proof(&mut self, proof: &Proof) -> Result<Option<Key>, EditError> {
        let proof = proof.transformed(proof.start().canonical().1);
        let key = Key::of_canonical(proof.start());
        if key.position(self.book.rules()).ok().as_ref() != Some(proof.start()) {
            return Ok(None);
        }
        check(&proof)?;
        let proved = Proved::by(&proof, self.certificates.save(&proof)?);
        let record = self.proved_record(&key, proved)?;
        self.add(vec![record])?;
        Ok(Some(key))
    }

    /// The record of a claim whose certificate was just checked and kept; from now on it is
    /// believed here.
    pub fn proved_record(&mut self, key: &Key, proved: Proved) -> Result<Record, EditError> {
        self.claims.add(self.book.rules(), key, &proved)?;
        let entry = Entry {
            status: Status::Proved(proved),
            ..Entry::default()
        };
        Ok(Record::entry(&self.book, key, &entry)?)
    }

    /// Waits until the disk has the journal: what a power failure must not take.
    pub fn sync(&self) -> Result<(), EditError> {
        Ok(self.journal.sync()?)
    }

    /// Takes another book in, with those of its proofs whose certificates hold. Returns how many
    /// do not.
    pub fn merge(&mut self, mut other: Book, from: &Certificates) -> Result<usize, EditError> {
        let (certificates, claims) = (&self.certificates, &mut self.claims);
        let (rules, refusals) = (other.rules(), &mut self.refused);
        let refused = other.disbelieve(|key, proved| {
            if *from != *certificates
                && let Err(error) = certificates.copy_from(from, proved.certificate)
            {
                refusals.push(error);
                return Ok(false);
            }
            believe(rules, certificates, claims, refusals, key, proved)
        })?;
        self.book.merge(other)?;
        Ok(refused)
    }

    /// Writes the book whole, and only then removes the journal.
    pub fn save(mut self) -> Result<Saved, EditError> {
        self.book.prune()?;
        let hash = write(&self.book, &self.path)?;
        self.journal.remove()?;
        Ok(Saved {
            hash,
            entries: self.book.len(),
            proved: self.book.proved(),
        })
    }
}

fn believe(
    rules: Rules,
    certificates: &Certificates,
    claims: &mut CheckedClaims,
    refused: &mut Vec<CertificateError>,
    key: &Key,
    proved: &Proved,
) -> Result<bool, EditError> {
    if claims.contains(rules, key, proved) {
        return Ok(true);
    }
    let position = key.position(rules)?;
    if let Err(error) = certificates.check(&position, proved) {
        refused.push(error);
        return Ok(false);
    }
    claims.add(rules, key, proved)?;
    Ok(true)
}
