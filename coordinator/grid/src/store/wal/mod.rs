//! The write-ahead log: what was committed, in order, each group of writes as a frame.
//!
//! A commit is safe once its frame is. Everything else that a store keeps can be made again
//! from here. The [mark](mark) tells how much there must be.

mod frame;
mod mark;
mod scan;
mod storage;

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use frame::Frame;
pub(crate) use mark::Mark;
pub(crate) use scan::{Piece, Scan};
pub(crate) use storage::Storage;

use super::{Batch, Durability};

/// A log that is open for writing.
#[derive(Debug)]
pub(crate) struct Wal<F> {
    file: F,
    mark: F,
    durability: Durability,
    // A std Mutex: there is one writer, and readers only ask how far it has come.
    end: Mutex<Mark>,
}

/// What was found besides what was committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Bytes of a group that was being written when the program died: nobody was told of it.
    pub(crate) torn: u64,
    /// Neither slot of the mark could be read.
    pub(crate) without_mark: bool,
}

/// What a log no longer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Bytes of the log that are no frames.
    pub bytes: u64,
    /// Numbers of records that were committed and cannot be read.
    pub lost: Vec<Range<u64>>,
    /// Frames that were committed and cannot be read.
    pub frames: u64,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} groups of writes and {} bytes cannot be read",
            self.frames, self.bytes
        )?;
        if self.lost.is_empty() {
            return Ok(());
        }
        f.write_str("; records that were acknowledged are missing: ")?;
        for (at, Range { start, end }) in self.lost.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{start} to {}", end - 1)?;
        }
        Ok(())
    }
}

/// Why a log cannot be opened.
#[derive(Debug)]
pub(crate) enum WalError {
    Io(io::Error),
    Damaged(Damage),
}

impl From<io::Error> for WalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What a scan of a whole log found.
#[derive(Debug)]
pub(crate) struct Found {
    /// The end of what follows without a gap from the beginning.
    pub(crate) end: Mark,
    pub(crate) damage: Damage,
    /// Bytes after the last frame.
    pub(crate) trailing: u64,
}

impl Found {
    /// Reads it all. `take` gets the frames that can be read, in order.
    pub(crate) fn read<F: Storage>(
        file: &F,
        mark: Option<Mark>,
        mut take: impl FnMut(Frame),
    ) -> io::Result<Self> {
        let mut found = Self {
            end: Mark::EMPTY,
            damage: Damage {
                bytes: 0,
                lost: Vec::new(),
                frames: 0,
            },
            trailing: 0,
        };
        // Of the last frame that could be read.
        let mut last = Mark::EMPTY;
        for piece in Scan::new(file, file.length()?) {
            match piece? {
                Piece::Frame(frame) if frame.header.sequence >= last.frames => {
                    let header = frame.header;
                    let follows = header.sequence == last.frames
                        && header.before == last.chain
                        && header.first == last.records;
                    if !follows {
                        found.damage.frames += (header.sequence - last.frames).max(1);
                        found.lose(last.records..header.first);
                    }
                    found.damage.bytes += std::mem::take(&mut found.trailing);
                    let is_whole = follows && found.damage.frames == 0 && found.damage.bytes == 0;
                    last = Mark {
                        frames: header.sequence + 1,
                        records: header.end(),
                        length: last.length,
                        chain: header.hash,
                    };
                    if is_whole {
                        last.length = found.end.length + header.size();
                        found.end = last;
                    }
                    let is_other =
                        |mark: Mark| mark.frames == last.frames && mark.chain != last.chain;
                    found.damage.frames += u64::from(mark.is_some_and(is_other));
                    take(frame);
                }
                // One that stands where it does not belong.
                Piece::Frame(frame) => found.trailing += frame.header.size(),
                Piece::Gap(gap) => found.trailing += gap.to - gap.from,
            }
        }
        if let Some(mark) = mark
            && mark.frames > last.frames
        {
            found.damage.frames += mark.frames - last.frames;
            found.damage.bytes += std::mem::take(&mut found.trailing);
            found.lose(last.records..mark.records);
        }
        Ok(found)
    }

    fn lose(&mut self, records: Range<u64>) {
        if !records.is_empty() {
            self.damage.lost.push(records);
        }
    }

    /// A gap before a frame that follows is no loss of records, but no log is written so.
    fn is_whole(&self) -> bool {
        self.damage.frames == 0 && self.damage.bytes == 0
    }
}

impl<F: Storage> Wal<F> {
    /// Opens a log and cuts off what a crash left after its end. `see` is shown all frames.
    pub(crate) fn open(
        file: F,
        mark: F,
        durability: Durability,
        see: impl FnMut(Frame),
    ) -> Result<(Self, Ending), WalError> {
        let known = Mark::read(&mark);
        let mut found = Found::read(&file, known, see)?;
        if known.is_none() && found.trailing > 0 {
            // Nobody can tell whether that was committed.
            found.damage.frames += 1;
            found.damage.bytes += std::mem::take(&mut found.trailing);
        }
        if !found.is_whole() {
            return Err(WalError::Damaged(found.damage));
        }
        let ending = Ending {
            torn: found.trailing,
            without_mark: known.is_none(),
        };
        if ending.torn > 0 {
            file.cut(found.end.length)?;
            file.sync()?;
        }
        if known != Some(found.end) {
            found.end.write_anew(&mark)?;
        }
        let wal = Self {
            file,
            mark,
            durability,
            end: Mutex::new(found.end),
        };
        Ok((wal, ending))
    }

    /// Makes an empty log of two empty files.
    pub(crate) fn create(file: &F, mark: &F) -> io::Result<()> {
        file.cut(0)?;
        file.sync()?;
        mark.cut(0)?;
        Mark::EMPTY.write_anew(mark)
    }

    /// Writes a group after all others. It is safe when this returns.
    pub(crate) fn append(&self, batch: &Batch) -> io::Result<()> {
        let mut end = self.lock();
        let frame = Frame::new(end.frames, end.records, end.chain, batch);
        // At its place: half of a frame that an earlier error left is written over.
        self.file.write_at(end.length, &frame.encode())?;
        if self.durability == Durability::PowerFailure {
            self.file.sync()?;
        }
        *end = Mark {
            frames: end.frames + 1,
            records: frame.header.end(),
            length: end.length + frame.header.size(),
            chain: frame.header.hash,
        };
        end.write(&self.mark)
    }

    pub(crate) fn end(&self) -> Mark {
        *self.lock()
    }

    /// All that is committed at this moment.
    pub(crate) fn pieces(&self) -> Scan<'_, F> {
        Scan::new(&self.file, self.end().length)
    }

    fn lock(&self) -> MutexGuard<'_, Mark> {
        // It is replaced as a whole, after the write that it tells of.
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
