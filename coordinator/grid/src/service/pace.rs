use std::time::Duration;

use tokio::time::Instant;

/// Messages that a stream may bring at once.
const BURST: u32 = 2000;
/// And how soon another after that: five hundred a second.
const INTERVAL: Duration = Duration::from_millis(2);

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

    /// One more was read.
    pub(super) fn count(&mut self, now: Instant) {
        self.due = self.due.max(now) + INTERVAL;
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
            pace.count(start);
        }
        pace.count(start);
        assert_eq!(pace.next(), start + INTERVAL);
    }

    #[test]
    fn who_waits_may_burst_again_but_not_more_than_once() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let later = start + Duration::from_secs(3600);
        for _ in 0..BURST {
            pace.count(later);
        }
        assert!(pace.next() <= later);
        pace.count(later);
        assert!(pace.next() > later);
    }
}
