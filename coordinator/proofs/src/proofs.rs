//! Where the proofs of nodes are, and how to get at them.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use gridproof_certificate::{BuildError, ContentHash, FormatError, Proof, read_proof};
use gridproof_game::{Colour, Position};
use gridproof_search::{JobId, NodeId, WorkerId};
use gridproof_solver::Zone;
use rustc_hash::FxHashMap;

use crate::answers::{Answers, KnownAnswer};
use crate::assembly::Assembly;
use crate::source::ProofSource;
use crate::telling::Telling;
use crate::zones::{ZoneName, Zones};

/// Where certificates are kept.
pub trait Certificates: Send + Sync + fmt::Debug {
    /// The file of a certificate. It was checked when it came in.
    fn bytes(&self, hash: ContentHash) -> Result<Vec<u8>, ProofError>;

    /// The same, read.
    fn load(&self, hash: ContentHash) -> Result<Arc<Proof>, ProofError> {
        let bytes = self.bytes(hash)?;
        let read = read_proof(&bytes[..]);
        let (proof, _) = read.map_err(|error| ProofError::Unreadable(hash, error))?;
        Ok(Arc::new(proof))
    }
}

/// The sources of the proofs of all proved nodes. The owner of the core writes here; other
/// threads read while they put proofs together.
#[derive(Debug)]
pub struct Proofs {
    certificates: Arc<dyn Certificates>,
    // Held for moments only, and never while a certificate is read.
    index: RwLock<Index>,
    zones: Zones,
}

#[derive(Debug, Default)]
struct Index {
    sources: FxHashMap<NodeId, ProofSource>,
    answers: Answers,
    /// How often a node lost its proof or got another.
    age: u64,
}

/// Why a proof cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    #[error("{0} is not proved")]
    NotProved(NodeId),
    #[error(transparent)]
    Store(Box<dyn Error + Send + Sync>),
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
    #[must_use]
    pub fn new(certificates: Arc<dyn Certificates>) -> Self {
        Self {
            certificates,
            index: RwLock::default(),
            zones: Zones::default(),
        }
    }

    /// A node is proved: its proof can be put together from here.
    pub fn proved(&self, node: NodeId, source: ProofSource) {
        let mut index = self.write();
        if index.sources.insert(node, source).is_some() {
            index.age += 1;
        }
        // Nobody will search this node again.
        index.answers.forget(node);
    }

    /// These are no longer proved.
    pub fn unproved(&self, nodes: &[NodeId]) {
        let mut index = self.write();
        for node in nodes {
            index.sources.remove(node);
        }
        index.age += 1;
    }

    /// A reply at a node is answered by a certificate.
    pub fn answered(&self, node: NodeId, answer: KnownAnswer) {
        self.write().answers.add(node, answer);
    }

    /// Forgets the answers of a worker that nobody trusts any more.
    pub fn withdraw(&self, worker: WorkerId) {
        self.write().answers.withdraw(worker);
    }

    /// The replies at a node that certificates answer.
    #[must_use]
    pub fn answers(&self, node: NodeId) -> Vec<KnownAnswer> {
        self.read().answers.at(node).to_vec()
    }

    /// Those of them that a job knows.
    #[must_use]
    pub fn answers_known_to(&self, job: JobId) -> Vec<KnownAnswer> {
        self.read().answers.known_to(job).cloned().collect()
    }

    pub(crate) fn source(&self, node: NodeId) -> Option<ProofSource> {
        self.read().sources.get(&node).cloned()
    }

    /// Grows whenever a node's proof is no longer what it was.
    pub(crate) fn age(&self) -> u64 {
        self.read().age
    }

    /// The zone of a proof, which is worked out only if nobody remembers it.
    pub(crate) fn zone(
        &self,
        name: ZoneName,
        make: impl FnOnce() -> Result<Zone, ProofError>,
    ) -> Result<Arc<Zone>, ProofError> {
        self.zones.get_or_make(name, make)
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

    pub(crate) fn bytes(&self, hash: ContentHash) -> Result<Vec<u8>, ProofError> {
        self.certificates.bytes(hash)
    }

    pub(crate) fn load(&self, hash: ContentHash) -> Result<Arc<Proof>, ProofError> {
        self.certificates.load(hash)
    }

    /// Puts together the proof of a node at a position of its, however that is turned.
    /// Reads certificates, so it takes its time.
    pub fn assemble(
        &self,
        node: NodeId,
        at: &Position,
        attacker: Colour,
    ) -> Result<Proof, ProofError> {
        Assembly::new(self, at, attacker).finish(node, at)
    }

    /// The same, to be told event by event.
    pub fn telling(
        &self,
        node: NodeId,
        at: &Position,
        attacker: Colour,
    ) -> Result<Telling<'_>, ProofError> {
        Telling::of_node(self, node, at, attacker)
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

    #[derive(Debug)]
    struct NoCertificates;

    impl Certificates for NoCertificates {
        fn bytes(&self, hash: ContentHash) -> Result<Vec<u8>, ProofError> {
            Err(ProofError::Missing(hash))
        }
    }

    #[test]
    fn proofs_grow_older_when_one_is_lost_or_changes() {
        let proofs = Proofs::new(Arc::new(NoCertificates));
        let node = NodeId(3);
        let source = |hash| ProofSource::Certificate(ContentHash([hash; 32]));
        proofs.proved(node, source(1));
        assert_eq!(proofs.age(), 0);
        proofs.proved(node, source(2));
        assert_eq!(proofs.age(), 1);
        proofs.unproved(&[node]);
        assert_eq!(proofs.age(), 2);
    }
}
