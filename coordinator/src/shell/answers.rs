//! What workers say about their jobs.

use gridproof_certificate::ContentHash;
use gridproof_game::Move;
use tracing::{debug, warn};

use super::actor::Actor;
use super::carry_out::Along;
use super::check::CheckedDone;
use super::connection::{Outgoing, Underway};
use super::effects::Round;
use super::handle::From;
use super::happening::Happening;
use super::tally::LongJob;
use crate::core::{Event, Handled, JobKind, NodeId, Outcome, Sender};
use crate::metrics;
use crate::store::{Note, ProofSource};

impl Actor {
    pub(super) fn progress(&mut self, from: From, spent: u64, round: &mut Round) {
        let Some(sender) = self.sender(from) else {
            return;
        };
        if let Some(connection) = self.connection(from.connection)
            && let Some(underway) = connection.leases.get_mut(&from.lease)
        {
            underway.spent = spent;
        }
        let from = sender;
        self.handle(&Event::Progress { from, spent }, Along::default(), round);
    }

    pub(super) fn done(&mut self, from: From, done: CheckedDone, round: &mut Round) {
        let Some(sender) = self.sender(from) else {
            return;
        };
        let lease = from.lease;
        let Some(connection) = self.connection(from.connection) else {
            return;
        };
        let underway = connection.leases.remove(&lease);
        let outbox = connection.outbox.clone();
        let (event, along, words, spent) = match done {
            CheckedDone::Broken { reason } => {
                warn!(
                    worker = self.name_of(sender.worker),
                    "a job broke off: {reason}"
                );
                let event = Event::Broke { from: sender };
                (event, Along::default(), "broke off", 0)
            }
            CheckedDone::Answer {
                outcome,
                spent,
                certificate,
                answers,
            } => {
                let words = words_for(&outcome);
                let node = underway.map(|underway| underway.job.node);
                let along = along_with_answer(&sender, node, certificate, answers);
                let event = Event::Finished {
                    from: sender,
                    outcome,
                    spent,
                };
                (event, along, words, spent)
            }
        };
        let handled = self.handle(&event, along, round);
        if let Handled::Ignored(nonsense) = handled {
            debug!(
                worker = self.name_of(sender.worker),
                "ignored: {}",
                nonsense.name()
            );
        }
        // Also if it came too late: the worker may forget it.
        round.tell(&outbox, Outgoing::Accepted { lease });
        if let Some(underway) = underway {
            self.count(&sender, &underway, words, spent);
            round.publish(Happening::JobEnded {
                lease,
                node: underway.job.node,
                kind: underway.job.kind,
                worker: self.name_of(sender.worker),
                words,
            });
        }
    }

    fn count(&mut self, sender: &Sender, underway: &Underway, words: &'static str, spent: u64) {
        let Underway { job, since, .. } = *underway;
        let took = since.elapsed();
        metrics::job_took(kind_name(job.kind), took);
        let tally = self.tallies.of_mut(sender.worker);
        tally.jobs += 1;
        tally.won += u64::from(words == WON);
        tally.spent = tally.spent.saturating_add(spent);
        if self.tallies.is_long(took)
            && let Some(position) = self.core.position(job.node)
        {
            let worker = self.name_of(sender.worker);
            self.tallies.remember(LongJob {
                node: job.node,
                position,
                kind: job.kind,
                worker,
                took,
                spent,
                outcome: words,
            });
        }
    }
}

fn along_with_answer(
    sender: &Sender,
    node: Option<NodeId>,
    certificate: Option<(ContentHash, Vec<u8>)>,
    answers: Vec<(Move, ContentHash, Vec<u8>)>,
) -> Along {
    let mut along = Along {
        source: certificate
            .as_ref()
            .map(|(hash, _)| ProofSource::Certificate(*hash)),
        ..Along::default()
    };
    along.certificates.extend(certificate);
    for (mv, certificate, bytes) in answers {
        let Some(node) = node else { break };
        along.notes.push(Note::Answer {
            node,
            by: sender.worker,
            mv,
            certificate,
        });
        along.certificates.push((certificate, bytes));
    }
    along
}

const WON: &str = "won";

fn words_for(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Won => WON,
        Outcome::Moves(_) => "a move to try",
        Outcome::NoMoreMoves => "no move left",
        Outcome::Open(_) | Outcome::OpenSoFar(_) => "open replies",
        Outcome::Refuted => "refuted",
        Outcome::Unknown => "nothing found",
    }
}

/// In one word, for reports and metrics.
pub(crate) fn kind_name(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Engine => "engine",
        JobKind::Verifier => "verifier",
    }
}
