//! Goes through a store as if nobody had ever checked anything in it.

use std::collections::BTreeSet;

use gridproof_certificate::{CheckLimits, check_file};

use super::disk::missing;
use super::{Record, Store, StoreError};
use gridproof_search::{Core, Fact, Options};

/// A store that is in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub records: u64,
    pub facts: u64,
    /// Each was checked again.
    pub certificates: u64,
    /// Certificates that no record rests on: a compaction removes them.
    pub unused: u64,
}

/// Reads every record, replays the search and checks every certificate.
pub fn verify(store: &dyn Store) -> Result<Verified, StoreError> {
    let mut found = Verified::default();
    let mut used = BTreeSet::new();
    let mut facts: Vec<Fact> = Vec::new();
    for record in store.records() {
        let record = record?;
        found.records += 1;
        for hash in record.certificates() {
            if used.insert(hash) && !store.has_certificate(hash)? {
                return Err(missing(hash));
            }
        }
        if let Record::Fact(fact) = record {
            found.facts += 1;
            facts.push(fact);
        }
    }
    Core::replay(Options::default(), facts)
        .map_err(|error| StoreError::Damaged(error.to_string()))?;
    for hash in store.certificates() {
        let hash = hash?;
        let bytes = store.certificate(hash)?.ok_or_else(|| missing(hash))?;
        let checked = check_file(&bytes[..], CheckLimits::default())
            .map_err(|refusal| StoreError::Damaged(format!("certificate {hash}: {refusal}")))?;
        if checked.hash != hash {
            let words = format!("certificate {hash} has the hash {}", checked.hash);
            return Err(StoreError::Damaged(words));
        }
        found.certificates += 1;
        found.unused += u64::from(!used.contains(&hash));
    }
    Ok(found)
}
