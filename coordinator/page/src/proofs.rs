//! Proofs that can be played against, checked once and kept at hand.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use gridproof_certificate::{CheckedProof, Proof, Refusal};
use gridproof_game::Colour;
use gridproof_grid::coordinator::{Coordinator, NodeStatus};
use gridproof_grid::file_name;

use crate::address::Place;
use crate::error::PageError;
use crate::look::{self, Selection};
use crate::{show, texts};

/// Where proofs come from: a grid's store, or one file.
#[derive(Clone, Debug)]
pub struct ProofShelf(Arc<Source>);

#[derive(Debug)]
enum Source {
    Grid {
        coordinator: Coordinator,
        /// Those that were asked for last.
        cache: Mutex<VecDeque<(String, Arc<ShownProof>)>>,
    },
    File(Arc<ShownProof>),
}

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
        Self(Arc::new(Source::Grid {
            coordinator,
            cache: Mutex::default(),
        }))
    }

    /// One proof, found under the name `file`.
    pub fn of_file(title: &str, proof: Proof) -> Result<Self, Box<Refusal>> {
        let shown = ShownProof {
            title: title.to_owned(),
            place: None,
            proof: CheckedProof::new(proof)?,
        };
        Ok(Self(Arc::new(Source::File(Arc::new(shown)))))
    }

    /// Whether there is a grid around the proofs.
    #[must_use]
    pub fn has_grid(&self) -> bool {
        matches!(&*self.0, Source::Grid { .. })
    }

    /// A proof by its name in an address.
    pub async fn get(&self, name: &str) -> Result<Arc<ShownProof>, PageError> {
        let nothing = || PageError::NotThere(format!("there is no proof \"{name}\" here"));
        match &*self.0 {
            Source::File(shown) if name == "file" => Ok(Arc::clone(shown)),
            Source::File(_) => Err(nothing()),
            Source::Grid { coordinator, cache } => {
                let place = Place::of_proof(name).ok_or_else(nothing)?;
                let kept = || cache.lock().unwrap_or_else(PoisonError::into_inner);
                let known = kept().iter().find(|(known, _)| known == name).cloned();
                if let Some((_, shown)) = known {
                    return Ok(shown);
                }
                let shown = Arc::new(load(coordinator, place).await?);
                let mut kept = kept();
                kept.truncate(KEPT - 1);
                kept.push_front((name.to_owned(), Arc::clone(&shown)));
                Ok(shown)
            }
        }
    }
}

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
    let checked = tokio::task::spawn_blocking(move || {
        let proof = proofs
            .assemble(node, &position, attacker)
            .map_err(|error| PageError::NotThere(error.to_string()))?;
        CheckedProof::new(proof).map_err(|refusal| PageError::Bad(refusal.to_string()))
    });
    let checked = checked
        .await
        .map_err(|_| PageError::Bad(texts::error::PANICKED.to_owned()))?;
    Ok(ShownProof {
        title,
        place: Some(place),
        proof: checked?,
    })
}
