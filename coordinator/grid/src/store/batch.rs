use gridproof_certificate::ContentHash;

use super::record::Record;

/// What is written at once: all of it or nothing.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub records: Vec<Record>,
    /// Proof files by the hash of their content. One that is known already may be left out.
    pub certificates: Vec<(ContentHash, Vec<u8>)>,
}

impl Batch {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.certificates.is_empty()
    }

    pub fn append(&mut self, mut later: Self) {
        self.records.append(&mut later.records);
        self.certificates.append(&mut later.certificates);
    }
}
