//! What the core wants done, gathered for after the commit.

use std::sync::Arc;

use gridproof_certificate::ContentHash;
use gridproof_game::Move;
use gridproof_proofs::{ProofSource, Question};
use gridproof_search::{
    AbortReason, Effect, Generation, Goal, JobKind, JobSpec, LeaseId, NodeId, ProvedBy, Revision,
    WorkerId,
};
use tracing::{error, warn};

use super::actor::Actor;
use super::checked_result::proof_limit;
use super::connection::{AssignedJob, JobAssignment, Outgoing, RunningJob};
use super::grid_event::GridEvent;
use super::transaction::{Action, Transaction};
use crate::store::{Note, Record};

/// What must be stored if the core agrees with what it is told.
#[derive(Default)]
pub(super) struct Evidence {
    /// For a node that is proved by the event itself.
    pub(super) source: Option<ProofSource>,
    /// Notes of whatever the event taught.
    pub(super) notes: Vec<Note>,
    pub(super) certificates: Vec<(ContentHash, Vec<u8>)>,
    /// Of the job that brought them.
    pub(super) serial: u16,
}

impl Actor {
    pub(super) fn carry_out(
        &mut self,
        effects: &mut Vec<Effect>,
        evidence: &mut Evidence,
        tx: &mut Transaction,
    ) {
        for effect in effects.drain(..) {
            match effect {
                Effect::Record(fact) => tx.batch.records.push(Record::Fact(fact)),
                Effect::Assign {
                    worker,
                    generation,
                    lease,
                    job,
                    ..
                } => self.assign(worker, generation, lease, *job, tx),
                Effect::Keep {
                    worker,
                    generation,
                    lease,
                } => self.keep(worker, generation, lease, tx),
                Effect::Abort {
                    worker,
                    generation,
                    lease,
                    reason,
                } => self.abort(worker, generation, lease, reason, tx),
                Effect::Settle { node, revision } => self.settle(node, revision, tx),
                Effect::Proved { node, how } => self.proved(node, how, evidence, tx),
                Effect::Unproved { nodes } => {
                    self.proofs.unproved(&nodes);
                    tx.note(Note::Unproved { nodes });
                }
                Effect::Quarantined { worker, reason } => {
                    let name = self.roster.name_of(worker);
                    warn!(
                        worker = name,
                        "worker put into quarantine: {reason}; `gridproof release {name}` lets it \
                         out"
                    );
                }
                Effect::Verdict { search, verdict } => {
                    let all = self.searches.decided(search, verdict);
                    tx.actions.push(Action::Verdicts(all));
                    tx.publish(GridEvent::Verdict { search, verdict });
                }
            }
        }
    }

    fn assign(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
        job: JobSpec,
        tx: &mut Transaction,
    ) {
        let id = job.id;
        let answers: Vec<(Move, ContentHash)> = match id.kind {
            JobKind::Engine => Vec::new(),
            JobKind::Verifier => {
                let known = self.proofs.answers_known_to(id).into_iter();
                known.map(|known| (known.mv, known.certificate)).collect()
            }
        };
        let answered: Vec<_> = answers.iter().map(|(mv, _)| mv.clone()).collect();
        let job = JobAssignment {
            assigned: Arc::new(AssignedJob {
                lease,
                id,
                position: job.position,
                attacker: job.attacker,
                proof_limit: proof_limit(job.budget, id.serial, !answers.is_empty()),
                answered,
                most_open: match job.goal {
                    Goal::Replies(limits) => Some(limits.most_open),
                    Goal::Win | Goal::Moves => None,
                },
            }),
            goal: job.goal,
            budget: job.budget,
            known: job.known,
            answers,
        };
        let Some(connection) = self.roster.of_generation(worker, generation) else {
            // Its departure is on the way to the core.
            return;
        };
        connection.leases.insert(lease, RunningJob::sent(id));
        tx.tell(&connection.outbox, Outgoing::Assign(Box::new(job)));
        tx.publish(GridEvent::JobStarted {
            lease,
            node: id.node,
            kind: id.kind,
            worker: self.roster.name_of(worker),
        });
    }

    /// A worker that only changed its slots need not hear again what it may keep.
    fn keep(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
        tx: &mut Transaction,
    ) {
        let Some(connection) = self.roster.of_generation(worker, generation) else {
            return;
        };
        let outbox = connection.outbox.clone();
        let Some(running) = connection.leases.get_mut(&lease) else {
            return;
        };
        if std::mem::replace(&mut running.is_announced, true) {
            return;
        }
        let id = running.job;
        // It may have been asked for with another budget.
        let budget = self.core.usual_budget(id.node).unwrap_or(0);
        let known = self.proofs.answers_known_to(id).into_iter();
        let answered: Vec<_> = known.map(|known| known.mv).collect();
        let budget = budget.saturating_mul(16);
        let proof_limit = proof_limit(budget, id.serial, !answered.is_empty());
        if let (Some(view), Some(position)) = (self.core.node(id.node), self.core.position(id.node))
        {
            let assigned = AssignedJob {
                lease,
                id,
                position,
                attacker: view.attacker,
                proof_limit,
                answered,
                most_open: None,
            };
            tx.tell(&outbox, Outgoing::Keep(Arc::new(assigned)));
        }
    }

    fn abort(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
        reason: AbortReason,
        tx: &mut Transaction,
    ) {
        let Some(connection) = self.roster.of_generation(worker, generation) else {
            return;
        };
        let running = connection.leases.remove(&lease);
        tx.tell(&connection.outbox, Outgoing::Abort { lease, reason });
        if let Some(RunningJob { job, spent, .. }) = running {
            let tally = self.tallies.of_mut(worker);
            tally.spent += spent;
            tally.wasted += spent;
            tx.publish(GridEvent::JobAborted {
                lease,
                node: job.node,
                kind: job.kind,
                worker: self.roster.name_of(worker),
                reason,
            });
        }
    }

    fn settle(&self, node: NodeId, revision: Revision, tx: &mut Transaction) {
        if let (Some(view), Some(position)) = (self.core.node(node), self.core.position(node)) {
            tx.actions.push(Action::Settle(Box::new(Question {
                node,
                revision,
                position,
                attacker: view.attacker,
                children: self.core.children(node),
            })));
        }
    }

    fn proved(
        &mut self,
        node: NodeId,
        how: ProvedBy,
        evidence: &mut Evidence,
        tx: &mut Transaction,
    ) {
        let source = match how {
            ProvedBy::Job | ProvedBy::Replies => evidence.source.take(),
            ProvedBy::Move { mv, to } => Some(ProofSource::Move { mv, to }),
        };
        let Some(source) = source else {
            error!(
                "{node} is said to be proved, and nobody has the proof: a bug, please report it"
            );
            return;
        };
        self.proofs.proved(node, source.clone());
        tx.note(Note::Proof { node, source });
        tx.publish(GridEvent::Proved { node });
    }
}
