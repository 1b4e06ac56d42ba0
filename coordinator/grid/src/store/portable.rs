//! A store as one file that any later version, over any database, can read back.
//!
//! The magic line, then one zstd frame of entries: a byte that tells the kind, the length in
//! four bytes, least first, and the content. Last comes the hash of all entries before it.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Read, Write};

use gridproof_certificate::ContentHash;

use super::fill::missing;
use super::{Batch, Record, Store, StoreError};

const MAGIC: &[u8] = b"gridproof store export, version 1\n";
const LEVEL: i32 = 3;
/// No certificate, with its hash, is larger: a worker's message has no more.
const LARGEST_CERTIFICATE: usize = 64 << 20;
/// Nor any record, which takes many times as much memory once it is read.
const LARGEST_RECORD: usize = 8 << 20;

mod kind {
    pub(super) const RECORD: u8 = b'r';
    pub(super) const CERTIFICATE: u8 = b'c';
    pub(super) const END: u8 = b'e';
}

/// Bytes of the largest entry of a kind.
const fn largest(kind: u8) -> usize {
    match kind {
        kind::CERTIFICATE => LARGEST_CERTIFICATE,
        kind::RECORD => LARGEST_RECORD,
        _ => 32,
    }
}

/// What went out or came in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    pub records: u64,
    pub certificates: u64,
}

/// Writes all records that a store holds at this moment, and the certificates that they rest on.
/// The store may be written meanwhile.
pub fn export(store: &dyn Store, out: impl Write) -> Result<Exported, StoreError> {
    let mut counts = Exported::default();
    let mut out = EntryWriter::new(out).map_err(written)?;
    let mut known = BTreeSet::new();
    for record in store.records() {
        let record = record?;
        for hash in record.certificates() {
            if known.insert(hash) {
                let bytes = store.certificate(hash)?.ok_or_else(|| missing(hash))?;
                out.entry(kind::CERTIFICATE, &[&hash.0, &bytes])
                    .map_err(written)?;
                counts.certificates += 1;
            }
        }
        out.entry(kind::RECORD, &[&record.encode()])
            .map_err(written)?;
        counts.records += 1;
    }
    out.finish().map_err(written)?;
    Ok(counts)
}

/// Fills a store that is empty. On an error it may hold a part: throw it away.
pub fn import(store: &dyn Store, file: impl BufRead) -> Result<Exported, StoreError> {
    const AT_ONCE: usize = 1000;
    const BYTES_AT_ONCE: usize = 16 << 20;
    let mut bytes = 0;
    let mut counts = Exported::default();
    let mut entries = EntryReader::new(file)?;
    let mut batch = Batch::default();
    while let Some((kind, mut content)) = entries.next()? {
        bytes += content.len();
        if kind == kind::RECORD {
            batch.records.push(Record::decode(&content)?);
            counts.records += 1;
        } else {
            let hash = *content
                .first_chunk()
                .ok_or_else(|| damaged("a certificate without a hash"))?;
            content.drain(..hash.len());
            batch.certificates.push((ContentHash(hash), content));
            counts.certificates += 1;
        }
        if batch.records.len() >= AT_ONCE || bytes >= BYTES_AT_ONCE {
            bytes = 0;
            store.commit(&std::mem::take(&mut batch))?;
        }
    }
    store.commit(&batch)?;
    Ok(counts)
}

fn written(source: io::Error) -> StoreError {
    StoreError::io("write", "the export")(source)
}

fn too_large(kind: u8, length: usize) -> String {
    let most = largest(kind);
    let kind = char::from(kind);
    format!("an entry of kind {kind} has {length} bytes, and none has more than {most}")
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(format!("the export: {what}"))
}

struct EntryWriter<W: Write> {
    frame: zstd::Encoder<'static, W>,
    hasher: blake3::Hasher,
}

impl<W: Write> EntryWriter<W> {
    fn new(mut out: W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self {
            frame: zstd::Encoder::new(out, LEVEL)?,
            hasher: blake3::Hasher::new(),
        })
    }

    fn entry(&mut self, kind: u8, parts: &[&[u8]]) -> io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if length > largest(kind) {
            return Err(io::Error::other(too_large(kind, length)));
        }
        let head = [&[kind][..], &(length as u32).to_le_bytes()].concat();
        for part in std::iter::once(&head[..]).chain(parts.iter().copied()) {
            self.hasher.update(part);
            self.frame.write_all(part)?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        let hash = self.hasher.finalize();
        self.entry(kind::END, &[hash.as_bytes()])?;
        self.frame.finish()?.flush()
    }
}

struct EntryReader<R: BufRead> {
    frame: zstd::Decoder<'static, R>,
    hasher: blake3::Hasher,
}

impl<R: BufRead> EntryReader<R> {
    fn new(mut file: R) -> Result<Self, StoreError> {
        let mut magic = [0; MAGIC.len()];
        let read = file.read_exact(&mut magic);
        if read.is_err() || magic != MAGIC {
            return Err(damaged("it does not begin like one"));
        }
        let frame =
            zstd::Decoder::with_buffer(file).map_err(|error| damaged(&error.to_string()))?;
        Ok(Self {
            frame,
            hasher: blake3::Hasher::new(),
        })
    }

    /// `None` at the end, whose hash fits.
    fn next(&mut self) -> Result<Option<(u8, Vec<u8>)>, StoreError> {
        let so_far = self.hasher.finalize();
        let mut head = [0; 5];
        self.read(&mut head)?;
        let [kind, a, b, c, d] = head;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        if !matches!(kind, kind::RECORD | kind::CERTIFICATE | kind::END) {
            return Err(damaged(&format!("an entry of kind {kind}")));
        }
        if length > largest(kind) {
            return Err(damaged(&too_large(kind, length)));
        }
        let mut content = Vec::new();
        let mut part = (&mut self.frame).take(length as u64);
        let read = part.read_to_end(&mut content);
        read.map_err(|error| damaged(&error.to_string()))?;
        if content.len() != length {
            return Err(damaged("it was cut off"));
        }
        self.hasher.update(&content);
        if kind != kind::END {
            return Ok(Some((kind, content)));
        }
        if content == so_far.as_bytes() {
            Ok(None)
        } else {
            Err(damaged("its content does not fit its hash"))
        }
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), StoreError> {
        let read = self.frame.read_exact(bytes);
        read.map_err(|_| damaged("it was cut off"))?;
        self.hasher.update(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryStore;
    use super::super::record::Note;
    use super::*;
    use gridproof_game::Move;
    use gridproof_search::{NodeId, WorkerId};

    fn store() -> MemoryStore {
        let store = MemoryStore::new();
        let note = Note::Answer {
            node: NodeId(1),
            by: WorkerId(1),
            mv: Move::null(2),
            certificate: ContentHash([1; 32]),
        };
        let batch = Batch {
            records: vec![Record::Note(note)],
            certificates: vec![(ContentHash([1; 32]), vec![1, 2, 3])],
        };
        store.commit(&batch).unwrap();
        store
    }

    #[test]
    fn a_store_comes_back_from_its_export() {
        let mut file = Vec::new();
        let out = export(&store(), &mut file).unwrap();
        let copy = MemoryStore::new();
        assert_eq!(import(&copy, &file[..]).unwrap(), out);
        assert_eq!(copy.records().count(), 1);
        assert_eq!(
            copy.certificate(ContentHash([1; 32])).unwrap(),
            Some(vec![1, 2, 3])
        );
    }

    #[test]
    fn an_export_that_is_cut_off_or_changed_is_refused() {
        let mut file = Vec::new();
        export(&store(), &mut file).unwrap();
        for length in 0..file.len() {
            assert!(
                import(&MemoryStore::new(), &file[..length]).is_err(),
                "{length}"
            );
        }
        let whole = contents(&store());
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 0x10;
            let copy = MemoryStore::new();
            // The frame's own header has bits that mean nothing to its reader: then all of the
            // content must be there as it was.
            if import(&copy, &changed[..]).is_ok() {
                assert_eq!(contents(&copy), whole, "{at}");
                assert!(at < MAGIC.len() + FRAME_HEADER, "{at}");
            }
        }
    }

    /// A zstd frame begins with its magic, a descriptor, and up to 13 bytes of sizes.
    const FRAME_HEADER: usize = 4 + 1 + 13;

    fn contents(store: &MemoryStore) -> (Vec<Record>, Vec<(ContentHash, Vec<u8>)>) {
        let records = store.records().collect::<Result<_, _>>().unwrap();
        let hashes = store.certificates().map(Result::unwrap);
        let certificates = hashes.map(|hash| {
            let bytes = store.certificate(hash).unwrap().unwrap();
            (hash, bytes)
        });
        (records, certificates.collect())
    }

    #[test]
    fn an_export_with_other_content_than_its_hash_says_is_refused() {
        let mut file = Vec::new();
        export(&store(), &mut file).unwrap();
        let mut content = zstd::decode_all(&file[MAGIC.len()..]).unwrap();
        let end = content.len() - 32 - 5;
        for at in 0..end {
            content[at] ^= 1;
            let mut changed = MAGIC.to_vec();
            changed.extend(zstd::encode_all(&content[..], LEVEL).unwrap());
            content[at] ^= 1;
            assert!(import(&MemoryStore::new(), &changed[..]).is_err(), "{at}");
        }
    }

    #[test]
    fn an_entry_that_claims_more_than_any_has_is_refused_before_it_is_read() {
        for (kind, most) in [
            (kind::RECORD, LARGEST_RECORD),
            (kind::CERTIFICATE, LARGEST_CERTIFICATE),
            (kind::END, 32),
        ] {
            let claim = |length: usize| {
                let mut content = vec![kind];
                content.extend((length as u32).to_le_bytes());
                let mut file = MAGIC.to_vec();
                file.extend(zstd::encode_all(&content[..], LEVEL).unwrap());
                import(&MemoryStore::new(), &file[..])
                    .unwrap_err()
                    .to_string()
            };
            let refused = claim(most + 1);
            assert!(refused.contains("none has more than"), "{refused}");
            assert!(claim(most).contains("cut off"));
        }
    }
}
