//! From one store into another.

use std::collections::BTreeSet;

use gridproof_certificate::ContentHash;

use super::{Batch, Records, Store, StoreError};

/// Bytes of certificates, or records, that are written at once.
const BYTES: usize = 16 << 20;
const RECORDS: usize = 1000;

/// Copies records, and the certificates that they rest on.
pub(super) fn fill(
    records: Records<'_>,
    find: impl Fn(ContentHash) -> Result<Option<Vec<u8>>, StoreError>,
    to: &dyn Store,
) -> Result<(), StoreError> {
    let mut known = BTreeSet::new();
    let mut batch = Batch::default();
    let mut bytes = 0;
    for record in records {
        let record = record?;
        for hash in record.certificates() {
            if known.insert(hash) {
                let found = find(hash)?.ok_or_else(|| missing(hash))?;
                bytes += found.len();
                batch.certificates.push((hash, found));
            }
        }
        batch.records.push(record);
        if batch.records.len() >= RECORDS || bytes >= BYTES {
            to.commit(&std::mem::take(&mut batch))?;
            bytes = 0;
        }
    }
    to.commit(&batch)
}

pub(super) fn missing(hash: ContentHash) -> StoreError {
    StoreError::Damaged(format!("certificate {hash} is missing"))
}
