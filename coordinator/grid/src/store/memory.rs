use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gridproof_certificate::ContentHash;

use super::{Batch, Hashes, Record, Records, Store, StoreError};

/// A store that forgets everything when it goes: for simulations and tests.
#[derive(Debug, Default)]
pub struct MemoryStore {
    // A std Mutex: nobody waits while holding it.
    content: Mutex<Content>,
}

#[derive(Debug, Default)]
struct Content {
    /// Encoded, so that what reads back here reads back from disk.
    records: Vec<Vec<u8>>,
    certificates: BTreeMap<ContentHash, Vec<u8>>,
}

impl MemoryStore {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        // A batch goes in after it has been encoded, so a panic leaves no half of one.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let records: Vec<_> = batch.records.iter().map(Record::encode).collect();
        let mut content = self.content();
        content.records.extend(records);
        content
            .certificates
            .extend(batch.certificates.iter().cloned());
        Ok(())
    }

    fn records(&self) -> Records<'_> {
        let records = self.content().records.clone();
        Box::new(records.into_iter().map(|bytes| Ok(Record::decode(&bytes)?)))
    }

    fn certificate(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.content().certificates.get(&hash).cloned())
    }

    fn certificates(&self) -> Hashes<'_> {
        let hashes: Vec<_> = self.content().certificates.keys().copied().collect();
        Box::new(hashes.into_iter().map(Ok))
    }

    fn has_certificate(&self, hash: ContentHash) -> Result<bool, StoreError> {
        Ok(self.content().certificates.contains_key(&hash))
    }
}
