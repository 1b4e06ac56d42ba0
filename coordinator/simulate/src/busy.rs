//! How many virtual workers are at work, over time.

use std::time::Duration;

use gridproof_search::Time;

#[derive(Debug)]
pub(super) struct Busy {
    now: u64,
    since: Time,
    /// Of all workers together.
    time: Duration,
    curve: Vec<(Time, u64)>,
    keeps_curve: bool,
}

impl Busy {
    pub(super) fn new(keeps_curve: bool) -> Self {
        Self {
            now: 0,
            since: Time(0),
            time: Duration::ZERO,
            curve: Vec::new(),
            keeps_curve,
        }
    }

    /// So many more are busy from this time on, or fewer.
    pub(super) fn change(&mut self, at: Time, change: i64) {
        let held = at.since(self.since);
        self.time += held * u32::try_from(self.now).unwrap_or(u32::MAX);
        if held > Duration::ZERO && self.keeps_curve {
            self.curve.push((self.since, self.now));
        }
        self.now = self.now.saturating_add_signed(change);
        self.since = at;
    }

    /// The time that workers were busy up to the end, and how many were when.
    pub(super) fn until(mut self, end: Time) -> (Duration, Vec<(Time, u64)>) {
        self.change(end, 0);
        (self.time, self.curve)
    }
}
