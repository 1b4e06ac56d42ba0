//! Reads a log piece by piece, past whatever is damaged.

use std::io;

use super::frame::{Frame, HEADER, Header, MAGIC};
use super::storage::Storage;

/// A part of the log.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Frame(Frame),
    /// Bytes that are no whole frame.
    Gap(Gap),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// Goes through a log up to a length.
#[derive(Debug)]
pub(crate) struct Scan<'a, F> {
    file: &'a F,
    at: u64,
    length: u64,
}

impl<'a, F: Storage> Scan<'a, F> {
    pub(crate) fn new(file: &'a F, length: u64) -> Self {
        Self {
            file,
            at: 0,
            length,
        }
    }

    fn header_at(&self, at: u64) -> io::Result<Option<Header>> {
        if at + HEADER as u64 > self.length {
            return Ok(None);
        }
        let mut bytes = [0; HEADER];
        self.file.read_at(at, &mut bytes)?;
        Ok(Header::decode(&bytes))
    }

    fn piece(&mut self) -> io::Result<Piece> {
        let from = self.at;
        let to = match self.header_at(from)? {
            Some(header) if header.size() <= self.length - from => {
                // A header has a checksum, and the file is that long: this fits into memory
                // because it did when it was written.
                let mut entries = vec![0; header.length as usize];
                self.file.read_at(from + HEADER as u64, &mut entries)?;
                self.at = from + header.size();
                if let Some(frame) = Frame::of_parts(header, entries) {
                    return Ok(Piece::Frame(frame));
                }
                self.at
            }
            Some(_) | None => self.next_header(from + 1)?,
        };
        self.at = to;
        Ok(Piece::Gap(Gap { from, to }))
    }

    /// Where the next header stands, or the end.
    fn next_header(&self, from: u64) -> io::Result<u64> {
        const AT_ONCE: usize = 1 << 16;
        let mut start = from;
        let mut chunk = Vec::new();
        while start + HEADER as u64 <= self.length {
            let left = usize::try_from(self.length - start).unwrap_or(usize::MAX);
            chunk.resize(left.min(AT_ONCE), 0);
            self.file.read_at(start, &mut chunk)?;
            let found = chunk.windows(MAGIC.len()).enumerate();
            for (offset, _) in found.filter(|(_, bytes)| *bytes == MAGIC) {
                let at = start + offset as u64;
                if self.header_at(at)?.is_some() {
                    return Ok(at);
                }
            }
            // A magic may lie across two chunks.
            start += (chunk.len() - (MAGIC.len() - 1)) as u64;
        }
        Ok(self.length)
    }
}

impl<F: Storage> Iterator for Scan<'_, F> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.length {
            return None;
        }
        let piece = self.piece();
        if piece.is_err() {
            self.at = self.length;
        }
        Some(piece)
    }
}
