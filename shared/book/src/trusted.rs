use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gridproof_certificate::{ContentHash, Proof};
use gridproof_game::{Position, Rules};

use crate::book::child_of;
use crate::certificates::{CertificateError, Certificates};
use crate::checked::CheckedClaims;
use crate::choose::{Candidate, Choice, Reason, choose};
use crate::entry::{Entry, Proved, Status};
use crate::file::{BookError, BookFile};
use crate::key::Key;

/// A book whose proofs are believed only after they were checked on this machine.
#[derive(Debug)]
pub struct TrustedBook {
    file: BookFile,
    certificates: Certificates,
    // A std Mutex: it is held for a look into a set, never while a certificate is checked.
    checked: Mutex<CheckedClaims>,
}

impl TrustedBook {
    /// Opens a book with the certificates beside it.
    pub fn open(path: &Path, checked: CheckedClaims) -> Result<Self, BookError> {
        Ok(Self {
            file: BookFile::open(path)?,
            certificates: Certificates::beside(path),
            checked: Mutex::new(checked),
        })
    }

    /// The file, which is believed in nothing.
    #[must_use]
    pub const fn file(&self) -> &BookFile {
        &self.file
    }

    /// The game.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.file.rules()
    }

    /// What is believed of a position, as it lies on the board. A claim whose certificate is
    /// missing or refused is taken as played.
    pub fn find(&self, position: &Position) -> Result<Option<Entry>, BookError> {
        let Some((entry, symmetry)) = self.file.find(position)? else {
            return Ok(None);
        };
        let entry = self.believed(&Key::of(position).0, entry)?;
        Ok(Some(entry.transformed(&self.rules(), symmetry.inverse())))
    }

    /// Who wins a position, if that is proved. This is what a search asks before it makes a job.
    pub fn proved(&self, position: &Position) -> Result<Option<Proved>, BookError> {
        let entry = self.find(position)?;
        Ok(entry.and_then(|entry| match entry.status {
            Status::Proved(proved) => Some(proved),
            _ => None,
        }))
    }

    /// The proof of a position as it lies on the board, once it is believed.
    pub fn proof(&self, position: &Position) -> Result<Option<Proof>, BookError> {
        let Some(proved) = self.proved(position)? else {
            return Ok(None);
        };
        let (_, symmetry) = Key::of(position);
        let proof = self.certificates.load(proved.certificate).ok();
        Ok(proof.map(|proof| proof.transformed(symmetry.inverse())))
    }

    /// The moves from a position to other entries, and what is believed of these.
    pub fn candidates(&self, position: &Position) -> Result<Vec<Candidate>, BookError> {
        let Some(entry) = self.find(position)? else {
            return Ok(Vec::new());
        };
        let mut candidates = Vec::with_capacity(entry.moves.len());
        for book_move in entry.moves {
            let key = child_of(position, &book_move)?;
            if let Some(entry) = self.file.get(&key)? {
                let entry = self.believed(&key, entry)?;
                candidates.push(Candidate {
                    mv: book_move.mv,
                    entry,
                });
            }
        }
        Ok(candidates)
    }

    /// The move that the book advises, by the four rules.
    pub fn choose(&self, position: &Position) -> Result<Option<Choice>, BookError> {
        if let Some(proved) = self.proved(position)? {
            // Who is proved to lose gets no advice: all moves lose alike.
            let mv = proved.mv.filter(|_| proved.winner == position.to_move());
            let reason = Reason::ProvedWin;
            return Ok(mv.map(|mv| Choice { mv, reason }));
        }
        Ok(choose(position, &self.candidates(position)?))
    }

    fn believed(&self, key: &Key, mut entry: Entry) -> Result<Entry, BookError> {
        if let Some(proved) = entry.proved()
            && self.believe(key, proved)?.is_err()
        {
            entry.status = Status::Played;
        }
        Ok(entry)
    }

    /// Checks a claim unless that was done before.
    pub fn believe(
        &self,
        key: &Key,
        proved: &Proved,
    ) -> Result<Result<(), CertificateError>, BookError> {
        let rules = self.rules();
        if self.claims().contains(rules, key, proved) {
            return Ok(Ok(()));
        }
        let checked = self.check(key, proved)?;
        if checked.is_ok() {
            self.claims().add(rules, key, proved)?;
        }
        Ok(checked)
    }

    /// Checks a claim, whatever was done before, and remembers that it holds.
    pub fn check(
        &self,
        key: &Key,
        proved: &Proved,
    ) -> Result<Result<(), CertificateError>, BookError> {
        let position = key.position(self.rules())?;
        let checked = self.certificates.check(&position, proved);
        if checked.is_ok() {
            self.claims().add(self.rules(), key, proved)?;
        }
        Ok(checked)
    }

    /// The content hash that the file claims.
    #[must_use]
    pub const fn hash(&self) -> ContentHash {
        self.file.hash()
    }

    fn claims(&self) -> std::sync::MutexGuard<'_, CheckedClaims> {
        // A set of digests is whole whatever became of the thread that held it.
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
