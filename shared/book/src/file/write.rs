use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use gridproof_certificate::ContentHash;

use super::code::{put, put_entry};
use super::{BEFORE_HASH, BookError, HEADER, MAGIC, VERSION};
use crate::book::Book;
use crate::key::{CANONICAL_FORM, Key};

/// A block is ended by the entry that makes it so long: half as long a block is found no faster,
/// and the index grows.
const BLOCK: usize = 1024;

/// The book as bytes, the same for the same content, and their content hash.
#[must_use]
pub fn encode(book: &Book) -> (Vec<u8>, ContentHash) {
    let rules = book.rules();
    let mut sources: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut certificates: BTreeSet<ContentHash> = BTreeSet::new();
    for (_, entry) in book.entries() {
        sources.extend(entry.wins.iter().map(|(source, _)| source.clone()));
        certificates.extend(entry.proved().map(|proved| proved.certificate));
    }
    let sources: Vec<_> = sources.into_iter().collect();
    let certificates: Vec<_> = certificates.into_iter().collect();
    let source = |name: &Arc<str>| {
        let at = sources.binary_search(name);
        at.expect("all sources were collected") as u64
    };
    let certificate = |hash: &ContentHash| {
        let at = certificates.binary_search(hash);
        at.expect("all certificates were collected") as u64
    };

    let (mut blocks, mut index, mut value) = (Vec::new(), Vec::new(), Vec::new());
    let mut count = 0_u64;
    let mut begin = 0;
    let mut before: Option<&Key> = None;
    let mut end_block = |begin: &mut usize, blocks: &Vec<u8>, index: &mut Vec<u8>| {
        put(index, (blocks.len() - *begin) as u64);
        *begin = blocks.len();
        count += 1;
    };
    for (key, entry) in book.entries() {
        if before.is_some() && blocks.len() - begin >= BLOCK {
            end_block(&mut begin, &blocks, &mut index);
            before = None;
        }
        let shared = match before {
            Some(before) => shared_prefix(before.bytes(), key.bytes()),
            None => {
                put(&mut index, key.bytes().len() as u64);
                index.extend_from_slice(key.bytes());
                0
            }
        };
        let own = &key.bytes()[shared..];
        put(&mut blocks, shared as u64);
        put(&mut blocks, own.len() as u64);
        blocks.extend_from_slice(own);
        value.clear();
        put_entry(&mut value, &rules, entry, source, certificate);
        put(&mut blocks, value.len() as u64);
        blocks.extend_from_slice(&value);
        before = Some(key);
    }
    if before.is_some() {
        end_block(&mut begin, &blocks, &mut index);
    }

    let mut names = Vec::new();
    for source in &sources {
        put(&mut names, source.len() as u64);
        names.extend_from_slice(source.as_bytes());
    }
    let mut bytes = Vec::with_capacity(HEADER + names.len() + blocks.len() + index.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&rules.numbers());
    bytes.push(CANONICAL_FORM);
    for number in [
        book.len(),
        count as usize,
        names.len(),
        blocks.len(),
        index.len(),
        certificates.len(),
    ] {
        bytes.extend_from_slice(&(number as u64).to_le_bytes());
    }
    debug_assert_eq!(bytes.len(), BEFORE_HASH);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes);
    let body = bytes.len() + 32;
    bytes.extend_from_slice(&[0; 32]);
    for part in [names, blocks, index] {
        bytes.extend_from_slice(&part);
    }
    for hash in &certificates {
        bytes.extend_from_slice(&hash.0);
    }
    hasher.update(&bytes[body..]);
    let hash = ContentHash(*hasher.finalize().as_bytes());
    bytes[BEFORE_HASH..HEADER].copy_from_slice(&hash.0);
    (bytes, hash)
}

fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Writes a book to a file: the whole of it or nothing, also when the power fails. What was there
/// before is replaced.
pub fn write(book: &Book, path: &Path) -> Result<ContentHash, BookError> {
    let (bytes, hash) = encode(book);
    // The move itself is safe from a power failure only once the folder is on disk too.
    let sync = || std::fs::File::open(folder_of(path))?.sync_all();
    replace(path, &bytes)
        .and_then(|()| sync())
        .map_err(|source| BookError::Write {
            path: path.to_owned(),
            source,
        })?;
    Ok(hash)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes beside the place and moves it there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // By whom the process's mask says, not by its owner alone: books are to be shown.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.prefix(".gridproof-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
