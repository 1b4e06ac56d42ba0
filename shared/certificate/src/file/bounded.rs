use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{FormatError, ProofReader};
use crate::event::{Event, EventSource};

/// How long a check may go on. A few kilobytes can unpack to more than anybody would wait for.
#[derive(Clone, Copy, Debug)]
pub struct CheckBudget<'a> {
    /// Nodes and replies.
    pub events: u64,
    /// Set by another thread to end the check.
    pub stop: &'a AtomicBool,
}

/// Events between two looks at whether to stop.
const LOOK_EVERY: u64 = 1024;

/// A file that is read no further than a budget allows.
pub(super) struct Bounded<'a, R: BufRead> {
    pub(super) file: ProofReader<R>,
    budget: CheckBudget<'a>,
    read: u64,
}

impl<'a, R: BufRead> Bounded<'a, R> {
    pub(super) fn new(file: ProofReader<R>, budget: CheckBudget<'a>) -> Self {
        Self {
            file,
            budget,
            read: 0,
        }
    }
}

impl<R: BufRead> EventSource for Bounded<'_, R> {
    type Error = FormatError;

    fn next_event(&mut self) -> Result<Event, FormatError> {
        if self.read >= self.budget.events {
            return Err(FormatError::OverBudget(self.budget.events));
        }
        if self.read.is_multiple_of(LOOK_EVERY) && self.budget.stop.load(Ordering::Relaxed) {
            return Err(FormatError::Stopped);
        }
        self.read += 1;
        self.file.next_event()
    }
}
