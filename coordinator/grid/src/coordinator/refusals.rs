//! Answers that the checker refused: a worker's lie, or a bug of ours?
//!
//! The same job gives the same answer anywhere. So if another worker brings the very answer that
//! was refused, the search is at fault and not the worker, and to go on like that would cut off a
//! whole grid one by one.

use std::collections::VecDeque;

use gridproof_search::{Departure, JobId, JobResult, WorkerId};
use tracing::error;

use super::actor::Actor;
use super::checked_result::CheckedResult;
use super::connection::LeaseRef;
use super::departure::StreamEnd;
use super::transaction::Transaction;

/// An answer that does not hold.
#[derive(Clone, Debug)]
pub struct Refused {
    pub job: JobId,
    /// What tells the certificate from others, if it was one.
    pub certificate: Option<[u8; 32]>,
    pub spent: u64,
    /// Why.
    pub words: String,
}

/// Refusals of late, and whose answers they were.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    known: VecDeque<(WorkerId, Refused)>,
}

/// Liars are rare, and bugs show at once.
const REMEMBERED: usize = 64;

impl Refusals {
    /// Who else brought the same answer to the same job.
    fn of_another(&self, worker: WorkerId, refused: &Refused) -> Option<WorkerId> {
        let is_same = |known: &Refused| {
            known.job == refused.job
                && known.certificate == refused.certificate
                && known.words == refused.words
        };
        let mut known = self.known.iter();
        known
            .find(|(other, known)| *other != worker && is_same(known))
            .map(|(other, _)| *other)
    }

    fn remember(&mut self, worker: WorkerId, refused: Refused) {
        if self.known.len() == REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back((worker, refused));
    }
}

impl Actor {
    /// Cuts a liar off. If it is a bug of ours, the position waits for a job of another size.
    pub(super) fn refused(&mut self, from: LeaseRef, refused: Refused, tx: &mut Transaction) {
        let worker = from.connection.worker;
        let name = self.roster.name_of(worker);
        let words = &refused.words;
        if let Some(other) = self.refusals.of_another(worker, &refused) {
            let other = self.roster.name_of(other);
            error!(
                "{name} brought the answer for which {other} was cut off ({words}): a bug of ours, \
                 please report it; start {other} again under another name"
            );
        } else if self.own_workers {
            error!(
                "our own answer was refused ({words}): a bug, please report it; nothing is claimed"
            );
        } else {
            let words = words.clone();
            self.refusals.remember(worker, refused);
            return self.departed(
                from.connection,
                StreamEnd::Departed(Departure::Banned, words),
                tx,
            );
        }
        let nothing = CheckedResult::Answer {
            result: JobResult::Unknown,
            spent: refused.spent,
            certificate: None,
            answers: Vec::new(),
        };
        self.finished(from, nothing, tx);
    }
}
