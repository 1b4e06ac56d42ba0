//! One group of writes as it stands in the log.
//!
//! ```text
//! magic 8, sequence 8, first record 8, records 4, certificates 4, length 8,
//! hash of the frame before 32, hash of this frame 32, checksum of all that 8,
//! then the entries: kind 1, length 4, content
//! ```
//! Numbers have their least byte first. Each frame names the one before it by its hash, so that
//! none can be lost, doubled or moved unnoticed. The header has a checksum of its own: where
//! the entries have rotted, it still tells how many there were and where the next frame begins.

use gridproof_certificate::ContentHash;

use super::super::{Batch, Record, RecordError};

pub(crate) const MAGIC: [u8; 8] = *b"\xc6gpwal1\n";
pub(crate) const HEADER: usize = 112;

/// A frame's hash, which covers those of all frames before it.
pub(crate) type Chain = [u8; 32];
pub(crate) const START: Chain = [0; 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Frames before this one.
    pub(crate) sequence: u64,
    /// Records before this frame.
    pub(crate) first: u64,
    pub(crate) records: u32,
    pub(crate) certificates: u32,
    /// Bytes of its entries.
    pub(crate) length: u64,
    pub(crate) before: Chain,
    pub(crate) hash: Chain,
}

impl Header {
    /// Records before the next frame.
    pub(crate) fn end(&self) -> u64 {
        self.first + u64::from(self.records)
    }

    /// Bytes of the whole frame.
    pub(crate) fn size(&self) -> u64 {
        HEADER as u64 + self.length
    }

    fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let parts: [&[u8]; 8] = [
            &MAGIC,
            &self.sequence.to_le_bytes(),
            &self.first.to_le_bytes(),
            &self.records.to_le_bytes(),
            &self.certificates.to_le_bytes(),
            &self.length.to_le_bytes(),
            &self.before,
            &self.hash,
        ];
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        let check = checksum(&bytes[..at]);
        bytes[at..].copy_from_slice(&check);
        bytes
    }

    /// None if these are not the bytes of a header.
    pub(crate) fn decode(bytes: &[u8; HEADER]) -> Option<Self> {
        let (content, check) = bytes.split_at(HEADER - 8);
        if !content.starts_with(&MAGIC) || checksum(content) != check {
            return None;
        }
        let mut rest = &content[MAGIC.len()..];
        let header = Self {
            sequence: u64::from_le_bytes(take(&mut rest)?),
            first: u64::from_le_bytes(take(&mut rest)?),
            records: u32::from_le_bytes(take(&mut rest)?),
            certificates: u32::from_le_bytes(take(&mut rest)?),
            length: u64::from_le_bytes(take(&mut rest)?),
            before: take(&mut rest)?,
            hash: take(&mut rest)?,
        };
        // So that sums of what a forged header says do not overflow.
        let is_small = |number: u64| number < 1 << 48;
        let all = [header.sequence, header.first, header.length];
        all.into_iter().all(is_small).then_some(header)
    }

    fn hash_of(&self, entries: &[u8]) -> Chain {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.sequence.to_le_bytes());
        hasher.update(&self.first.to_le_bytes());
        hasher.update(&self.records.to_le_bytes());
        hasher.update(&self.certificates.to_le_bytes());
        hasher.update(&self.before);
        hasher.update(entries);
        *hasher.finalize().as_bytes()
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}

pub(crate) fn checksum(bytes: &[u8]) -> [u8; 8] {
    let hash = blake3::hash(bytes);
    *hash.as_bytes().first_chunk().expect("a hash is longer")
}

/// A frame whose hash fits.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) header: Header,
    entries: Vec<u8>,
}

mod kind {
    pub(super) const RECORD: u8 = b'r';
    pub(super) const CERTIFICATE: u8 = b'c';
}

impl Frame {
    pub(crate) fn new(sequence: u64, first: u64, before: Chain, batch: &Batch) -> Self {
        let mut entries = Vec::new();
        for (hash, bytes) in &batch.certificates {
            put(&mut entries, kind::CERTIFICATE, &[&hash.0, bytes]);
        }
        for record in &batch.records {
            put(&mut entries, kind::RECORD, &[&record.encode()]);
        }
        let count = |length: usize| u32::try_from(length).expect("a batch has few entries");
        let mut header = Header {
            sequence,
            first,
            records: count(batch.records.len()),
            certificates: count(batch.certificates.len()),
            length: entries.len() as u64,
            before,
            hash: START,
        };
        header.hash = header.hash_of(&entries);
        Self { header, entries }
    }

    /// None if the entries are not those that the header was made for.
    pub(crate) fn of_parts(header: Header, entries: Vec<u8>) -> Option<Self> {
        let fits = header.length == entries.len() as u64 && header.hash_of(&entries) == header.hash;
        fits.then_some(Self { header, entries })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = self.header.encode().to_vec();
        bytes.extend_from_slice(&self.entries);
        bytes
    }

    pub(crate) fn batch(&self) -> Result<Batch, RecordError> {
        let mut batch = Batch::default();
        let mut rest = &self.entries[..];
        while !rest.is_empty() {
            let (kind, content) = get(&mut rest).ok_or_else(damaged)?;
            match kind {
                kind::RECORD => batch.records.push(Record::decode(content)?),
                kind::CERTIFICATE => {
                    let (hash, bytes) = content.split_first_chunk().ok_or_else(damaged)?;
                    batch
                        .certificates
                        .push((ContentHash(*hash), bytes.to_vec()));
                }
                other => return Err(RecordError::Kind(other)),
            }
        }
        Ok(batch)
    }
}

fn damaged() -> RecordError {
    RecordError::Damaged("its frame makes no sense".to_owned())
}

fn put(out: &mut Vec<u8>, kind: u8, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).expect("no entry is larger than a message");
    out.push(kind);
    out.extend_from_slice(&length.to_le_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

fn get<'a>(rest: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let [kind] = take(rest)?;
    let length = u32::from_le_bytes(take(rest)?) as usize;
    let (content, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some((kind, content))
}
