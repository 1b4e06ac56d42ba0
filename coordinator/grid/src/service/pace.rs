use std::time::Duration;

use tokio::time::Instant;

/// Messages that a stream may bring at once. A message counts once more for each node that it may
/// add to the graph: many machines with many cores add fewer.
const BURST: u32 = 2000;
/// And how soon another after that: a thousand a second.
const INTERVAL: Duration = Duration::from_millis(1);

/// How fast a stream is read. An honest worker never feels it; one that floods is read more
/// slowly, so that it is held up by itself and not everybody by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// When all that was read would have come at the steady pace.
    due: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { due: now }
    }

    /// When the next message may be read.
    pub(super) fn next(&self) -> Instant {
        let ahead = INTERVAL * BURST;
        self.due.checked_sub(ahead).unwrap_or(self.due)
    }

    /// One more was read, or a message that adds so many nodes.
    pub(super) fn count(&mut self, messages: usize, now: Instant) {
        let messages = u32::try_from(messages).unwrap_or(u32::MAX);
        self.due = self.due.max(now) + INTERVAL * messages;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_free_and_what_follows_takes_its_time() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for _ in 0..BURST {
            assert!(pace.next() <= start);
            pace.count(1, start);
        }
        pace.count(1, start);
        assert_eq!(pace.next(), start + INTERVAL);
    }

    #[test]
    fn an_answer_counts_as_often_as_it_names_moves() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        pace.count(3 * BURST as usize, start);
        assert_eq!(pace.next(), start + 2 * BURST * INTERVAL);
    }

    #[test]
    fn who_waits_may_burst_again_but_not_more_than_once() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let later = start + Duration::from_secs(3600);
        for _ in 0..BURST {
            pace.count(1, later);
        }
        assert!(pace.next() <= later);
        pace.count(1, later);
        assert!(pace.next() > later);
    }
}
