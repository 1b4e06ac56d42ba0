//! How fast a counter grows.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Told over this time: long enough to stand still, short enough to follow.
const OVER: Duration = Duration::from_secs(10);

/// A counter over the last seconds.
#[derive(Debug, Default)]
pub(super) struct Rate(VecDeque<(Instant, u64)>);

impl Rate {
    /// Takes the counter's value at a moment.
    pub(super) fn add(&mut self, now: Instant, count: u64) {
        let is_old = |then: &Instant| now.duration_since(*then) > OVER;
        // The newest of the old ones stays, to count from.
        while self.0.get(1).is_some_and(|(then, _)| is_old(then)) {
            self.0.pop_front();
        }
        self.0.push_back((now, count));
    }

    pub(super) fn a_second(&self) -> f64 {
        let (Some((then, before)), Some((now, count))) = (self.0.front(), self.0.back()) else {
            return 0.0;
        };
        let seconds = now.duration_since(*then).as_secs_f64();
        if seconds <= 0.0 {
            return 0.0;
        }
        count.saturating_sub(*before) as f64 / seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_follows_the_last_seconds() {
        let mut rate = Rate::default();
        let start = Instant::now();
        let mut at = |seconds: u64, count| {
            rate.add(start + Duration::from_secs(seconds), count);
            rate.a_second()
        };
        assert_eq!(at(0, 0), 0.0);
        assert_eq!(at(5, 50), 10.0);
        for second in 6..60 {
            at(second, 50);
        }
        assert_eq!(at(60, 50), 0.0);
    }
}
