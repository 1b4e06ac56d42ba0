//! Proofs that can be played against, checked once and kept at hand.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gridproof_book::Certificates;
use gridproof_certificate::{CheckedProof, ContentHash, Proof, Refusal};
use gridproof_game::{Rules, Symmetry};
use gridproof_grid::coordinator::{Coordinator, SearchProofError};
use gridproof_search::SearchId;

use crate::error::PageError;
use crate::look;

/// Where proofs come from: a grid's searches, one file, a book.
#[derive(Clone, Debug, Default)]
pub struct ProofShelf {
    coordinator: Option<Coordinator>,
    file: Option<Shown>,
    book: Option<PathBuf>,
    /// Those that were asked for last, by their names.
    cache: Arc<Mutex<VecDeque<(String, Shown)>>>,
}

/// A title and its proof.
type Shown = (String, Arc<CheckedProof>);

/// A proof may take a gigabyte; people look at one or two.
const KEPT: usize = 4;

impl ProofShelf {
    /// The proofs of a grid's searches.
    #[must_use]
    pub fn of_grid(coordinator: Coordinator) -> Self {
        Self {
            coordinator: Some(coordinator),
            ..Self::default()
        }
    }

    /// One proof, found under the name `file`.
    pub fn of_file(title: &str, proof: Proof) -> Result<Self, Box<Refusal>> {
        let proof = Arc::new(CheckedProof::new(proof)?);
        Ok(Self {
            file: Some((title.to_owned(), proof)),
            ..Self::default()
        })
    }

    /// The proofs of a book.
    #[must_use]
    pub fn of_book(book: PathBuf) -> Self {
        Self::default().with_book(Some(book))
    }

    /// The same, with those of a book.
    #[must_use]
    pub fn with_book(self, book: Option<PathBuf>) -> Self {
        Self { book, ..self }
    }

    /// A proof by its name in an address.
    pub async fn get(&self, name: &str) -> Result<Shown, PageError> {
        let nothing = || PageError::NotThere(format!("there is no proof \"{name}\" here"));
        if let Some(shown) = self.file.clone().filter(|_| name == "file") {
            return Ok(shown);
        }
        let known = {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            let found = cache.iter().find(|(known, _)| known == name);
            found.map(|(_, shown)| shown.clone())
        };
        if let Some(shown) = known {
            return Ok(shown);
        }
        let shown = match (read_book_proof_name(name), &self.book, &self.coordinator) {
            (Some(wanted), Some(book), _) => of_book(book, wanted).await?,
            (None, _, Some(coordinator)) => {
                let search = SearchId(name.parse().map_err(|_| nothing())?);
                load(coordinator, search).await?
            }
            _ => return Err(nothing()),
        };
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.truncate(KEPT - 1);
        cache.push_front((name.to_owned(), shown.clone()));
        Ok(shown)
    }
}

const OF_BOOK: &str = "book-";

/// The name of a book's proof, turned so that it lies as the reader saw the position.
#[must_use]
pub fn book_proof_name(rules: &Rules, certificate: ContentHash, turn: Symmetry) -> String {
    let turn = Symmetry::all(rules).position(|one| one == turn);
    format!("{OF_BOOK}{certificate}-{}", turn.unwrap_or_default())
}

fn read_book_proof_name(name: &str) -> Option<(ContentHash, usize)> {
    let (hash, turn) = name.strip_prefix(OF_BOOK)?.split_once('-')?;
    let is_hex = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate().filter(|_| is_hex) {
        *byte = u8::from_str_radix(&hash[2 * at..2 * at + 2], 16).ok()?;
    }
    is_hex.then_some(())?;
    Some((ContentHash(bytes), turn.parse().ok()?))
}

async fn of_book(book: &Path, (hash, turn): (ContentHash, usize)) -> Result<Shown, PageError> {
    let certificates = Certificates::beside(book);
    let checked = tokio::task::spawn_blocking(move || {
        let proof = certificates.load(hash);
        let proof = proof.map_err(|error| PageError::NotThere(error.to_string()))?;
        let turn = Symmetry::all(proof.start().rules()).nth(turn);
        let proof = proof.transformed(turn.unwrap_or(Symmetry::IDENTITY));
        CheckedProof::new(proof).map_err(|refusal| PageError::Bad(refusal.to_string()))
    });
    let checked = checked.await;
    let checked = checked.map_err(|_| PageError::Bad("the check panicked: a bug".to_owned()))??;
    Ok(("a position of the book".to_owned(), Arc::new(checked)))
}

async fn load(coordinator: &Coordinator, search: SearchId) -> Result<Shown, PageError> {
    let root = look::root(coordinator, search).await?;
    if root.view.verdict != gridproof_search::Verdict::Proved {
        let words = format!(
            "{} is not proved yet: look at it on the workbench",
            root.name
        );
        return Err(PageError::NotThere(words));
    }
    let proof = coordinator
        .proof(search)
        .await
        .map_err(|error| match error {
            SearchProofError::Gone(gone) => PageError::Gone(gone),
            other => PageError::NotThere(other.to_string()),
        })?;
    let checked = tokio::task::spawn_blocking(move || CheckedProof::new(proof)).await;
    let checked = checked.map_err(|_| PageError::Bad("the check panicked: a bug".to_owned()))?;
    let checked = checked.map_err(|refusal| PageError::Bad(refusal.to_string()))?;
    Ok((root.name, Arc::new(checked)))
}
