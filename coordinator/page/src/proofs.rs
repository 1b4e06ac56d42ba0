//! Proofs that can be played against, checked once and kept at hand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use gridproof_certificate::{CheckedProof, Proof, Refusal};
use gridproof_grid::coordinator::{Coordinator, SearchProofError};
use gridproof_search::SearchId;

use crate::error::PageError;
use crate::look;

/// Where proofs come from: a grid's searches, or one file.
#[derive(Clone, Debug)]
pub struct ProofShelf(Arc<Source>);

#[derive(Debug)]
enum Source {
    Grid {
        coordinator: Coordinator,
        /// Those that were asked for last.
        cache: Mutex<VecDeque<(SearchId, Shown)>>,
    },
    File(Shown),
}

/// A title and its proof.
type Shown = (String, Arc<CheckedProof>);

/// A proof may take a gigabyte; people look at one or two.
const KEPT: usize = 4;

impl ProofShelf {
    /// The proofs of a grid's searches.
    #[must_use]
    pub fn of_grid(coordinator: Coordinator) -> Self {
        Self(Arc::new(Source::Grid {
            coordinator,
            cache: Mutex::default(),
        }))
    }

    /// One proof, found under the name `file`.
    pub fn of_file(title: &str, proof: Proof) -> Result<Self, Box<Refusal>> {
        let proof = Arc::new(CheckedProof::new(proof)?);
        Ok(Self(Arc::new(Source::File((title.to_owned(), proof)))))
    }

    /// A proof by its name in an address.
    pub async fn get(&self, name: &str) -> Result<Shown, PageError> {
        let nothing = || PageError::NotThere(format!("there is no proof \"{name}\" here"));
        match &*self.0 {
            Source::File(shown) if name == "file" => Ok(shown.clone()),
            Source::File(_) => Err(nothing()),
            Source::Grid { coordinator, cache } => {
                let search = SearchId(name.parse().map_err(|_| nothing())?);
                let known = {
                    let cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
                    cache
                        .iter()
                        .find(|(id, _)| *id == search)
                        .map(|(_, shown)| shown.clone())
                };
                match known {
                    Some(shown) => Ok(shown),
                    None => {
                        let shown = load(coordinator, search).await?;
                        let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
                        cache.truncate(KEPT - 1);
                        cache.push_front((search, shown.clone()));
                        Ok(shown)
                    }
                }
            }
        }
    }
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
