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

    /// Events so far.
    pub(super) const fn read(&self) -> u64 {
        self.read
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

#[cfg(test)]
mod tests {
    use gridproof_game::{Colour, Move, read_game};

    use super::super::{FileRefusal, check_file_within, write_proof};
    use super::*;
    use crate::{CheckLimits, ProofBuilder};

    fn file() -> Vec<u8> {
        let game = read_game(b"j10 a1,a3 k10,l10 c1,c3 m10,n10 e1,e3").unwrap();
        let mut builder = ProofBuilder::new(game.position().clone(), Colour::Black);
        let completes = ["O10", "P10"].map(|name| name.parse().unwrap());
        let root = builder.attack(Move::full(completes), None).unwrap();
        let proof = builder.finish(root).unwrap();
        write_proof(&proof, Vec::new()).unwrap().0
    }

    fn refusal(events: u64, stop: bool) -> Option<FormatError> {
        let stop = AtomicBool::new(stop);
        let budget = CheckBudget {
            events,
            stop: &stop,
        };
        match check_file_within(&file()[..], CheckLimits::default(), budget) {
            Ok(_) => None,
            Err(FileRefusal::Unreadable(error)) => Some(error),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_check_ends_with_its_budget_or_when_it_is_told() {
        assert!(refusal(1, false).is_none());
        assert!(matches!(
            refusal(0, false),
            Some(FormatError::OverBudget(0))
        ));
        assert!(matches!(refusal(1, true), Some(FormatError::Stopped)));
    }

    #[test]
    fn a_check_tells_what_it_cost() {
        let checked = super::super::check_file(&file()[..], CheckLimits::default()).unwrap();
        assert!(refusal(checked.events, false).is_none());
        let less = refusal(checked.events - 1, false);
        assert!(matches!(less, Some(FormatError::OverBudget(_))), "{less:?}");
    }
}
