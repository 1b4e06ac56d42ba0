//! Thinking by the clock, where users ask for it.

use std::time::{Duration, Instant};

/// When thinking about a move began, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    begun: Instant,
    time: Duration,
}

/// A thought shorter than this says nothing of the speed.
const SHORTEST: Duration = Duration::from_millis(5);

impl Clock {
    pub(crate) const fn new(begun: Instant, time: Duration) -> Self {
        Self { begun, time }
    }

    /// The end of the search, which leaves time to check what it chose.
    pub(super) fn search_end(&self) -> Instant {
        self.begun + self.time.mul_f64(0.75)
    }

    /// The end of a search that comes after a move was refuted.
    pub(super) fn another_end(&self) -> Instant {
        let end = self.begun + self.time;
        end.min(Instant::now() + self.time / 25)
    }

    pub(super) fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.time
    }

    /// How many nodes the time that is left is good for, after so many.
    pub(super) fn nodes_left(&self, nodes: u64) -> u64 {
        let left = self.time.saturating_sub(self.begun.elapsed());
        let speed = self.nodes_a_second(nodes).unwrap_or(u64::MAX);
        (speed as f64 * left.as_secs_f64()) as u64
    }

    pub(crate) fn nodes_a_second(&self, nodes: u64) -> Option<u64> {
        let elapsed = self.begun.elapsed();
        let speed = nodes as f64 / elapsed.as_secs_f64();
        (elapsed >= SHORTEST && nodes > 0).then_some(speed as u64)
    }
}
