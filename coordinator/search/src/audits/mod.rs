//! Audits: the same job once more, by another worker, to see whether the first told the truth.
//!
//! A job gives the same answer on any machine, so whoever makes answers up is contradicted. If two
//! answers differ a third worker decides. The worker cannot tell an audit from any other job. A
//! worker of whom little is known is audited often, and one whose answers were confirmed less and
//! less, but now and then for ever.

mod agreement;

use std::collections::{BTreeMap, VecDeque};

use agreement::agree;

use crate::ids::{LeaseId, WorkerId};
use crate::job::{JobResult, JobSpec, Level};
use crate::searches::SearchIndex;
use crate::standings::Reliability;

/// An answer that is to be looked at again.
#[derive(Clone, Debug)]
pub(crate) struct Audit {
    pub(crate) spec: JobSpec,
    pub(crate) search: SearchIndex,
    pub(crate) level: Level,
    /// The answers so far.
    told: Vec<(WorkerId, JobResult)>,
    /// How often somebody was asked.
    asked: u8,
}

/// What an audit came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// These say the same, and these something else.
    Decided {
        confirmed: Vec<WorkerId>,
        contradicted: Vec<WorkerId>,
    },
    /// Somebody else must decide.
    Disputed,
    /// Everybody says something else.
    Undecided,
}

impl Audit {
    pub(crate) fn new(
        spec: JobSpec,
        search: SearchIndex,
        level: Level,
        by: WorkerId,
        told: JobResult,
    ) -> Self {
        Self {
            spec,
            search,
            level,
            told: vec![(by, told)],
            asked: 0,
        }
    }

    /// Who answered first.
    pub(crate) fn first(&self) -> WorkerId {
        self.told[0].0
    }

    /// Whether a worker has answered already.
    pub(crate) fn has_told(&self, worker: WorkerId) -> bool {
        self.told.iter().any(|(by, _)| *by == worker)
    }

    /// Two answers differ.
    pub(crate) fn is_disputed(&self) -> bool {
        self.told.len() > 1
    }

    /// Takes in one more answer.
    pub(crate) fn tell(&mut self, by: WorkerId, answer: JobResult) -> Finding {
        self.told.push((by, answer));
        let told = &self.told;
        let supporters = |answer: &JobResult| told.iter().filter(|(_, a)| agree(answer, a)).count();
        let best = told.iter().max_by_key(|(_, answer)| supporters(answer));
        let Some((_, best)) = best.filter(|(_, answer)| supporters(answer) > 1) else {
            return if told.len() > 2 {
                Finding::Undecided
            } else {
                Finding::Disputed
            };
        };
        let (agreed, others): (Vec<_>, Vec<_>) = told.iter().partition(|(_, a)| agree(best, a));
        let workers = |told: Vec<&(WorkerId, JobResult)>| told.iter().map(|(by, _)| *by).collect();
        Finding::Decided {
            confirmed: workers(agreed),
            contradicted: workers(others),
        }
    }
}

/// Audits that wait for a worker.
#[derive(Debug, Default)]
pub(crate) struct Audits {
    waiting: VecDeque<Audit>,
    /// How many answers of a worker are being looked at.
    open: BTreeMap<WorkerId, u32>,
    /// Answers, and audits that took the time of workers who had other work.
    answers: u64,
    at_once: u64,
    /// Changes from answer to answer, so that nobody can tell which will be looked at.
    dice: u64,
}

/// Audits that no work is put off for: one in so many answers, after the first ones.
const ANSWERS_PER_AUDIT: u64 = 64;
const FIRST_AUDITS: u64 = 12;
/// How many wait at most.
const MOST_WAITING: usize = 256;
/// Nobody answers an audit that was given out so often.
const MOST_ASKED: u8 = 4;
/// Of a worker that was confirmed often, one answer in 2^5 is looked at.
const LEAST_OFTEN: u64 = 5;

impl Audits {
    /// Nobody but us knows this number.
    pub(crate) fn with_secret(secret: u64) -> Self {
        Self {
            dice: secret,
            ..Self::default()
        }
    }

    /// Whether an answer is to be looked at again.
    pub(crate) fn wants(&mut self, by: WorkerId, record: &Reliability, lease: LeaseId) -> bool {
        self.answers += 1;
        self.dice = mix(self.dice ^ lease.to_bits());
        if self.open.get(&by).is_some_and(|&open| open > 0) || self.waiting.len() >= MOST_WAITING {
            return false;
        }
        let seldom = if record.contradicted > 0 {
            0
        } else {
            record.confirmed.min(LEAST_OFTEN)
        };
        self.dice.is_multiple_of(1 << seldom)
    }

    pub(crate) fn add(&mut self, audit: Audit) {
        *self.open.entry(audit.first()).or_default() += 1;
        self.waiting.push_back(audit);
    }

    /// Nobody looks at it any more.
    pub(crate) fn close(&mut self, audit: &Audit) {
        if let Some(open) = self.open.get_mut(&audit.first()) {
            *open = open.saturating_sub(1);
        }
    }

    /// Somebody else must look at it.
    pub(crate) fn put_back(&mut self, audit: Audit) {
        if audit.asked < MOST_ASKED && self.waiting.len() < MOST_WAITING {
            self.waiting.push_front(audit);
        } else {
            self.close(&audit);
        }
    }

    /// Whether one may take the time of a worker who has other work: a dispute always.
    pub(crate) fn is_due(&self, audit: &Audit) -> bool {
        audit.is_disputed() || self.at_once < FIRST_AUDITS + self.answers / ANSWERS_PER_AUDIT
    }

    /// Whether there is any such. Disputes stand first.
    pub(crate) fn any_due(&self) -> bool {
        self.waiting.front().is_some_and(|first| self.is_due(first))
    }

    pub(crate) fn waiting(&self) -> impl ExactSizeIterator<Item = &Audit> {
        self.waiting.iter()
    }

    pub(crate) fn take(&mut self, index: usize, at_once: bool) -> Audit {
        let mut audit = self.waiting.remove(index).expect("it was just found");
        audit.asked += 1;
        self.at_once += u64::from(at_once && !audit.is_disputed());
        audit
    }

    /// Forgets those that nothing depends on any more.
    pub(crate) fn retain(&mut self, is_wanted: impl Fn(&Audit) -> bool) {
        for audit in std::mem::take(&mut self.waiting) {
            if is_wanted(&audit) {
                self.waiting.push_back(audit);
            } else {
                self.close(&audit);
            }
        }
    }
}

const fn mix(bits: u64) -> u64 {
    let z = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
