//! Certificates in the store, and those on their way there.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use gridproof_certificate::{ContentHash, Proof, read_proof};
use gridproof_proofs::{Certificates, ProofError};
use rustc_hash::FxHashMap;

use crate::metrics;
use crate::store::Store;

/// Where proofs find their certificates.
#[derive(Debug)]
pub struct StoredCertificates {
    store: Arc<dyn Store>,
    /// On their way to the store, where nobody finds them yet.
    pending: RwLock<FxHashMap<ContentHash, Arc<[u8]>>>,
}

impl StoredCertificates {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            pending: RwLock::default(),
        }
    }

    /// Keeps certificates at hand until they are stored: proofs may rest on them already, and
    /// those who put proofs together do not wait for the disk.
    pub(super) fn hold(&self, certificates: &[(ContentHash, Vec<u8>)]) {
        // Most events bring none, and readers need not wait for them.
        if certificates.is_empty() {
            return;
        }
        let mut pending = self.pending.write().unwrap_or_else(PoisonError::into_inner);
        for (hash, bytes) in certificates {
            pending.insert(*hash, bytes.as_slice().into());
        }
    }

    /// Lets go of certificates that are stored now.
    pub(super) fn release(&self, stored: &[ContentHash]) {
        if stored.is_empty() {
            return;
        }
        let mut pending = self.pending.write().unwrap_or_else(PoisonError::into_inner);
        for hash in stored {
            pending.remove(hash);
        }
    }

    /// The store itself, to be read while it is written.
    pub(crate) const fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The bytes of a certificate that is stored, or about to be.
    pub fn bytes(&self, hash: ContentHash) -> Result<Vec<u8>, ProofError> {
        let pending = self.pending.read().unwrap_or_else(PoisonError::into_inner);
        let held = pending.get(&hash).cloned();
        drop(pending);
        if let Some(bytes) = held {
            return Ok(bytes.to_vec());
        }
        let bytes = self.store.certificate(hash);
        let bytes = bytes.map_err(|error| ProofError::Store(error.into()))?;
        bytes.ok_or(ProofError::Missing(hash))
    }
}

impl Certificates for StoredCertificates {
    fn bytes(&self, hash: ContentHash) -> Result<Vec<u8>, ProofError> {
        self.bytes(hash)
    }

    fn load(&self, hash: ContentHash) -> Result<Arc<Proof>, ProofError> {
        let started = Instant::now();
        let bytes = self.bytes(hash)?;
        let (proof, _) =
            read_proof(&bytes[..]).map_err(|error| ProofError::Unreadable(hash, error))?;
        metrics::read_took(started.elapsed());
        Ok(Arc::new(proof))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Batch, MemoryStore};

    #[test]
    fn a_certificate_can_be_had_before_and_after_it_is_stored() {
        let store = Arc::new(MemoryStore::new());
        let stored = StoredCertificates::new(Arc::clone(&store) as _);
        let (hash, bytes) = (ContentHash([7; 32]), vec![1, 2, 3]);
        assert!(matches!(
            stored.bytes(hash),
            Err(ProofError::Missing(missing)) if missing == hash
        ));
        let certificates = vec![(hash, bytes.clone())];
        stored.hold(&certificates);
        assert_eq!(stored.bytes(hash).unwrap(), bytes);
        store
            .commit(&Batch {
                certificates,
                ..Batch::default()
            })
            .unwrap();
        stored.release(&[hash]);
        assert_eq!(stored.bytes(hash).unwrap(), bytes);
    }
}
