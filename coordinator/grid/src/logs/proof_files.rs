//! The proofs of searches, as files that anyone can check.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gridproof_certificate::{
    BuildError, CheckLimits, CheckedFile, FILE_ENDING, FileRefusal, IfExists, Proof, SaveError,
    check_file, read_proof, save, save_with,
};
use gridproof_proofs::{ProofError, TellError, Telling};
use tokio::sync::Mutex;
use tokio::task::JoinError;
use tracing::{info, warn};

use super::sample::Certificate;
use crate::coordinator::{Coordinator, SearchProofError, SearchSnapshot, Snapshot};
use crate::{Added, GridBook};
use gridproof_search::{SearchId, Verdict};

/// Where proofs go. Clones share what is known of them.
#[derive(Clone, Debug)]
pub struct ProofFiles {
    place: Place,
    /// Gets each proof, too.
    book: Option<GridBook>,
    // Held while a proof is written, so that nobody writes it twice.
    saved: Arc<Mutex<BTreeMap<SearchId, SavedProof>>>,
}

#[derive(Clone, Debug)]
enum Place {
    Folder(PathBuf),
    File(PathBuf),
}

/// A proof on disk, checked after it was written.
#[derive(Clone, Debug)]
pub struct SavedProof {
    pub path: PathBuf,
    pub file: CheckedFile,
}

/// Why there is no proof file.
#[derive(Debug, thiserror::Error)]
pub enum ProofFileError {
    #[error(transparent)]
    Proof(#[from] SearchProofError),
    #[error("the proof does not fit together")]
    Build(#[from] BuildError),
    #[error(transparent)]
    Parts(#[from] ProofError),
    #[error(transparent)]
    Tell(#[from] TellError),
    #[error(transparent)]
    Save(#[from] SaveError),
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} was written and is refused, which is a bug worth reporting", path.display())]
    Refused {
        path: PathBuf,
        source: Box<FileRefusal>,
    },
    #[error("the proof could not be written")]
    Task(#[from] JoinError),
}

impl ProofFiles {
    /// Each proof gets a file in this folder, named after game, position and attacker.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self::at(Place::Folder(folder.into()))
    }

    /// There is one proof, and this is its file.
    #[must_use]
    pub fn in_file(path: impl Into<PathBuf>) -> Self {
        Self::at(Place::File(path.into()))
    }

    /// Each proof goes into this book as well.
    #[must_use]
    pub fn with_book(self, book: Option<GridBook>) -> Self {
        Self { book, ..self }
    }

    /// The book that gets each proof, too.
    #[must_use]
    pub fn book(&self) -> Option<&GridBook> {
        self.book.as_ref()
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            book: None,
            saved: Arc::default(),
        }
    }

    /// Writes the proof of a search that is proved, unless its file is there and in order.
    pub async fn save(
        &self,
        shell: &Coordinator,
        search: &SearchSnapshot,
    ) -> Result<SavedProof, ProofFileError> {
        let mut saved = self.saved.lock().await;
        let id = search.view.search;
        if let Some(known) = saved.get(&id) {
            return Ok(known.clone());
        }
        let attacker = search.view.attacker;
        let path = match &self.place {
            Place::File(path) => path.clone(),
            Place::Folder(folder) => {
                let name = crate::file_name(&search.root, attacker);
                folder.join(format!("{name}.{FILE_ENDING}"))
            }
        };
        let (there, start) = (path.clone(), search.root.clone());
        let found = tokio::task::spawn_blocking(move || check(&there).ok()).await?;
        let found = found.filter(|file| {
            let claim = &file.checked.claim;
            claim.start == start && claim.attacker == attacker
        });
        let file = match found {
            Some(file) => file,
            None => {
                let to = path.clone();
                let saved = shell.with_proof(id, move |proof| save_told(&proof, &to));
                saved.await??
            }
        };
        let proof = SavedProof { path, file };
        saved.insert(id, proof.clone());
        if let Some(book) = self.book.clone() {
            let path = proof.path.clone();
            tokio::task::spawn_blocking(move || add_to_book(&book, &path)).await?;
        }
        Ok(proof)
    }

    /// Writes what is proved and has no file yet. A proof that cannot be written is said.
    pub(super) async fn save_all(self, shell: Coordinator, snapshot: Snapshot) {
        let proved = |search: &&SearchSnapshot| search.view.verdict == Verdict::Proved;
        for search in snapshot.searches.iter().filter(proved) {
            if self.saved.lock().await.contains_key(&search.view.search) {
                continue;
            }
            match self.save(&shell, search).await {
                Ok(saved) => info!("the proof of {} is {}", search.game, saved.path.display()),
                Err(error) => warn!("the proof of {} has no file: {error}", search.game),
            }
        }
    }

    pub(super) async fn certificates(&self) -> BTreeMap<u32, Certificate> {
        let saved = self.saved.lock().await;
        let told = |(id, proof): (&SearchId, &SavedProof)| {
            let first_move = proof.file.checked.first_move.as_ref();
            let certificate = Certificate {
                file: proof.path.display().to_string(),
                hash: proof.file.hash.to_string(),
                first_move: first_move.map(ToString::to_string),
            };
            (id.0, certificate)
        };
        saved.iter().map(told).collect()
    }
}

/// Puts a proof file into a book. Without its place there a proof is none the worse: what is
/// wrong is said, and no failure.
pub fn add_to_book(book: &GridBook, path: &Path) {
    let proof = File::open(path)
        .map_err(|error| error.to_string())
        .and_then(|file| read_proof(BufReader::new(file)).map_err(|error| error.to_string()));
    let added = proof.and_then(|(proof, _)| book.add(&proof).map_err(|error| error.to_string()));
    let (book, file) = (book.path().display(), path.display());
    match added {
        Ok(Added::New) => info!("{book} holds {file}"),
        Ok(Added::Known | Added::NotOfPlay) => {}
        Err(error) => warn!(
            "{file} is not in the book: {error}; `gridproof book add {book} {file}` puts it there"
        ),
    }
}

/// Nodes of the largest proof that is made smaller before it is saved: that takes all of it in
/// memory, some 200 MB.
const MOST_IN_MEMORY: u64 = 1_000_000;

/// A small proof is saved with equal parts merged; a larger one as it is told.
fn save_told(proof: &Telling<'_>, path: &Path) -> Result<CheckedFile, ProofFileError> {
    if proof.nodes() <= MOST_IN_MEMORY {
        return save_and_check(&proof.assemble()?, path);
    }
    make_folder_of(path);
    save_with(path, IfExists::Replace, |out| {
        proof.write(out).map_err(ProofFileError::from)
    })?;
    check(path)
}

fn make_folder_of(path: &Path) {
    if let Some(folder) = path.parent() {
        // What is wrong with the folder is told by whoever writes the file.
        let _ = std::fs::create_dir_all(folder);
    }
}

/// What was written is what is checked: the file, not what we have in memory.
pub fn save_and_check(proof: &Proof, path: &Path) -> Result<CheckedFile, ProofFileError> {
    let proof = proof.deduplicated()?;
    make_folder_of(path);
    save(&proof, path, IfExists::Replace)?;
    check(path)
}

fn check(path: &Path) -> Result<CheckedFile, ProofFileError> {
    let file = File::open(path).map_err(|source| ProofFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    check_file(BufReader::new(file), CheckLimits::default()).map_err(|refusal| {
        ProofFileError::Refused {
            path: path.to_owned(),
            source: Box::new(refusal),
        }
    })
}
