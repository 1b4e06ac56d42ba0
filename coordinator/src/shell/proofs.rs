//! Where the proofs of nodes are, and how to get at them.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use gridproof_certificate::{BuildError, ContentHash, FormatError, Proof, read_proof};
use gridproof_game::{Colour, Move, Position};
use gridproof_solver::{Solver, Zone};
use rustc_hash::FxHashMap;

use super::assembly::Assembly;
use super::zones::{ZoneName, Zones};
use crate::core::{NodeId, WorkerId};
use crate::metrics;
use crate::store::{Note, ProofSource, Store, StoreError};

/// The proofs of all proved nodes. The task that owns the core writes here; other threads
/// read while they put proofs together.
#[derive(Debug)]
pub struct Proofs {
    store: Arc<dyn Store>,
    // Held for moments only, and never while a certificate is read.
    index: RwLock<Index>,
    zones: Zones,
}

#[derive(Debug, Default)]
struct Index {
    sources: FxHashMap<NodeId, ProofSource>,
    answers: FxHashMap<NodeId, Vec<KnownAnswer>>,
    /// Certificates that are on their way to the store, where nobody finds them yet.
    under_way: FxHashMap<ContentHash, Arc<[u8]>>,
    /// How often a node lost its proof or got another.
    age: u64,
}

/// A reply at a node with its certificate, in the node's orientation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownAnswer {
    pub(super) mv: Move,
    pub(super) by: WorkerId,
    pub(super) certificate: ContentHash,
}

/// Why a proof cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    #[error("{0} is not proved")]
    NotProved(NodeId),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("certificate {0} is missing: the store is damaged")]
    Missing(ContentHash),
    #[error("certificate {0} cannot be read: {1}")]
    Unreadable(ContentHash, FormatError),
    #[error("the proof of {0} leads to a move that cannot be played: the store is damaged")]
    IllegalMove(NodeId),
    #[error("the proofs do not fit together: {0}")]
    Build(#[from] BuildError),
}

impl Proofs {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            index: RwLock::default(),
            zones: Zones::default(),
        }
    }

    /// Keeps certificates at hand until they are stored: what is noted may rest on them, and
    /// those who put proofs together do not wait for the disk.
    pub(super) fn hold(&self, certificates: &[(ContentHash, Vec<u8>)]) {
        // Most events bring none, and readers need not wait for them.
        if certificates.is_empty() {
            return;
        }
        let mut index = self.write();
        for (hash, bytes) in certificates {
            index.under_way.insert(*hash, bytes.as_slice().into());
        }
    }

    /// Lets go of certificates that are stored now.
    pub(super) fn release(&self, stored: &[ContentHash]) {
        if stored.is_empty() {
            return;
        }
        let mut index = self.write();
        for hash in stored {
            index.under_way.remove(hash);
        }
    }

    /// Takes in what was, or is about to be, written down.
    pub(super) fn note(&self, note: &Note) {
        let mut index = self.write();
        match note {
            Note::Proof { node, source } => {
                if index.sources.insert(*node, source.clone()).is_some() {
                    index.age += 1;
                }
                // Nobody will search this node again.
                index.answers.remove(node);
            }
            Note::Unproved { nodes } => {
                for node in nodes {
                    index.sources.remove(node);
                }
                index.age += 1;
            }
            Note::Answer {
                node,
                by,
                mv,
                certificate,
            } => {
                let answers = index.answers.entry(*node).or_default();
                if answers.iter().all(|known| known.mv != *mv) {
                    answers.push(KnownAnswer {
                        mv: mv.clone(),
                        by: *by,
                        certificate: *certificate,
                    });
                }
            }
            Note::Worker { .. } | Note::Game { .. } => {}
        }
    }

    /// Forgets the answers of a worker that nobody trusts any more.
    pub(super) fn withdraw(&self, worker: WorkerId) {
        for answers in self.write().answers.values_mut() {
            answers.retain(|answer| answer.by != worker);
        }
    }

    pub(super) fn answers(&self, node: NodeId) -> Vec<KnownAnswer> {
        self.read().answers.get(&node).cloned().unwrap_or_default()
    }

    pub(super) fn source(&self, node: NodeId) -> Option<ProofSource> {
        self.read().sources.get(&node).cloned()
    }

    /// Grows whenever a node's proof is no longer what it was.
    pub(super) fn age(&self) -> u64 {
        self.read().age
    }

    /// The zone of a proof, which is read only if nobody remembers the zone.
    pub(super) fn zone(
        &self,
        name: ZoneName,
        solver: &Solver,
        proof: impl FnOnce() -> Result<Proof, ProofError>,
    ) -> Result<Arc<Zone>, ProofError> {
        self.zones.get_or_make(name, || Ok(solver.zone(&proof()?)))
    }

    /// How many nodes are proved.
    #[must_use]
    pub fn len(&self) -> usize {
        self.read().sources.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of a certificate that is stored, or about to be.
    pub fn certificate(&self, hash: ContentHash) -> Result<Vec<u8>, ProofError> {
        let under_way = self.read().under_way.get(&hash).cloned();
        if let Some(bytes) = under_way {
            return Ok(bytes.to_vec());
        }
        let bytes = self.store.certificate(hash)?;
        bytes.ok_or(ProofError::Missing(hash))
    }

    pub(super) fn load(&self, hash: ContentHash) -> Result<Proof, ProofError> {
        let started = Instant::now();
        let bytes = self.certificate(hash)?;
        let (proof, _) =
            read_proof(&bytes[..]).map_err(|error| ProofError::Unreadable(hash, error))?;
        metrics::read_took(started.elapsed());
        Ok(proof)
    }

    /// Puts together the proof of a node at a position of its, however that is turned.
    /// Reads certificates: not for the task that owns the core.
    pub fn assemble(
        &self,
        node: NodeId,
        at: &Position,
        attacker: Colour,
    ) -> Result<Proof, ProofError> {
        Assembly::new(self, at, attacker).finish(node, at)
    }

    /// The same from a source that is not noted yet.
    pub(super) fn join(
        &self,
        node: NodeId,
        source: &ProofSource,
        at: &Position,
        attacker: Colour,
    ) -> Result<Proof, ProofError> {
        Assembly::new(self, at, attacker).finish_from(node, source, at)
    }

    fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Index> {
        // Each change is one insertion or removal: a panic leaves no half of one.
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Batch, MemoryStore};

    #[test]
    fn a_certificate_can_be_had_before_and_after_it_is_stored() {
        let store = Arc::new(MemoryStore::new());
        let proofs = Proofs::new(Arc::clone(&store) as _);
        let (hash, bytes) = (ContentHash([7; 32]), vec![1, 2, 3]);
        assert!(matches!(
            proofs.certificate(hash),
            Err(ProofError::Missing(missing)) if missing == hash
        ));
        let certificates = vec![(hash, bytes.clone())];
        proofs.hold(&certificates);
        assert_eq!(proofs.certificate(hash).unwrap(), bytes);
        store
            .commit(&Batch {
                certificates,
                ..Batch::default()
            })
            .unwrap();
        proofs.release(&[hash]);
        assert_eq!(proofs.certificate(hash).unwrap(), bytes);
    }

    #[test]
    fn proofs_grow_older_when_one_is_lost_or_changes() {
        let proofs = Proofs::new(Arc::new(MemoryStore::new()) as _);
        let node = NodeId(3);
        let proof = |hash| Note::Proof {
            node,
            source: ProofSource::Certificate(ContentHash([hash; 32])),
        };
        proofs.note(&proof(1));
        assert_eq!(proofs.age(), 0);
        proofs.note(&proof(2));
        assert_eq!(proofs.age(), 1);
        proofs.note(&Note::Unproved { nodes: vec![node] });
        assert_eq!(proofs.age(), 2);
    }
}
