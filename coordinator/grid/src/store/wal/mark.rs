//! How much was committed, outside of the log: so that a log whose end is gone is noticed.
//!
//! Two slots are written in turn, so that one is whole whenever the process dies. A slot is
//! written after its frame is safe: the log never holds less than a slot says. Nobody waits for
//! the disk to take them, so a power failure may tear both; a third one, written seldom and
//! waited for, is whole even then.

use std::io;

use super::frame::{Chain, START, checksum};
use super::storage::Storage;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) frames: u64,
    pub(crate) records: u64,
    /// Bytes.
    pub(crate) length: u64,
    pub(crate) chain: Chain,
}

const MAGIC: [u8; 8] = *b"\xc6gpmark\n";
const SLOT: usize = 72;
/// Each in a sector of its own; the last is the one that is waited for.
const PLACES: [u64; 3] = [0, 4096, 8192];
/// Frames between two writes to it.
const ANCHOR_EVERY: u64 = 1024;

impl Mark {
    pub(crate) const EMPTY: Self = Self {
        frames: 0,
        records: 0,
        length: 0,
        chain: START,
    };

    pub(crate) fn write(&self, file: &impl Storage) -> io::Result<()> {
        let place = PLACES[(self.frames % 2) as usize];
        file.write_at(place, &self.encode())?;
        if self.frames.is_multiple_of(ANCHOR_EVERY) {
            file.write_at(PLACES[2], &self.encode())?;
            file.sync()?;
        }
        Ok(())
    }

    /// Writes all slots.
    pub(crate) fn write_anew(&self, file: &impl Storage) -> io::Result<()> {
        for place in PLACES {
            file.write_at(place, &self.encode())?;
        }
        file.sync()
    }

    /// The latest of the slots that can be read.
    pub(crate) fn read(file: &impl Storage) -> Option<Self> {
        let read = |place: u64| {
            let mut bytes = [0; SLOT];
            file.read_at(place, &mut bytes).ok()?;
            Self::decode(&bytes)
        };
        PLACES.into_iter().filter_map(read).max()
    }

    fn encode(&self) -> [u8; SLOT] {
        let mut bytes = [0; SLOT];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&self.frames.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.records.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.length.to_le_bytes());
        bytes[32..64].copy_from_slice(&self.chain);
        let check = checksum(&bytes[..64]);
        bytes[64..].copy_from_slice(&check);
        bytes
    }

    fn decode(bytes: &[u8; SLOT]) -> Option<Self> {
        let number = |at: usize| {
            bytes[at..]
                .first_chunk()
                .map(|&part| u64::from_le_bytes(part))
        };
        if !bytes.starts_with(&MAGIC) || checksum(&bytes[..64]) != bytes[64..] {
            return None;
        }
        Some(Self {
            frames: number(8)?,
            records: number(16)?,
            length: number(24)?,
            chain: *bytes[32..].first_chunk()?,
        })
    }
}
