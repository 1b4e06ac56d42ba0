//! The book of openings that a grid asks before it gives out a job, and adds its proofs to.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use gridproof_book::{
    BookEditor, BookError, BookFile, Certificates, CheckedClaims, EditError, Key,
};
use gridproof_certificate::{ContentHash, Proof, write_proof};
use gridproof_game::{Colour, Position, Symmetry};

/// A book on disk. Clones share it.
#[derive(Clone, Debug)]
pub struct GridBook(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    /// As it was last read; none before there is a file.
    file: RwLock<Option<Arc<BookFile>>>,
    // Held while the file is changed: one proof at a time.
    editing: Mutex<()>,
    answered: AtomicU64,
}

/// What became of a proof that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is in the book now.
    New,
    /// The book has a proof of this position.
    Known,
    /// No game comes to its position.
    NotOfPlay,
}

/// The book says that a side wins a position. Nothing of it is believed yet.
#[derive(Clone, Debug)]
pub(crate) struct BookClaim {
    certificates: Certificates,
    hash: ContentHash,
    position: Position,
    to_canonical: Symmetry,
}

impl GridBook {
    /// Opens a book; if there is none, the first proof begins it.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let file = match BookFile::open(path) {
            Ok(file) => Some(Arc::new(file)),
            Err(BookError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Self(Arc::new(Inner {
            path: path.to_owned(),
            file: RwLock::new(file),
            editing: Mutex::default(),
            answered: AtomicU64::new(0),
        })))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// How many jobs it has answered.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.0.answered.load(Ordering::Relaxed)
    }

    pub(crate) fn count_answer(&self) {
        self.0.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// The book as it was last read.
    #[must_use]
    pub fn file(&self) -> Option<Arc<BookFile>> {
        let file = self.0.file.read().unwrap_or_else(PoisonError::into_inner);
        file.clone()
    }

    /// What the book says of a position: some microseconds. A book of another game, or one that
    /// is damaged there, says nothing.
    pub(crate) fn claim(&self, position: &Position, attacker: Colour) -> Option<BookClaim> {
        let (entry, to_canonical) = self.file()?.find(position).ok()??;
        let proved = entry.proved().filter(|proved| proved.winner == attacker)?;
        Some(BookClaim {
            certificates: Certificates::beside(self.path()),
            hash: proved.certificate,
            position: position.clone(),
            to_canonical,
        })
    }

    /// Adds a proof once it is found to hold: to the journal, then to a new file that takes the
    /// place of the old one. Takes its time.
    pub fn add(&self, proof: &Proof) -> Result<Added, EditError> {
        let _editing = self
            .0
            .editing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if self.claim(proof.start(), proof.attacker()).is_some() {
            return Ok(Added::Known);
        }
        let claims = match CheckedClaims::usual_path() {
            Some(path) => CheckedClaims::open(&path)?,
            None => CheckedClaims::default(),
        };
        let rules = *proof.start().rules();
        let mut editor = BookEditor::open(self.path(), rules, claims)?;
        let added = editor.add_proof(proof)?;
        editor.save()?;
        let news = Arc::new(BookFile::open(self.path())?);
        *self.0.file.write().unwrap_or_else(PoisonError::into_inner) = Some(news);
        Ok(added.map_or(Added::NotOfPlay, |_: Key| Added::New))
    }
}

impl BookClaim {
    /// The certificate as a worker would send it, to be checked as a worker's is. `None` if it
    /// cannot be read, or is of another position.
    pub(crate) fn certificate(&self) -> Option<Vec<u8>> {
        let proof = self.certificates.load(self.hash).ok()?;
        let proof = proof.transformed(self.to_canonical.inverse());
        // Positions with null stones behind them have the stones of another turn.
        if *proof.start() != self.position {
            return None;
        }
        let (file, _) = write_proof(&proof, io::Cursor::new(Vec::new())).ok()?;
        Some(file.into_inner())
    }
}
