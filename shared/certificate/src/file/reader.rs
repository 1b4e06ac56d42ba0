use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use gridproof_game::{Move, Rules, Square};
use smallvec::SmallVec;

use super::header::Header;
use super::writer::tag;
use super::{ContentHash, FormatError, varint};
use crate::check::Claim;
use crate::event::{Event, EventSource, Grammar, SharedId};
use crate::place::square_at;

/// Reads a proof file, event by event.
pub struct ProofReader<R: BufRead> {
    header: Header,
    found: u64,
    body: BufReader<Hashing<zstd::Decoder<'static, R>>>,
}

/// 2 to this power is the most that a frame may make its reader keep in memory.
const WINDOW_LOG_MAX: u32 = 23;

impl<R: BufRead> ProofReader<R> {
    /// Reads the header.
    pub fn new(reader: R) -> Result<Self, FormatError> {
        let mut reader = Hashing::new(reader);
        let header = Header::read(&mut reader)?;
        let Hashing { inner, hasher } = reader;
        let mut decoder = zstd::Decoder::with_buffer(inner)?.single_frame();
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        let inner = decoder;
        Ok(Self {
            header,
            found: 0,
            body: BufReader::with_capacity(1 << 16, Hashing { inner, hasher }),
        })
    }

    /// What the file says it proves.
    pub const fn claim(&self) -> &Claim {
        &self.header.claim
    }

    /// How many nodes the file says it has.
    pub const fn nodes(&self) -> u64 {
        self.header.nodes
    }

    /// Tells all its events in order, and compares the hash after the last.
    pub fn for_each_event<E: From<FormatError>>(
        mut self,
        mut then: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<ContentHash, E> {
        let claim = &self.header.claim;
        let mut grammar = Grammar::new(claim.start.to_move() == claim.attacker);
        while !grammar.is_complete() {
            let event = self.next_event()?;
            grammar.admit(&event).map_err(FormatError::from)?;
            then(event)?;
        }
        Ok(self.finish()?)
    }

    /// To be called after the last event: reads what is left and compares the hash.
    pub fn finish(mut self) -> Result<ContentHash, FormatError> {
        if !self.body.fill_buf()?.is_empty() {
            return Err(FormatError::TrailingBytes);
        }
        let announced = self.header.nodes;
        if self.found != announced {
            let found = self.found;
            return Err(FormatError::NodeCount { announced, found });
        }
        let Hashing { inner, hasher } = self.body.into_inner();
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
        Ok(hash)
    }

    /// All its events as they stand, if they are not more than so many bytes.
    pub(crate) fn event_bytes(mut self, most: u64) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::new();
        (&mut self.body).take(most).read_to_end(&mut bytes)?;
        match bytes.len() as u64 == most {
            true => Err(FormatError::TooLarge),
            false => Ok(bytes),
        }
    }

    /// A node begins.
    fn count_node(&mut self) -> Result<(), FormatError> {
        self.found += 1;
        if self.found > self.header.nodes {
            return Err(FormatError::NodeCount {
                announced: self.header.nodes,
                found: self.found,
            });
        }
        Ok(())
    }
}

impl<R: BufRead> EventSource for ProofReader<R> {
    type Error = FormatError;

    fn next_event(&mut self) -> Result<Event, FormatError> {
        let event = read_event(self.header.claim.start.rules(), &mut self.body)?;
        if let Event::Attack { .. } | Event::Defend { .. } = event {
            self.count_node()?;
        }
        Ok(event)
    }
}

pub(crate) fn read_event(rules: &Rules, from: &mut impl Read) -> Result<Event, FormatError> {
    let tag = varint::read_byte(from)?;
    Ok(match (tag & !tag::SHARED, tag & tag::SHARED != 0) {
        (tag::AGAIN, false) => Event::Again(SharedId(varint::read(from)?)),
        (plain @ (tag::COMPLETION | tag::ATTACK), _) => Event::Attack {
            later: read_later(tag, from)?,
            mv: read_move(rules, from)?,
            completes: plain == tag::COMPLETION,
        },
        (tag::DEFENCE, _) => Event::Defend {
            later: read_later(tag, from)?,
            replies: varint::read_u32(from)?,
        },
        (tag::REPLY, false) => Event::Reply {
            mv: read_move(rules, from)?,
            like: None,
        },
        (tag::REPLY_LIKE, false) => Event::Reply {
            mv: read_move(rules, from)?,
            like: Some(varint::read_u32(from)?),
        },
        _ => return Err(FormatError::damaged(format!("{tag} is no tag"))),
    })
}

/// How many times a node comes again.
fn read_later(tag: u8, from: &mut impl Read) -> Result<u32, FormatError> {
    if tag & tag::SHARED == 0 {
        return Ok(0);
    }
    match varint::read_u32(from)? {
        0 => Err(FormatError::damaged("a node is shared with nobody")),
        later => Ok(later),
    }
}

fn read_move(rules: &Rules, from: &mut impl Read) -> Result<Move, FormatError> {
    let counts = varint::read_byte(from)?;
    let mut stones: SmallVec<[Square; 16]> = SmallVec::new();
    let mut least = 0u64;
    for _ in 0..counts & 15 {
        let place = varint::read(from)?.saturating_add(least);
        let square = square_at(rules, place)
            .ok_or_else(|| FormatError::damaged("a move is off the board"))?;
        stones.push(square);
        least = place + 1;
    }
    Ok(Move::new(stones, counts >> 4))
}

impl<R: BufRead> fmt::Debug for ProofReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProofReader")
            .field("header", &self.header)
            .field("found", &self.found)
            .finish_non_exhaustive()
    }
}

/// Hashes what is read through it.
pub(crate) struct Hashing<R> {
    pub(crate) inner: R,
    pub(crate) hasher: blake3::Hasher,
}

impl<R> Hashing<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self {
            inner,
            hasher: blake3::Hasher::new(),
        }
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..len]);
        Ok(len)
    }
}
