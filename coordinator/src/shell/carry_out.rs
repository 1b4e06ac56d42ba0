//! What the core wants done, gathered for after the flush.

use std::sync::Arc;

use gridproof_certificate::ContentHash;
use tracing::{error, info, warn};

use super::actor::Actor;
use super::connection::{Assigned, Outgoing, Push, Underway};
use super::effects::{Action, Round};
use super::happening::Happening;
use super::settle::Question;
use crate::core::{
    Effect, Generation, How, Job, JobKind, LeaseId, NodeId, SearchId, Verdict, WorkerId,
};
use crate::store::{Note, ProofSource, Record};

/// What must be stored if the core agrees with what it is told.
#[derive(Default)]
pub(super) struct Along {
    /// For a node that is proved by the event itself.
    pub(super) source: Option<ProofSource>,
    /// Notes of whatever the event taught.
    pub(super) notes: Vec<Note>,
    pub(super) certificates: Vec<(ContentHash, Vec<u8>)>,
    /// The core only greets a worker again: it need not hear what it may keep.
    pub(super) quiet_keeps: bool,
}

impl Actor {
    pub(super) fn carry_out(
        &mut self,
        effects: &mut Vec<Effect>,
        along: &mut Along,
        round: &mut Round,
    ) {
        for effect in effects.drain(..) {
            match effect {
                Effect::Record(fact) => round.batch.records.push(Record::Fact(fact)),
                Effect::Assign {
                    worker,
                    generation,
                    lease,
                    job,
                    ..
                } => {
                    self.assign(worker, generation, lease, *job, round);
                }
                Effect::Keep {
                    worker,
                    generation,
                    lease,
                } => {
                    if !along.quiet_keeps {
                        self.keep(worker, generation, lease, round);
                    }
                }
                Effect::Abort {
                    worker,
                    generation,
                    lease,
                    reason,
                } => {
                    round.publish(Happening::JobAborted { lease, reason });
                    if let Some(connection) = self.connection_of(worker, generation) {
                        let spent = connection.leases.remove(&lease).map_or(0, |job| job.spent);
                        round.tell(&connection.outbox, Outgoing::Abort { lease, reason });
                        let tally = self.tallies.of_mut(worker);
                        tally.spent += spent;
                        tally.wasted += spent;
                    }
                }
                Effect::Settle { node, round: asked } => {
                    if let (Some(view), Some(position)) =
                        (self.core.node(node), self.core.position(node))
                    {
                        round.actions.push(Action::Settle(Box::new(Question {
                            node,
                            round: asked,
                            position,
                            attacker: view.attacker,
                            children: self.core.children(node),
                        })));
                    }
                }
                Effect::Proved { node, how } => self.proved(node, how, along, round),
                Effect::Unproved { nodes } => {
                    let note = Note::Unproved { nodes };
                    self.proofs.note(&note);
                    round.note(note);
                }
                Effect::Verdict { search, verdict } => self.verdict(search, verdict, round),
            }
        }
    }

    fn assign(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
        job: Job,
        round: &mut Round,
    ) {
        let name = job.name;
        let answers = match name.kind {
            JobKind::Engine => Vec::new(),
            JobKind::Verifier => {
                let known = self.proofs.answers(name.node).into_iter();
                known.map(|known| (known.mv, known.certificate)).collect()
            }
        };
        let assigned = Arc::new(Assigned {
            lease,
            name,
            position: job.position,
            attacker: job.attacker,
        });
        let push = Push {
            assigned,
            level: job.level,
            budget: job.budget,
            known: job.known,
            answers,
        };
        let Some(connection) = self.connection_of(worker, generation) else {
            // Its departure is on the way to the core.
            return;
        };
        connection.leases.insert(lease, Underway::new(name));
        round.tell(&connection.outbox, Outgoing::Push(Box::new(push)));
        round.publish(Happening::JobStarted {
            lease,
            node: name.node,
            kind: name.kind,
            worker: self.name_of(worker),
        });
    }

    fn keep(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        lease: LeaseId,
        round: &mut Round,
    ) {
        let connection = self.connection_of(worker, generation);
        let Some((outbox, name)) = connection.and_then(|connection| {
            let underway = connection.leases.get(&lease)?;
            Some((connection.outbox.clone(), underway.job))
        }) else {
            return;
        };
        if let (Some(view), Some(position)) =
            (self.core.node(name.node), self.core.position(name.node))
        {
            let assigned = Assigned {
                lease,
                name,
                position,
                attacker: view.attacker,
            };
            round.tell(&outbox, Outgoing::Keep(Arc::new(assigned)));
        }
    }

    fn proved(&mut self, node: NodeId, how: How, along: &mut Along, round: &mut Round) {
        let source = match how {
            How::Job | How::Replies => along.source.take(),
            How::Move { mv, to } => Some(ProofSource::Move { mv, to }),
        };
        let Some(source) = source else {
            error!(
                "{node} is said to be proved, and nobody has the proof: a bug, please report it"
            );
            return;
        };
        let note = Note::Proof { node, source };
        self.proofs.note(&note);
        round.note(note);
        round.publish(Happening::Proved { node });
    }

    fn verdict(&mut self, search: SearchId, verdict: Verdict, round: &mut Round) {
        let before = self.verdicts.insert(search, verdict);
        let game = self.games.get(&search).map_or("", String::as_str);
        match verdict {
            _ if before == Some(verdict) => {}
            Verdict::Proved => info!("{search} ({game}) is proved"),
            Verdict::Failed => warn!("{search} ({game}): nobody knows another move to try"),
            Verdict::Open => {}
        }
        let all = self.verdicts.iter().map(|(id, verdict)| (*id, *verdict));
        round.actions.push(Action::Verdicts(all.collect()));
        round.publish(Happening::Verdict { search, verdict });
    }
}
