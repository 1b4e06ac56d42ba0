//! What is on record of each worker: how its answers fared. All of it follows from facts.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::ids::WorkerId;

/// Something that a worker did, and that its results do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// Its answer made no sense.
    Refused,
    /// It kept a job beyond its deadline.
    Late,
    /// Another worker did the same job and came to the same.
    Confirmed,
    /// Two other workers did the same job and came to something else.
    Contradicted,
}

/// Why a worker gets no jobs until an operator lets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum QuarantineReason {
    /// By order.
    Ordered,
    /// Too many of its answers made no sense.
    Refused,
    /// Others come to other answers. What it thought counts no longer.
    Contradicted,
}

impl QuarantineReason {
    /// Whether what the worker thought of positions is taken back. What was checked stays.
    #[must_use]
    pub const fn takes_back_opinions(self) -> bool {
        matches!(self, Self::Contradicted | Self::Ordered)
    }
}

impl std::fmt::Display for QuarantineReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Ordered => "by order",
            Self::Refused => "its answers make no sense",
            Self::Contradicted => "others come to other answers",
        })
    }
}

/// What one worker did, in all lives of the coordinator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reliability {
    /// Jobs that it answered.
    pub answers: u64,
    /// Those that ended in a win with a good certificate.
    pub wins: u64,
    /// Answers that made no sense.
    pub refused: u64,
    /// Jobs that it kept beyond their deadline.
    pub late: u64,
    /// Answers that another worker came to as well.
    pub confirmed: u64,
    /// Answers to which two others came to something else.
    pub contradicted: u64,
    pub quarantine: Option<QuarantineReason>,
}

impl Reliability {
    fn mark(&mut self, mark: Mark) {
        match mark {
            Mark::Refused => self.refused += 1,
            Mark::Late => self.late += 1,
            Mark::Confirmed => self.confirmed += 1,
            Mark::Contradicted => self.contradicted += 1,
        }
    }

    /// What happened since then.
    const fn since(&self, then: &Self) -> Self {
        Self {
            answers: self.answers - then.answers,
            wins: self.wins - then.wins,
            refused: self.refused - then.refused,
            late: self.late - then.late,
            confirmed: self.confirmed - then.confirmed,
            contradicted: self.contradicted - then.contradicted,
            quarantine: None,
        }
    }

    /// Whether to stop giving it jobs. One slip is no reason, and neither are a few among many
    /// good answers, since versions differ. To be late never is: machines are slow at times, and
    /// who is late rests.
    const fn verdict(&self) -> Option<QuarantineReason> {
        const CONTRADICTIONS: u64 = 2;
        const SLIPS: u64 = 3;
        if self.contradicted >= CONTRADICTIONS && 16 * self.contradicted > self.confirmed {
            Some(QuarantineReason::Contradicted)
        } else if self.refused >= SLIPS && 16 * self.refused > self.answers {
            Some(QuarantineReason::Refused)
        } else {
            None
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    total: Reliability,
    /// When it was last let out of quarantine: it starts anew.
    released: Reliability,
}

/// What is on record of all workers.
#[derive(Debug, Default)]
pub(crate) struct Standings(BTreeMap<WorkerId, Entry>);

impl Standings {
    pub(crate) fn of(&self, worker: WorkerId) -> Reliability {
        self.0.get(&worker).map(|e| e.total).unwrap_or_default()
    }

    /// Since it was last let out of quarantine.
    pub(crate) fn since_release(&self, worker: WorkerId) -> Reliability {
        let entry = self.0.get(&worker).copied().unwrap_or_default();
        entry.total.since(&entry.released)
    }

    pub(crate) fn is_quarantined(&self, worker: WorkerId) -> bool {
        self.of(worker).quarantine.is_some()
    }

    /// Whether a worker has done work that nobody can make up.
    pub(crate) fn has_won(&self, worker: WorkerId) -> bool {
        self.of(worker).wins > 0
    }

    /// What is to happen to a worker that is not in quarantine.
    pub(crate) fn verdict(&self, worker: WorkerId) -> Option<QuarantineReason> {
        if self.is_quarantined(worker) {
            None
        } else {
            self.since_release(worker).verdict()
        }
    }

    pub(crate) fn answered(&mut self, worker: WorkerId, has_won: bool) {
        let entry = self.0.entry(worker).or_default();
        entry.total.answers += 1;
        entry.total.wins += u64::from(has_won);
    }

    pub(crate) fn mark(&mut self, worker: WorkerId, mark: Mark) {
        self.0.entry(worker).or_default().total.mark(mark);
    }

    pub(crate) fn quarantine(&mut self, worker: WorkerId, reason: QuarantineReason) {
        self.0.entry(worker).or_default().total.quarantine = Some(reason);
    }

    pub(crate) fn release(&mut self, worker: WorkerId) {
        let entry = self.0.entry(worker).or_default();
        entry.total.quarantine = None;
        entry.released = entry.total;
    }

    /// Adds all that the facts determine to a fingerprint.
    pub(crate) fn digest(&self, hash: &mut impl Hasher) {
        for (worker, entry) in &self.0 {
            (worker, entry.total, entry.released).hash(hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: WorkerId = WorkerId(7);

    #[test]
    fn few_slips_among_many_answers_are_forgiven() {
        let mut standings = Standings::default();
        for _ in 0..100 {
            standings.answered(WORKER, false);
        }
        for _ in 0..4 {
            standings.mark(WORKER, Mark::Late);
            standings.mark(WORKER, Mark::Refused);
        }
        assert_eq!(standings.verdict(WORKER), None);
    }

    #[test]
    fn who_is_contradicted_twice_is_put_aside_and_starts_anew_when_let_out() {
        let mut standings = Standings::default();
        standings.mark(WORKER, Mark::Contradicted);
        assert_eq!(standings.verdict(WORKER), None);
        standings.mark(WORKER, Mark::Contradicted);
        let reason = QuarantineReason::Contradicted;
        assert_eq!(standings.verdict(WORKER), Some(reason));
        standings.quarantine(WORKER, reason);
        assert_eq!(standings.verdict(WORKER), None, "it is put aside once");
        standings.release(WORKER);
        assert_eq!(standings.verdict(WORKER), None);
        assert_eq!(standings.of(WORKER).contradicted, 2, "nothing is forgotten");
    }
}
