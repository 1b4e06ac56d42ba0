//! A book that a command changes: the file, its journal, its certificates.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use gridproof_book::{
    Book, BookFile, Certificates, CheckedClaims, Journal, Key, Proved, Record, game_ids, write,
};
use gridproof_certificate::ContentHash;
use gridproof_game::Rules;

use super::super::Failure;

/// The claims that this user's machine has checked; none is remembered where there is no place.
pub(super) fn checked_claims() -> Result<CheckedClaims, Failure> {
    let Some(path) = CheckedClaims::usual_path() else {
        return Ok(CheckedClaims::default());
    };
    Ok(CheckedClaims::open(&path)
        .map_err(|error| format!("cannot use {}: {error}", path.display()))?)
}

#[derive(Debug)]
pub(super) struct OpenBook {
    path: PathBuf,
    pub(super) book: Book,
    pub(super) certificates: Certificates,
    pub(super) claims: CheckedClaims,
    journal: Journal,
    /// Games that an earlier run, which was stopped, has put into the journal.
    pub(super) done: BTreeSet<(String, String)>,
}

/// What became of a book.
#[derive(Debug)]
pub(super) struct Saved {
    pub(super) hash: ContentHash,
    pub(super) entries: usize,
    pub(super) proved: usize,
}

impl OpenBook {
    /// Opens a book to be changed, with what a run that was stopped left in its journal; begins
    /// one if there is none.
    pub(super) fn open(path: &Path, rules: Rules) -> Result<Self, Failure> {
        let (mut book, hash) = match BookFile::open(path) {
            Ok(file) => (file.load()?, Some(file.hash())),
            Err(gridproof_book::BookError::Io(error))
                if error.kind() == io::ErrorKind::NotFound =>
            {
                (Book::new(rules), None)
            }
            Err(error) => return Err(format!("{}: {error}", path.display()).into()),
        };
        let (journal, records) = Journal::open(path, hash)?;
        let done = game_ids(&records);
        for record in records {
            record.apply(&mut book)?;
        }
        let mut open = Self {
            path: path.to_owned(),
            book,
            certificates: Certificates::beside(path),
            claims: checked_claims()?,
            journal,
            done,
        };
        open.believe_or_not()?;
        Ok(open)
    }

    /// Adds to the journal and then to the book.
    pub(super) fn add(&mut self, records: Vec<Record>) -> Result<(), Failure> {
        self.journal.append(&records)?;
        for record in records {
            record.apply(&mut self.book)?;
        }
        Ok(())
    }

    pub(super) fn sync(&self) -> Result<(), Failure> {
        Ok(self.journal.sync()?)
    }

    /// Takes back claims whose certificates do not hold, so that nobody can make us forget what
    /// was played. Returns how many there were.
    pub(super) fn believe_or_not(&mut self) -> Result<usize, Failure> {
        let (rules, certificates, claims) =
            (self.book.rules(), &self.certificates, &mut self.claims);
        self.book
            .disbelieve(|key, proved| is_believed(rules, certificates, claims, key, proved))
    }

    /// Takes another book in, with those of its proofs whose certificates hold. Returns how many
    /// do not.
    pub(super) fn merge(&mut self, mut other: Book, from: &Certificates) -> Result<usize, Failure> {
        let (certificates, claims) = (&self.certificates, &mut self.claims);
        let rules = other.rules();
        let refused = other.disbelieve(|key, proved| {
            if *from != *certificates && certificates.copy_from(from, proved.certificate).is_err() {
                return Ok(false);
            }
            is_believed(rules, certificates, claims, key, proved)
        })?;
        self.book.merge(other)?;
        Ok(refused)
    }

    /// Writes the book whole, and only then removes the journal.
    pub(super) fn save(mut self) -> Result<Saved, Failure> {
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

fn is_believed(
    rules: Rules,
    certificates: &Certificates,
    claims: &mut CheckedClaims,
    key: &Key,
    proved: &Proved,
) -> Result<bool, Failure> {
    if claims.contains(rules, key, proved) {
        return Ok(true);
    }
    let position = key.position(rules)?;
    if let Err(error) = certificates.check(&position, proved) {
        eprintln!("warning: {}", super::super::exit::with_causes(&error));
        return Ok(false);
    }
    claims.add(rules, key, proved)?;
    Ok(true)
}
