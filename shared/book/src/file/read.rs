use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use gridproof_certificate::ContentHash;
use gridproof_game::{Position, Rules, Symmetry};

use super::code::{Tables, get, get_bytes, get_entry, take, text};
use super::{BEFORE_HASH, BookError, HEADER, MAGIC, VERSION};
use crate::book::{Book, child_of};
use crate::entry::Entry;
use crate::key::{CANONICAL_FORM, Key};

/// The most that is read into memory at once. No book of ours comes near it; a hostile file
/// must not make us ask for all the memory there is.
const MAX_PART: u64 = 1 << 30;

/// Something that can be read from any place, by several threads at once.
pub trait ReadAt {
    /// Fills the buffer from an offset on.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// All its bytes.
    fn length(&self) -> io::Result<u64>;
}

impl ReadAt for File {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset).ok();
        let part = from.and_then(|from| self.get(from..from.checked_add(buffer.len())?));
        buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

/// A book in a file. Opening reads the index alone; each question reads one block.
#[derive(Debug)]
pub struct BookFile<R = File> {
    bytes: R,
    rules: Rules,
    entries: u64,
    hash: ContentHash,
    sources: Vec<Arc<str>>,
    fences: Vec<Fence>,
    certificates: Table,
}

/// A block's first key, and where the block lies.
#[derive(Debug)]
struct Fence {
    first: Key,
    offset: u64,
    length: usize,
}

#[derive(Clone, Copy, Debug)]
struct Table {
    offset: u64,
    count: u64,
}

/// A book that was read from its first byte to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// All entries.
    pub entries: u64,
    /// Those that claim a proof.
    pub proved: u64,
    /// Moves to other entries.
    pub moves: u64,
}

impl BookFile {
    /// Opens a book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Self::of(File::open(path)?)
    }
}

impl<R: ReadAt> BookFile<R> {
    /// Opens a book that lies anywhere.
    pub fn of(bytes: R) -> Result<Self, BookError> {
        let found = bytes.length()?;
        let mut header = [0; HEADER];
        if found < HEADER as u64 {
            return Err(BookError::NotABook);
        }
        bytes.read_at(&mut header, 0)?;
        let rest = &mut &header[..];
        if *take(rest, MAGIC.len())? != MAGIC {
            return Err(BookError::NotABook);
        }
        let version = u16::from_le_bytes(array(rest)?);
        if version != VERSION {
            return Err(BookError::Version(version));
        }
        let [m, n, k, p, q] = array(rest)?.map(u32::from);
        let rules = Rules::new(m, n, k, p, q)?;
        let [form] = array(rest)?;
        if form != CANONICAL_FORM {
            return Err(BookError::CanonicalForm(form));
        }
        let mut number = || Ok::<_, BookError>(u64::from_le_bytes(array(rest)?));
        let (entries, blocks, names) = (number()?, number()?, number()?);
        let (blocks_length, index, certificates) = (number()?, number()?, number()?);
        let hash = ContentHash(array(rest)?);
        let announced = [names, blocks_length, index, certificates.saturating_mul(32)];
        let announced = announced
            .into_iter()
            .fold(HEADER as u64, u64::saturating_add);
        if announced != found {
            return Err(BookError::Length { found, announced });
        }
        let sources = sources(&part(&bytes, HEADER as u64, names)?)?;
        let blocks_at = HEADER as u64 + names;
        let index_at = blocks_at + blocks_length;
        let fences = fences(&part(&bytes, index_at, index)?, blocks_at, blocks_length)?;
        if fences.len() as u64 != blocks {
            return Err(BookError::damaged("the index has another number of blocks"));
        }
        Ok(Self {
            bytes,
            rules,
            entries,
            hash,
            sources,
            fences,
            certificates: Table {
                offset: index_at + index,
                count: certificates,
            },
        })
    }

    /// The game.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// How many entries it says it has.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.entries
    }

    /// Whether it says it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// What it says is the hash of its content. Only [`BookFile::verify`] looks whether it is.
    #[must_use]
    pub const fn hash(&self) -> ContentHash {
        self.hash
    }

    /// The entry of a position and the symmetry that leads from the position to the entry's.
    pub fn find(&self, position: &Position) -> Result<Option<(Entry, Symmetry)>, BookError> {
        self.check_rules(*position.rules())?;
        let (key, symmetry) = Key::of(position);
        Ok(self.get(&key)?.map(|entry| (entry, symmetry)))
    }

    pub(crate) fn check_rules(&self, expected: Rules) -> Result<(), BookError> {
        let found = self.rules;
        if found == expected {
            Ok(())
        } else {
            Err(BookError::OtherGame { found, expected })
        }
    }

    /// The entry of a key.
    pub fn get(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        let after = self.fences.partition_point(|fence| fence.first <= *key);
        let Some(fence) = after.checked_sub(1).map(|at| &self.fences[at]) else {
            return Ok(None);
        };
        let block = self.block(fence)?;
        let mut scan = Scan::of(&block);
        while let Some(value) = scan.next()? {
            match scan.key[..].cmp(key.bytes()) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => {
                    return get_entry(value, key, &self.rules, self).map(Some);
                }
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }

    /// All entries as the file has them, in order; an error ends them.
    pub fn entries(&self) -> impl Iterator<Item = Result<(Key, Entry), BookError>> + '_ {
        let blocks = self.fences.iter().map(|fence| self.decoded(fence));
        blocks.flat_map(|block| match block {
            Ok(entries) => entries.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    fn decoded(&self, fence: &Fence) -> Result<Vec<(Key, Entry)>, BookError> {
        let block = self.block(fence)?;
        let mut scan = Scan::of(&block);
        let mut entries = Vec::new();
        while let Some(value) = scan.next()? {
            let key = Key::of_bytes(&scan.key);
            let entry = get_entry(value, &key, &self.rules, self)?;
            entries.push((key, entry));
        }
        if entries.first().is_none_or(|(key, _)| *key != fence.first) {
            return Err(BookError::damaged("a block is not where the index says"));
        }
        Ok(entries)
    }

    fn block(&self, fence: &Fence) -> Result<Vec<u8>, BookError> {
        let mut block = vec![0; fence.length];
        self.bytes.read_at(&mut block, fence.offset)?;
        Ok(block)
    }

    /// The whole book, every entry looked at as [`BookFile::verify`] does, but for the hash.
    pub fn load(&self) -> Result<Book, BookError> {
        let mut book = Book::new(self.rules);
        self.visit(|key, entry| *book.entry(key) = entry)?;
        Ok(book)
    }

    /// Reads everything: the content must fit its hash, the order and each position, move and
    /// symmetry must be right. Certificates are not looked at.
    pub fn verify(&self) -> Result<Verified, BookError> {
        self.verify_hash()?;
        let mut verified = Verified {
            entries: 0,
            proved: 0,
            moves: 0,
        };
        self.visit(|_, entry| {
            verified.entries += 1;
            verified.proved += u64::from(entry.proved().is_some());
            verified.moves += entry.moves.len() as u64;
        })?;
        Ok(verified)
    }

    fn verify_hash(&self) -> Result<(), BookError> {
        let mut hasher = blake3::Hasher::new();
        let length = self.bytes.length()?;
        let mut buffer = vec![0; 1 << 16];
        let mut offset = 0;
        while offset < length {
            // The hash itself is left out.
            let end = if offset < BEFORE_HASH as u64 {
                BEFORE_HASH as u64
            } else {
                length
            };
            let part = (end - offset).min(buffer.len() as u64) as usize;
            self.bytes.read_at(&mut buffer[..part], offset)?;
            hasher.update(&buffer[..part]);
            offset += part as u64;
            if offset == BEFORE_HASH as u64 {
                offset = HEADER as u64;
            }
        }
        if *hasher.finalize().as_bytes() == self.hash.0 {
            Ok(())
        } else {
            Err(BookError::Hash)
        }
    }

    fn visit(&self, mut take: impl FnMut(Key, Entry)) -> Result<(), BookError> {
        let mut before: Option<Key> = None;
        let mut count = 0;
        for next in self.entries() {
            let (key, entry) = next?;
            if before.as_ref().is_some_and(|before| *before >= key) {
                return Err(BookError::damaged("entries are not in order"));
            }
            self.check_entry(&key, &entry)?;
            before = Some(key.clone());
            count += 1;
            take(key, entry);
        }
        if count == self.entries {
            Ok(())
        } else {
            Err(BookError::damaged(
                "it has another number of entries than it says",
            ))
        }
    }

    fn check_entry(&self, key: &Key, entry: &Entry) -> Result<(), BookError> {
        let position = key.position(self.rules)?;
        if Key::of(&position).0 != *key {
            return Err(BookError::damaged("a position is not in canonical form"));
        }
        for book_move in &entry.moves {
            let mut after = position.clone();
            after.play(&book_move.mv).map_err(BookError::Move)?;
            if Key::of(&after).0 != child_of(&position, book_move)? {
                return Err(BookError::damaged("a move has the wrong symmetry"));
            }
        }
        if let Some(mv) = entry.proved().and_then(|proved| proved.mv.as_ref()) {
            position.clone().play(mv).map_err(BookError::Move)?;
        }
        Ok(())
    }
}

impl<R: ReadAt> Tables for BookFile<R> {
    fn source(&self, number: u64) -> Result<Arc<str>, BookError> {
        let source = usize::try_from(number)
            .ok()
            .and_then(|at| self.sources.get(at));
        let source = source.ok_or_else(|| BookError::damaged("a source has no name"))?;
        Ok(source.clone())
    }

    fn certificate(&self, number: u64) -> Result<ContentHash, BookError> {
        let Table { offset, count } = self.certificates;
        if number >= count {
            return Err(BookError::damaged("a certificate has no hash"));
        }
        let mut hash = [0; 32];
        self.bytes.read_at(&mut hash, offset + 32 * number)?;
        Ok(ContentHash(hash))
    }
}

/// Walks over the entries of a block.
struct Scan<'a> {
    rest: &'a [u8],
    key: Vec<u8>,
}

impl<'a> Scan<'a> {
    fn of(block: &'a [u8]) -> Self {
        Self {
            rest: block,
            key: Vec::with_capacity(64),
        }
    }

    /// The next entry's bytes; its key is in `key`.
    fn next(&mut self) -> Result<Option<&'a [u8]>, BookError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let rest = &mut self.rest;
        let shared = usize::try_from(get(rest)?).unwrap_or(usize::MAX);
        if shared > self.key.len() {
            return Err(BookError::damaged("a key shares more than there is"));
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(get_bytes(rest)?);
        get_bytes(rest).map(Some)
    }
}

fn array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], BookError> {
    let bytes = take(rest, N)?;
    Ok(bytes.try_into().expect("so many bytes were taken"))
}

/// A part of the file whose end was found to lie inside it.
fn part(bytes: &impl ReadAt, offset: u64, length: u64) -> Result<Vec<u8>, BookError> {
    if length > MAX_PART {
        return Err(BookError::damaged("a part is larger than any book's"));
    }
    let mut part = vec![0; length as usize];
    bytes.read_at(&mut part, offset)?;
    Ok(part)
}

fn sources(mut names: &[u8]) -> Result<Vec<Arc<str>>, BookError> {
    let mut sources: Vec<Arc<str>> = Vec::new();
    while !names.is_empty() {
        let name = text(get_bytes(&mut names)?)?;
        if sources.last().is_some_and(|before| **before >= *name) {
            return Err(BookError::damaged("sources are not in order"));
        }
        sources.push(name.into());
    }
    Ok(sources)
}

fn fences(mut index: &[u8], blocks_at: u64, length: u64) -> Result<Vec<Fence>, BookError> {
    let mut fences: Vec<Fence> = Vec::new();
    let mut offset = 0_u64;
    while !index.is_empty() {
        let first = Key::of_bytes(get_bytes(&mut index)?);
        if fences.last().is_some_and(|before| before.first >= first) {
            return Err(BookError::damaged("blocks are not in order"));
        }
        let own = get(&mut index)?;
        let end = offset.saturating_add(own);
        if own == 0 || own > MAX_PART || end > length {
            return Err(BookError::damaged("a block lies outside of the file"));
        }
        fences.push(Fence {
            first,
            offset: blocks_at + offset,
            length: own as usize,
        });
        offset = end;
    }
    if offset == length {
        Ok(fences)
    } else {
        Err(BookError::damaged("bytes belong to no block"))
    }
}
