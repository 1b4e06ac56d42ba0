//! Proofs that can be played against, checked once and kept at hand.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gridproof_book::Certificates;
use gridproof_certificate::{CheckLimits, CheckedProof, ContentHash, Proof, Refusal};
use gridproof_game::{Colour, Rules, Symmetry};
use gridproof_grid::coordinator::{Coordinator, NodeStatus};
use gridproof_grid::file_name;

use crate::address::Place;
use crate::error::PageError;
use crate::look::{self, Selection};
use crate::{show, texts};

/// Where proofs come from: a grid's searches, one file, a book.
#[derive(Clone, Debug, Default)]
pub struct ProofShelf {
    coordinator: Option<Coordinator>,
    file: Option<Arc<ShownProof>>,
    book: Option<PathBuf>,
    /// Those that were asked for last, by their names.
    cache: Arc<Mutex<Recent>>,
}

type Recent = VecDeque<(String, Arc<ShownProof>)>;

/// A proof and what it is called.
#[derive(Debug)]
pub struct ShownProof {
    pub title: String,
    /// Where its position is on the workbench.
    pub place: Option<Place>,
    pub proof: CheckedProof,
}

impl ShownProof {
    /// What the file is called.
    #[must_use]
    pub fn file_name(&self) -> String {
        let proof = self.proof.proof();
        let attacker: Colour = proof.attacker();
        format!("{}.gpf", file_name(proof.start(), attacker))
    }
}

/// A proof may take a gigabyte; people look at one or two.
const KEPT: usize = 4;

impl ProofShelf {
    /// The proofs of a grid: of its searches, and of every position that is proved.
    #[must_use]
    pub fn of_grid(coordinator: Coordinator) -> Self {
        Self {
            coordinator: Some(coordinator),
            ..Self::default()
        }
    }

    /// One proof, found under the name `file`.
    pub fn of_file(title: &str, proof: Proof, limits: CheckLimits) -> Result<Self, Box<Refusal>> {
        let shown = ShownProof {
            title: title.to_owned(),
            place: None,
            proof: CheckedProof::within(proof, limits)?,
        };
        Ok(Self {
            file: Some(Arc::new(shown)),
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

    /// Whether there is a grid around the proofs.
    #[must_use]
    pub fn has_grid(&self) -> bool {
        self.coordinator.is_some()
    }

    /// A proof by its name in an address.
    pub async fn get(&self, name: &str) -> Result<Arc<ShownProof>, PageError> {
        let nothing = || PageError::NotThere(format!("there is no proof \"{name}\" here"));
        if let Some(shown) = self.file.clone().filter(|_| name == "file") {
            return Ok(shown);
        }
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache().iter().find(|(known, _)| known == name).cloned();
        if let Some((_, shown)) = known {
            return Ok(shown);
        }
        let shown = match (read_book_proof_name(name), &self.book, &self.coordinator) {
            (Some(wanted), Some(book), _) => of_book(book, wanted).await?,
            (None, _, Some(coordinator)) => {
                let place = Place::of_proof(name).ok_or_else(nothing)?;
                load(coordinator, place).await?
            }
            _ => return Err(nothing()),
        };
        let shown = Arc::new(shown);
        let mut cache = cache();
        cache.truncate(KEPT - 1);
        cache.push_front((name.to_owned(), Arc::clone(&shown)));
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

async fn of_book(book: &Path, (hash, turn): (ContentHash, usize)) -> Result<ShownProof, PageError> {
    let certificates = Certificates::beside(book);
    let proof = checked(move || {
        let proof = certificates.load(hash);
        let proof = proof.map_err(|error| PageError::NotThere(error.to_string()))?;
        let turn = Symmetry::all(proof.start().rules()).nth(turn);
        Ok(proof.transformed(turn.unwrap_or(Symmetry::IDENTITY)))
    });
    Ok(ShownProof {
        title: texts::proof::OF_BOOK.to_owned(),
        place: None,
        proof: proof.await?,
    })
}

fn not_there(error: impl std::fmt::Display) -> PageError {
    PageError::NotThere(error.to_string())
}

/// Nodes of the largest proof that is shown: it is in memory while somebody looks at it, some
/// 200 MB.
const MOST_SHOWN: u64 = 1_000_000;

async fn load(coordinator: &Coordinator, place: Place) -> Result<ShownProof, PageError> {
    let sight = look::sight(coordinator, place.clone(), Selection::default()).await?;
    let moves = place.moves.iter().map(show::move_name);
    let names: Vec<_> = [sight.root.name.clone()].into_iter().chain(moves).collect();
    let title = names.join(" › ");
    let proved = sight
        .node
        .as_ref()
        .filter(|node| node.details.status == NodeStatus::Proved);
    let node = proved
        .map(|node| node.details.node)
        .ok_or_else(|| PageError::NotThere(format!("{title} {}", texts::proof::NOT_PROVED)))?;
    let proofs = Arc::clone(coordinator.proofs());
    let (position, attacker) = (sight.position.clone(), sight.attacker());
    let proof = checked(move || {
        let proof = proofs.telling(node, &position, attacker);
        let proof = proof.map_err(not_there)?;
        if proof.nodes() > MOST_SHOWN {
            let words = texts::proof::too_large(proof.nodes());
            return Err(PageError::NotThere(words));
        }
        proof.assemble().map_err(not_there)
    });
    Ok(ShownProof {
        title,
        place: Some(place),
        proof: proof.await?,
    })
}

/// A proof that was found and checked, off the threads that serve.
async fn checked(
    find: impl FnOnce() -> Result<Proof, PageError> + Send + 'static,
) -> Result<CheckedProof, PageError> {
    let checked = tokio::task::spawn_blocking(move || {
        CheckedProof::new(find()?).map_err(|refusal| PageError::Bad(refusal.to_string()))
    });
    checked
        .await
        .map_err(|_| PageError::Bad(texts::error::PANICKED.to_owned()))?
}
