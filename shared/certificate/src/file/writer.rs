use std::fmt;
use std::io::{self, Write};

use gridproof_game::{Move, Rules};

use super::header::Header;
use super::{ContentHash, varint};
use crate::check::Claim;
use crate::event::{Event, Grammar, GrammarError};
use crate::place::place_of;
use crate::proof::Proof;
use crate::walk::Walk;

/// Writes a proof file, event by event, so that a proof need not fit in memory.
pub struct ProofWriter<W: Write> {
    rules: Rules,
    grammar: Grammar,
    announced: u64,
    written: u64,
    hasher: blake3::Hasher,
    body: zstd::Encoder<'static, W>,
    /// Bytes of events that are still to be hashed and compressed.
    waiting: Vec<u8>,
}

/// Why a proof cannot be written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum WriteError {
    #[error("the proof cannot be written: {0}")]
    Io(#[from] io::Error),
    #[error("these events tell no proof: {0}")]
    Grammar(#[from] GrammarError),
    #[error("the proof is not told to its end")]
    Incomplete,
    #[error("{announced} nodes were announced and {written} written")]
    NodeCount { announced: u64, written: u64 },
    #[error("{0} is off the board, or of more stones than a file can tell")]
    BadMove(Move),
}

/// Fast to write, and the reader sits in a coordinator's path: more effort saves little.
const COMPRESSION_LEVEL: i32 = 3;

/// Events are of a few bytes each: hashing and compressing them one by one costs more than the
/// bytes do.
const WAITING: usize = 1 << 14;

pub(super) mod tag {
    pub(in crate::file) const AGAIN: u8 = 0;
    pub(in crate::file) const COMPLETION: u8 = 1;
    pub(in crate::file) const ATTACK: u8 = 2;
    pub(in crate::file) const DEFENCE: u8 = 3;
    pub(in crate::file) const REPLY: u8 = 4;
    pub(in crate::file) const REPLY_LIKE: u8 = 5;
    pub(in crate::file) const SHARED: u8 = 8;
}

impl<W: Write> ProofWriter<W> {
    /// Begins a file of exactly so many nodes.
    pub fn new(mut out: W, claim: Claim, nodes: u64) -> Result<Self, WriteError> {
        let rules = *claim.start.rules();
        let grammar = Grammar::new(claim.start.to_move() == claim.attacker);
        let mut bytes = Vec::new();
        Header { claim, nodes }.write(&mut bytes)?;
        out.write_all(&bytes)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes);
        Ok(Self {
            rules,
            grammar,
            announced: nodes,
            written: 0,
            hasher,
            body: zstd::Encoder::new(out, COMPRESSION_LEVEL)?,
            waiting: Vec::with_capacity(2 * WAITING),
        })
    }

    /// Writes the next event.
    pub fn write(&mut self, event: &Event) -> Result<(), WriteError> {
        self.grammar.admit(event)?;
        let mut bytes = std::mem::take(&mut self.waiting);
        self.encode(event, &mut bytes)?;
        self.waiting = bytes;
        if self.waiting.len() >= WAITING {
            self.pass_on()?;
        }
        Ok(())
    }

    fn pass_on(&mut self) -> io::Result<()> {
        self.hasher.update(&self.waiting);
        self.body.write_all(&self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// Ends the file; gives back where it went, flushed, and its hash.
    pub fn finish(mut self) -> Result<(W, ContentHash), WriteError> {
        if !self.grammar.is_complete() {
            return Err(WriteError::Incomplete);
        }
        if self.written != self.announced {
            return Err(WriteError::NodeCount {
                announced: self.announced,
                written: self.written,
            });
        }
        self.pass_on()?;
        let hash = ContentHash(*self.hasher.finalize().as_bytes());
        let mut out = self.body.finish()?;
        out.write_all(&hash.0)?;
        out.flush()?;
        Ok((out, hash))
    }

    fn encode(&mut self, event: &Event, out: &mut Vec<u8>) -> Result<(), WriteError> {
        let mut node = |tag: u8, later: u32, out: &mut Vec<u8>| {
            self.written += 1;
            if later == 0 {
                out.push(tag);
                return Ok(());
            }
            out.push(tag | tag::SHARED);
            varint::write(later.into(), out)
        };
        match event {
            Event::Attack {
                mv,
                completes,
                later,
            } => {
                let tag = match completes {
                    true => tag::COMPLETION,
                    false => tag::ATTACK,
                };
                node(tag, *later, out)?;
                self.encode_move(mv, out)?;
            }
            Event::Defend { replies, later } => {
                node(tag::DEFENCE, *later, out)?;
                varint::write((*replies).into(), out)?;
            }
            Event::Reply { mv, like: None } => {
                out.push(tag::REPLY);
                self.encode_move(mv, out)?;
            }
            Event::Reply {
                mv,
                like: Some(like),
            } => {
                out.push(tag::REPLY_LIKE);
                self.encode_move(mv, out)?;
                varint::write((*like).into(), out)?;
            }
            Event::Again(id) => {
                out.push(tag::AGAIN);
                varint::write(id.0, out)?;
            }
        }
        Ok(())
    }

    fn encode_move(&self, mv: &Move, out: &mut Vec<u8>) -> Result<(), WriteError> {
        let (stones, nulls) = (mv.stones().len(), usize::from(mv.nulls()));
        let on_board = mv
            .stones()
            .iter()
            .all(|square| self.rules.contains(*square));
        if stones > 15 || nulls > 15 || !on_board {
            return Err(WriteError::BadMove(mv.clone()));
        }
        out.push((stones | nulls << 4) as u8);
        let mut least = 0;
        for &square in mv.stones() {
            let place = place_of(&self.rules, square);
            varint::write((place - least) as u64, out)?;
            least = place + 1;
        }
        Ok(())
    }
}

impl<W: Write> fmt::Debug for ProofWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProofWriter")
            .field("rules", &self.rules)
            .field("written", &self.written)
            .finish_non_exhaustive()
    }
}

/// Writes a whole proof.
pub fn write_proof<W: Write>(proof: &Proof, out: W) -> Result<(W, ContentHash), WriteError> {
    let claim = Claim {
        start: proof.start().clone(),
        attacker: proof.attacker(),
    };
    let mut writer = ProofWriter::new(out, claim, proof.len() as u64)?;
    for event in Walk::new(proof) {
        writer.write(&event)?;
    }
    writer.finish()
}
