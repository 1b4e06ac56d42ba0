//! The file of a proof that a side does not lose. It is that of a win up to the number of nodes
//! (`src/file/mod.rs`), with the magic `89 'G' 'P' 'H' 'O' 'L' 'D' 0A` and the holder in the
//! attacker's place. The nodes follow, children before parents, in one zstd frame; then comes
//! BLAKE3 of all of it, the nodes taken uncompressed.
//!
//! | tag | then |
//! |---|---|
//! | 1 | the holder completes a line: the move |
//! | 2 | the holder plays on: the move, a link |
//! | 3 | the opponent to move: the number of replies, each a move and a link |
//! | 4 | a pairing: the number of groups, each its number of squares and their places |
//!
//! A link is the node's own number less that of the node it leads to, and the number of a
//! symmetry. Places are written as those of a move: the first itself, each other less the one
//! before it and one.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use gridproof_game::{Move, Rules, Square, Symmetry};

use super::{HoldChecked, HoldLink, HoldNode, HoldProof, HoldRefusal, check_hold};
use crate::check::Claim;
use crate::file::{
    ContentHash, FormatError, Hashing, Header, IfExists, SaveError, WriteError, save_with, varint,
};
use crate::place::{place_of, square_at};

const MAGIC: &[u8; 8] = b"\x89GPHOLD\n";

const COMPLETION: u8 = 1;
const HOLD: u8 = 2;
const OPPOSE: u8 = 3;
const PAIRING: u8 = 4;

/// Nodes, replies and groups of the largest proof that is read.
const MAX_LOADED: u64 = 100_000_000;

/// 2 to this power is the most that a frame may make its reader keep in memory.
const WINDOW_LOG_MAX: u32 = 23;
const COMPRESSION_LEVEL: i32 = 9;

/// Why a file is not accepted.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum HoldFileRefusal {
    #[error(transparent)]
    Unreadable(#[from] FormatError),
    #[error("the proof does not hold: {0}")]
    Refused(#[from] HoldRefusal),
}

/// A file whose claim has been checked: it is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldCheckedFile {
    /// The claim and what its proof is like.
    pub checked: HoldChecked,
    /// The name of the content.
    pub hash: ContentHash,
}

/// Whether bytes begin like a file of this kind.
#[must_use]
pub fn is_hold_file(beginning: &[u8]) -> bool {
    beginning.starts_with(MAGIC)
}

/// Reads a file and checks what it claims.
pub fn check_hold_file(reader: impl BufRead) -> Result<HoldCheckedFile, HoldFileRefusal> {
    let (proof, hash) = read_hold(reader)?;
    let checked = check_hold(&proof)?;
    Ok(HoldCheckedFile { checked, hash })
}

/// Writes a whole proof.
pub fn write_hold<W: Write>(proof: &HoldProof, mut out: W) -> Result<(W, ContentHash), WriteError> {
    let rules = proof.start.rules();
    let header = Header {
        claim: Claim {
            start: proof.start.clone(),
            attacker: proof.holder,
        },
        nodes: proof.nodes.len() as u64,
    };
    let mut head = Vec::new();
    header.write_as(MAGIC, &mut head)?;
    let mut body = Vec::new();
    for (number, node) in proof.nodes.iter().enumerate() {
        write_node(rules, number, node, &mut body)?;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head).update(&body);
    let hash = ContentHash(*hasher.finalize().as_bytes());
    out.write_all(&head)?;
    out.write_all(&zstd::encode_all(&body[..], COMPRESSION_LEVEL)?)?;
    out.write_all(&hash.0)?;
    out.flush()?;
    Ok((out, hash))
}

/// Writes a proof to a file: the whole of it or nothing, also when the power fails.
pub fn save_hold(
    proof: &HoldProof,
    path: &Path,
    if_exists: IfExists,
) -> Result<ContentHash, SaveError> {
    save_with(path, if_exists, |out| {
        write_hold(proof, out).map_err(|error| SaveError::of_write(path, error))
    })
}

fn write_node(
    rules: &Rules,
    number: usize,
    node: &HoldNode,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    match node {
        HoldNode::Hold { mv, then: None } => {
            out.push(COMPLETION);
            write_move(rules, mv, out)?;
        }
        HoldNode::Hold {
            mv,
            then: Some(link),
        } => {
            out.push(HOLD);
            write_move(rules, mv, out)?;
            write_link(number, *link, out)?;
        }
        HoldNode::Oppose { replies } => {
            out.push(OPPOSE);
            varint::write(replies.len() as u64, out)?;
            for (mv, link) in replies {
                write_move(rules, mv, out)?;
                write_link(number, *link, out)?;
            }
        }
        HoldNode::Pairing { groups } => {
            out.push(PAIRING);
            varint::write(groups.len() as u64, out)?;
            for group in groups {
                write_move(rules, &Move::full(group.iter().copied()), out)?;
            }
        }
    }
    Ok(())
}

fn write_link(number: usize, link: HoldLink, out: &mut Vec<u8>) -> Result<(), WriteError> {
    varint::write(number.wrapping_sub(link.node as usize) as u64, out)?;
    out.push(link.symmetry.index());
    Ok(())
}

fn write_move(rules: &Rules, mv: &Move, out: &mut Vec<u8>) -> Result<(), WriteError> {
    if !mv.is_full() || !mv.stones().iter().all(|square| rules.contains(*square)) {
        return Err(WriteError::BadMove(mv.clone()));
    }
    varint::write(mv.stones().len() as u64, out)?;
    let mut least = 0;
    for &square in mv.stones() {
        let place = place_of(rules, square);
        varint::write((place - least) as u64, out)?;
        least = place + 1;
    }
    Ok(())
}

/// Reads a whole proof into memory, without checking that it proves anything.
pub fn read_hold(reader: impl BufRead) -> Result<(HoldProof, ContentHash), FormatError> {
    let mut reader = Hashing::new(reader);
    let header = Header::read_as(MAGIC, &mut reader)?;
    let Hashing { inner, hasher } = reader;
    let mut decoder = zstd::Decoder::with_buffer(inner)?.single_frame();
    decoder.window_log_max(WINDOW_LOG_MAX)?;
    let inner = decoder;
    let mut body = BufReader::new(Hashing { inner, hasher });
    let rules = *header.claim.start.rules();
    let mut nodes = Vec::new();
    let mut loaded = 0;
    while (nodes.len() as u64) < header.nodes {
        let node = read_node(&rules, nodes.len(), &mut body)?;
        loaded += match &node {
            HoldNode::Hold { .. } => 1,
            HoldNode::Oppose { replies } => 1 + replies.len() as u64,
            HoldNode::Pairing { groups } => 1 + groups.len() as u64,
        };
        if loaded > MAX_LOADED {
            return Err(FormatError::TooLarge);
        }
        nodes.push(node);
    }
    if !body.fill_buf()?.is_empty() {
        return Err(FormatError::TrailingBytes);
    }
    let Hashing { inner, hasher } = body.into_inner();
    let hash = ContentHash(*hasher.finalize().as_bytes());
    let mut rest = inner.finish();
    let mut said = [0; 32];
    rest.read_exact(&mut said)?;
    if said != hash.0 {
        return Err(FormatError::Hash);
    }
    if !rest.fill_buf()?.is_empty() {
        return Err(FormatError::TrailingBytes);
    }
    let Claim { start, attacker } = header.claim;
    let proof = HoldProof {
        start,
        holder: attacker,
        nodes,
    };
    Ok((proof, hash))
}

fn read_node(rules: &Rules, number: usize, from: &mut impl Read) -> Result<HoldNode, FormatError> {
    Ok(match varint::read_byte(from)? {
        COMPLETION => HoldNode::Hold {
            mv: read_move(rules, from)?,
            then: None,
        },
        HOLD => HoldNode::Hold {
            mv: read_move(rules, from)?,
            then: Some(read_link(rules, number, from)?),
        },
        OPPOSE => {
            let mut replies = Vec::new();
            for _ in 0..read_count(from)? {
                let mv = read_move(rules, from)?;
                replies.push((mv, read_link(rules, number, from)?));
            }
            HoldNode::Oppose { replies }
        }
        PAIRING => {
            let mut groups = Vec::new();
            for _ in 0..read_count(from)? {
                groups.push(read_move(rules, from)?.stones().to_vec());
            }
            HoldNode::Pairing { groups }
        }
        tag => return Err(FormatError::Damaged(format!("{tag} is no tag"))),
    })
}

fn read_count(from: &mut impl Read) -> Result<u64, FormatError> {
    match varint::read(from)? {
        count if count > MAX_LOADED => Err(FormatError::TooLarge),
        count => Ok(count),
    }
}

fn read_link(rules: &Rules, number: usize, from: &mut impl Read) -> Result<HoldLink, FormatError> {
    let back = varint::read(from)?;
    let node = (number as u64).checked_sub(back).filter(|_| back > 0);
    let node = node.and_then(|node| u32::try_from(node).ok());
    let symmetry = Symmetry::from_index(rules, varint::read_byte(from)?);
    let (Some(node), Some(symmetry)) = (node, symmetry) else {
        let words =
            format!("node {number} links to no earlier one, or the board has no such symmetry");
        return Err(FormatError::Damaged(words));
    };
    Ok(HoldLink { node, symmetry })
}

fn read_move(rules: &Rules, from: &mut impl Read) -> Result<Move, FormatError> {
    let count = varint::read(from)?;
    let mut stones: Vec<Square> = Vec::new();
    let mut least = 0;
    for _ in 0..count {
        let place = varint::read(from)?.saturating_add(least);
        let square = square_at(rules, place)
            .ok_or_else(|| FormatError::Damaged("a stone is off the board".to_owned()))?;
        stones.push(square);
        least = place + 1;
    }
    Ok(Move::full(stones))
}
