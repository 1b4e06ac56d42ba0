//! What workers tell about their jobs.

use gridproof_game::Move;

use super::Core;
use super::moves::{Reply, attack, reply};
use crate::effect::{AbortReason, Effect};
use crate::event::Sender;
use crate::fact::{Child, Fact, StoredResult};
use crate::ids::LeaseId;
use crate::job::{JobEnd, JobId, JobKind, JobResult, JobSpec, MOST_SUGGESTIONS};
use crate::jobs::{LeaseEnd, RunningJob};
use crate::numbers::Policy;
use crate::standings::Mark;
use crate::stats::{Effort, IgnoreReason};

impl<P: Policy> Core<P> {
    /// The lease that a message is about, if all in it fits.
    fn check_sender(&self, from: Sender) -> Result<LeaseId, IgnoreReason> {
        let worker = self.roster.get(from.worker);
        let worker = worker.ok_or(IgnoreReason::UnknownWorker)?;
        if from.generation != worker.generation() || !worker.is_connected() {
            return Err(IgnoreReason::StaleConnection);
        }
        let Some(lease) = self.jobs.lease(from.lease) else {
            return Err(match self.jobs.lease_end(from.lease) {
                Some(LeaseEnd::Answered) => IgnoreReason::Twice,
                Some(LeaseEnd::Dropped) => IgnoreReason::Late,
                None => IgnoreReason::UnknownLease,
            });
        };
        if lease.worker != from.worker {
            return Err(IgnoreReason::ForeignLease);
        }
        if self.jobs.get(lease.job).spec.id.key != from.key {
            return Err(IgnoreReason::WrongPosition);
        }
        Ok(from.lease)
    }

    pub(super) fn progress(&mut self, from: Sender, spent: u64) -> Result<(), IgnoreReason> {
        let lease = self.check_sender(from)?;
        self.jobs.hear(lease, self.now, spent);
        Ok(())
    }

    pub(super) fn finding(
        &mut self,
        from: Sender,
        mv: &Move,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let lease = self.check_sender(from)?;
        let spec = &self.jobs.of_lease(lease).spec;
        if spec.id.kind != JobKind::Verifier {
            return Err(IgnoreReason::WrongKind);
        }
        if self.jobs.of_lease(lease).audit.is_some() {
            self.jobs.hear(lease, self.now, 0);
            return Ok(());
        }
        let (node, found) = (spec.id.node, reply(&spec.position, mv, spec.attacker)?);
        self.jobs.hear(lease, self.now, 0);
        match found {
            Reply::Leads(child) if self.graph.child_by_move(node, mv).is_none() => {
                self.stats.findings += 1;
                let by = from.worker;
                self.record(Fact::Found { node, by, child }, effects);
            }
            // The end of the job will say that the node is refuted.
            Reply::EndsTheGame | Reply::Leads(_) => {}
        }
        Ok(())
    }

    pub(super) fn ended(
        &mut self,
        from: Sender,
        end: &JobEnd,
        spent: u64,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let lease = self.check_sender(from)?;
        match end {
            JobEnd::Answered(result) => self.answered(from, result, spent, effects),
            JobEnd::Broken | JobEnd::HandedBack => {
                self.jobs.hear(lease, self.now, spent);
                self.fail_lease(lease, effects);
                Ok(())
            }
            JobEnd::Refused => {
                self.fail_lease(lease, effects);
                self.mark(from.worker, Mark::Refused, effects);
                self.judge(from.worker, effects);
                Ok(())
            }
            // Whoever does it again would come to the same, so the search goes on. But who brings
            // one after the other makes them up.
            JobEnd::TooLarge => {
                self.answered(from, &JobResult::Unknown, spent, effects)?;
                self.mark(from.worker, Mark::Refused, effects);
                self.judge(from.worker, effects);
                Ok(())
            }
        }
    }

    fn answered(
        &mut self,
        from: Sender,
        result: &JobResult,
        spent: u64,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let lease = from.lease;
        let job = self.jobs.of_lease(lease);
        // More than that cannot be, and what a worker tells of itself decides nothing.
        let spent = spent.min(job.spec.budget.saturating_mul(2));
        if job.audit.is_some() {
            return self.audited(from, result, spent, effects);
        }
        let audit = self.audit_of(from, result);
        let job = self.jobs.of_lease(lease);
        let node = job.spec.id.node;
        let answer = self.read_answer(job, result, spent)?;
        let is_news = !matches!(&answer, JobResult::Moves(children) if children.is_empty());
        let claims_the_end = matches!(answer, JobResult::NoMoreMoves | JobResult::Unknown);
        let facts = self.facts_of_answer(lease, from.worker, answer, spent);
        self.finish_job(lease, spent, is_news, effects);
        for fact in facts {
            self.record(fact, effects);
        }
        if let Some(audit) = audit {
            self.audits.add(audit);
        }
        if claims_the_end {
            self.give_up_if_agreed(node, effects);
        }
        Ok(())
    }

    /// Reads an answer against the job's position.
    pub(super) fn read_answer(
        &self,
        job: &RunningJob,
        result: &JobResult,
        spent: u64,
    ) -> Result<StoredResult, IgnoreReason> {
        let JobSpec {
            id: JobId { node, kind, .. },
            attacker,
            ref position,
            ..
        } = job.spec;
        match (result, kind) {
            (JobResult::Won, _) => Ok(JobResult::Won),
            (JobResult::Unknown, _) => Ok(JobResult::Unknown),
            (JobResult::NoMoreMoves, JobKind::Engine) => Ok(JobResult::NoMoreMoves),
            (JobResult::Refuted, JobKind::Verifier) => Ok(JobResult::Refuted),
            (JobResult::Moves(suggestions), JobKind::Engine) => {
                let mut children: Vec<Child> = Vec::with_capacity(suggestions.len());
                for suggestion in suggestions {
                    let mv = &suggestion.mv;
                    let child = attack(position, mv, suggestion.status)?;
                    let edge = self.graph.child_by_move(node, mv);
                    let known =
                        edge.and_then(|edge| self.graph.children(node).position(|e| e == edge));
                    match known {
                        Some(index) if index < job.children => return Err(IgnoreReason::KnownMove),
                        // Somebody else had the same idea while the job ran.
                        Some(_) => {}
                        None if children.iter().any(|other| other.mv == *mv) => {}
                        None => children.push(child),
                    }
                }
                // The best come first, and nobody is asked for more.
                children.truncate(MOST_SUGGESTIONS);
                Ok(JobResult::Moves(children))
            }
            (JobResult::Open(moves) | JobResult::OpenSoFar(moves), JobKind::Verifier) => {
                let mut children: Vec<Child> = Vec::with_capacity(moves.len());
                for mv in moves {
                    match reply(position, mv, attacker)? {
                        Reply::EndsTheGame => return Ok(JobResult::Refuted),
                        Reply::Leads(child) => children.push(child),
                    }
                }
                children.sort_by(|a, b| a.mv.cmp(&b.mv));
                children.dedup_by(|a, b| a.mv == b.mv);
                children.sort_by_key(|child| child.mv.stones().len());
                let level = self.graph.node(node).level();
                let cut_short =
                    matches!(result, JobResult::OpenSoFar(_)) || spent >= job.spec.budget;
                Ok(if children.is_empty() {
                    JobResult::Unknown
                } else if cut_short && level < self.options.budgets.highest {
                    JobResult::OpenSoFar(children)
                } else {
                    JobResult::Open(children)
                })
            }
            (JobResult::NoMoreMoves | JobResult::Moves(_), JobKind::Verifier)
            | (
                JobResult::Refuted | JobResult::Open(_) | JobResult::OpenSoFar(_),
                JobKind::Engine,
            ) => Err(IgnoreReason::WrongKind),
        }
    }

    /// Takes a finished job off its workers.
    fn finish_job(&mut self, by: LeaseId, spent: u64, is_news: bool, effects: &mut Vec<Effect>) {
        let search = self.jobs.of_lease(by).search;
        let lease = self.end_lease(by, LeaseEnd::Answered);
        let time = self.now.since(lease.started);
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.jobs.measure(lease.job, millis, spent);
        self.roster.measure(lease.worker, spent, millis);
        let (nodes, jobs) = (spent, 1);
        self.searches.spend(search, Effort { nodes, jobs });
        self.stats.answers += 1;
        if is_news {
            self.stats.useful += time;
            self.stats.useful_nodes += spent;
        } else {
            self.stats.waste(AbortReason::NothingNew, time, spent);
        }
        self.drop_job(lease.job, AbortReason::Duplicate, effects);
    }
}
