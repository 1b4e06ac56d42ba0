//! One worker.

use std::time::Duration;

use smallvec::SmallVec;

use crate::ids::{Generation, LeaseId, Time};

/// A worker that has said hello since the coordinator started, or that facts speak of.
#[derive(Clone, Debug)]
pub(crate) struct Worker {
    pub(super) generation: Generation,
    pub(super) presence: Presence,
    pub(super) slots: u16,
    pub(super) until: Option<Time>,
    pub(super) leases: SmallVec<[LeaseId; 2]>,
    /// Solver nodes a second, as measured; 0 while unknown.
    pub(super) speed: u64,
    /// No job that is to be had fits this worker; asked again at the next tick.
    pub(super) passed_over: bool,
    /// Gets no jobs, by the facts.
    pub(super) quarantined: bool,
    /// Jobs in a row that came back without an answer.
    pub(super) failures: u32,
    /// Gets no jobs until then, because of these.
    pub(super) rests_until: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Connected,
    /// Its jobs wait for it until the grace is over.
    LostSince(Time),
    Left,
    Banned,
}

impl Worker {
    /// One that is away, of whom nothing is known.
    pub(super) fn unknown() -> Self {
        Self {
            generation: Generation(0),
            presence: Presence::Left,
            slots: 0,
            until: None,
            leases: SmallVec::new(),
            speed: 0,
            passed_over: false,
            quarantined: false,
            failures: 0,
            rests_until: None,
        }
    }

    pub(crate) const fn generation(&self) -> Generation {
        self.generation
    }

    pub(crate) const fn presence(&self) -> Presence {
        self.presence
    }

    /// When its machine will be taken away, if that is known.
    pub(crate) const fn until(&self) -> Option<Time> {
        self.until
    }

    pub(crate) const fn speed(&self) -> u64 {
        self.speed
    }

    pub(crate) fn leases(&self) -> &[LeaseId] {
        &self.leases
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.presence == Presence::Connected
    }

    /// A worker that is paused or drained takes none.
    pub(super) fn takes_jobs(&self) -> bool {
        self.is_connected() && self.slots > 0 && !self.quarantined
    }

    pub(crate) fn has_room(&self) -> bool {
        self.takes_jobs()
            && self.rests_until.is_none()
            && self.leases.len() < usize::from(self.slots)
    }

    /// A job came back without an answer. Once is bad luck, and with many slots that many at
    /// once; who does so again and again rests longer and longer, or it would be given the same
    /// job for ever.
    pub(super) fn fail(&mut self, now: Time) {
        const MOST_DOUBLINGS: u32 = 7;
        self.failures = self.failures.saturating_add(1);
        let rounds = self.failures / u32::from(self.slots.max(1));
        if let Some(doublings) = rounds.checked_sub(2) {
            let rest = Duration::from_secs(1 << doublings.min(MOST_DOUBLINGS));
            self.rests_until = Some(now.after(rest));
        }
    }

    /// Takes in how fast a job went; the newest quarter counts most. No machine is believed to
    /// be faster than `most`.
    pub(super) fn measure(&mut self, spent: u64, millis: u64, most: u64) {
        let now = (spent.saturating_mul(1000) / millis.max(1)).min(most);
        self.failures = 0;
        self.speed = if self.speed == 0 {
            now
        } else {
            (3 * self.speed + now) / 4
        };
    }
}
