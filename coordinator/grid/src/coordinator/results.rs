//! What workers say about their jobs.

use gridproof_certificate::ContentHash;
use gridproof_game::Move;
use gridproof_proofs::ProofSource;
use gridproof_search::{Event, Handled, JobEnd, JobId, JobResult, Sender};
use tracing::{debug, info, warn};

use super::actor::Actor;
use super::checked_result::CheckedResult;
use super::connection::{LeaseRef, Outgoing, RunningJob};
use super::effects::Evidence;
use super::grid_event::GridEvent;
use super::tally::LongJob;
use super::transaction::Transaction;
use crate::metrics;
use crate::store::Note;

impl Actor {
    pub(super) fn progress(&mut self, from: LeaseRef, spent: u64, tx: &mut Transaction) {
        let Some(sender) = self.roster.sender(from) else {
            return;
        };
        if let Some(connection) = self.roster.connection(from.connection)
            && let Some(running) = connection.leases.get_mut(&from.lease)
        {
            running.spent = spent;
        }
        let event = Event::Progress {
            from: sender,
            spent,
        };
        if self.handle(&event, Evidence::default(), tx) == Handled::Done
            && let Some(running) = self.roster.job(sender.worker, from.lease)
        {
            tx.publish(GridEvent::JobProgress {
                lease: from.lease,
                node: running.job.node,
                kind: running.job.kind,
                worker: self.roster.name_of(sender.worker),
                spent,
            });
        }
    }

    /// A verifier found a reply that it cannot settle.
    pub(super) fn found(&mut self, from: LeaseRef, mv: Move, tx: &mut Transaction) {
        let Some(from) = self.roster.sender(from) else {
            return;
        };
        let event = Event::Finding {
            from,
            mv: mv.clone(),
        };
        // What it changes may end the job.
        let running = self.roster.job(from.worker, from.lease).copied();
        if self.handle(&event, Evidence::default(), tx) == Handled::Done
            && let Some(running) = running
        {
            tx.publish(GridEvent::Finding {
                lease: from.lease,
                node: running.job.node,
                worker: self.roster.name_of(from.worker),
                mv,
            });
        }
    }

    pub(super) fn finished(&mut self, from: LeaseRef, result: CheckedResult, tx: &mut Transaction) {
        let Some(sender) = self.roster.sender(from) else {
            return;
        };
        let lease = from.lease;
        let Some(connection) = self.roster.connection(from.connection) else {
            return;
        };
        let running = connection.leases.remove(&lease);
        let outbox = connection.outbox.clone();
        let worker = self.roster.name_of(sender.worker);
        let (end, evidence, spent) = match result {
            CheckedResult::Unanswered { end, reason } => {
                if end == JobEnd::Broken {
                    warn!(worker, "a job broke off: {reason}");
                    self.tallies.of_mut(sender.worker).broken += 1;
                } else {
                    info!(worker, "a job was handed back: {reason}");
                }
                (end, Evidence::default(), 0)
            }
            CheckedResult::TooLarge { spent } => {
                warn!(
                    worker,
                    "an answer takes more memory to check than its job may, and counts for nothing"
                );
                let end = if self.own_workers {
                    JobEnd::Answered(JobResult::Unknown)
                } else {
                    JobEnd::TooLarge
                };
                (end, Evidence::default(), spent)
            }
            CheckedResult::Answer {
                result,
                spent,
                certificate,
                answers,
            } => {
                let job = running.map(|running| running.job);
                // Who does an answered job again, in an audit, proves nothing new.
                let job = job.filter(|job| {
                    let node = self.core.node(job.node);
                    node.is_some_and(|node| node.answers == job.serial)
                });
                let evidence = evidence_of(&sender, job, certificate, answers);
                (JobEnd::Answered(result), evidence, spent)
            }
        };
        let event = Event::Ended {
            from: sender,
            end: end.clone(),
            spent,
        };
        let handled = self.handle(&event, evidence, tx);
        if let Handled::Ignored(reason) = handled {
            debug!(worker, "ignored: {reason}");
            if reason.is_worker_fault() {
                self.refuse_answer(sender, tx);
            }
        }
        // Also if it came too late: the worker may forget it.
        tx.tell(&outbox, Outgoing::Accepted { lease });
        if let Some(running) = running {
            self.count(&sender, &running, &end, spent);
            tx.publish(GridEvent::JobEnded {
                lease,
                node: running.job.node,
                kind: running.job.kind,
                worker,
                end,
                spent,
            });
        }
    }

    /// An answer makes no sense: somebody else must do the job.
    fn refuse_answer(&mut self, from: Sender, tx: &mut Transaction) {
        let (end, spent) = (JobEnd::Refused, 0);
        let event = Event::Ended { from, end, spent };
        self.handle(&event, Evidence::default(), tx);
    }

    fn count(&mut self, sender: &Sender, running: &RunningJob, end: &JobEnd, spent: u64) {
        let RunningJob { job, since, .. } = *running;
        let took = since.elapsed();
        metrics::job_took(job.kind, took);
        let tally = self.tallies.of_mut(sender.worker);
        tally.jobs += 1;
        tally.won += u64::from(*end == JobEnd::Answered(JobResult::Won));
        tally.spent = tally.spent.saturating_add(spent);
        if self.tallies.is_long(took)
            && let Some(position) = self.core.position(job.node)
        {
            let worker = self.roster.name_of(sender.worker);
            self.tallies.remember(LongJob {
                node: job.node,
                position,
                kind: job.kind,
                worker,
                took,
                spent,
                end: end.clone(),
            });
        }
    }
}

fn evidence_of(
    sender: &Sender,
    job: Option<JobId>,
    certificate: Option<(ContentHash, Vec<u8>)>,
    answers: Vec<(Move, ContentHash, Vec<u8>)>,
) -> Evidence {
    let mut evidence = Evidence {
        source: certificate
            .as_ref()
            .map(|(hash, _)| ProofSource::Certificate(*hash)),
        ..Evidence::default()
    };
    evidence.certificates.extend(certificate);
    let Some(JobId { node, serial, .. }) = job else {
        return evidence;
    };
    evidence.serial = serial;
    for (mv, certificate, bytes) in answers {
        evidence.notes.push(Note::Answer {
            node,
            by: sender.worker,
            mv,
            certificate,
        });
        evidence.certificates.push((certificate, bytes));
    }
    evidence
}
