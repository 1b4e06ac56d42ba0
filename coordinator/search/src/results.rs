//! What workers and the shell tell about jobs and nodes.

use std::collections::BTreeSet;

use gridproof_game::{Colour, Move, Position, State};

use super::Core;
use super::effect::{AbortReason, Effect};
use super::evaluate::open_replies;
use super::event::{Found, JobResult, Sender, Settled};
use super::fact::{Answer, Child, ChildIndex, Fact, Next};
use super::ids::LeaseId;
use super::job::JobKind;
use super::key::NodeKey;
use super::lease::End;
use super::node::{EdgeState, Flags};
use super::numbers::Status;
use super::stats::{Effort, IgnoreReason};

impl Core {
    /// The lease that a message is about, if all in it fits.
    fn check_sender(&self, from: Sender) -> Result<LeaseId, IgnoreReason> {
        let worker = self.workers.get(&from.worker);
        let worker = worker.ok_or(IgnoreReason::UnknownWorker)?;
        if from.generation != worker.generation || !worker.is_here() {
            return Err(IgnoreReason::StaleConnection);
        }
        let Some(lease) = self.leases.get(&from.lease) else {
            return Err(match self.ended.get(from.lease) {
                Some(End::Answered) => IgnoreReason::Twice,
                Some(End::Dropped) => IgnoreReason::Late,
                None => IgnoreReason::UnknownLease,
            });
        };
        if lease.worker != from.worker {
            return Err(IgnoreReason::ForeignLease);
        }
        let node = self.slots.get(lease.slot).node;
        if self.graph.node(node).key != from.key {
            return Err(IgnoreReason::WrongPosition);
        }
        Ok(from.lease)
    }

    pub(super) fn progress(&mut self, from: Sender, spent: u64) -> Result<(), IgnoreReason> {
        let lease = self.check_sender(from)?;
        let now = self.now;
        let lease = self.leases.get_mut(&lease).expect("it was checked");
        lease.heard = now;
        lease.spent = lease.spent.max(spent);
        Ok(())
    }

    pub(super) fn finding(
        &mut self,
        from: Sender,
        mv: &Move,
        found: Found,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let lease = self.check_sender(from)?;
        let job = self.slots.get(self.leases[&lease].slot);
        let node = job.node;
        if self.graph.node(node).kind() != JobKind::Verifier {
            return Err(IgnoreReason::WrongKind);
        }
        let child = match reply(&job.position, mv, self.graph.attacker(node))? {
            // The end of the job will say that the node is refuted.
            Reply::EndsTheGame => None,
            Reply::Leads(child) => Some(child),
        };
        let now = self.now;
        self.leases.get_mut(&lease).expect("it was checked").heard = now;
        let is_known = self.graph.child_by_move(node, mv).is_some();
        if let Some(child) = child
            && found == Found::Open
            && !is_known
        {
            self.stats.findings += 1;
            let by = from.worker;
            self.record(Fact::Found { node, by, child }, effects);
        }
        Ok(())
    }

    pub(super) fn finished(
        &mut self,
        from: Sender,
        outcome: &JobResult,
        spent: u64,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let lease = self.check_sender(from)?;
        let slot = self.leases[&lease].slot;
        let node = self.slots.get(slot).node;
        let answer = self.answer(slot, outcome, spent)?;
        let answer_claims_the_end = matches!(answer, Answer::NoMoreMoves | Answer::Unknown);
        let facts = self.facts_of_end(lease, from.worker, answer.clone(), spent);
        self.finish_job(lease, spent, &answer, effects);
        for fact in facts {
            self.record(fact, effects);
        }
        if answer_claims_the_end {
            self.give_up_if_agreed(node, effects);
        }
        Ok(())
    }

    pub(super) fn broke(
        &mut self,
        from: Sender,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let lease = self.check_sender(from)?;
        self.lose_lease(lease, effects);
        Ok(())
    }

    /// Reads an outcome against the job's position.
    fn answer(&self, slot: usize, outcome: &JobResult, spent: u64) -> Result<Answer, IgnoreReason> {
        let job = self.slots.get(slot);
        let (node, position) = (job.node, &job.position);
        let kind = self.graph.node(node).kind();
        let attacker = self.graph.attacker(node);
        match (outcome, kind) {
            (JobResult::Won, _) => Ok(Answer::Won),
            (JobResult::Unknown, _) => Ok(Answer::Unknown),
            (JobResult::NoMoreMoves, JobKind::Engine) => Ok(Answer::NoMoreMoves),
            (JobResult::Refuted, JobKind::Verifier) => Ok(Answer::Refuted),
            (JobResult::Moves(suggestions), JobKind::Engine) => {
                let mut children: Vec<Child> = Vec::with_capacity(suggestions.len());
                for suggestion in suggestions {
                    let mv = &suggestion.mv;
                    let child = attack(position, mv, suggestion.status)?;
                    let edge = self.graph.child_by_move(node, mv);
                    let known =
                        edge.and_then(|edge| self.graph.children(node).position(|e| e == edge));
                    match known {
                        Some(index) if index < job.known => return Err(IgnoreReason::KnownMove),
                        // Somebody else had the same idea while the job ran.
                        Some(_) => {}
                        None if children.iter().any(|other| other.mv == *mv) => {}
                        None => children.push(child),
                    }
                }
                Ok(Answer::Moves(children))
            }
            (JobResult::Open(moves) | JobResult::OpenSoFar(moves), JobKind::Verifier) => {
                let mut children: Vec<Child> = Vec::with_capacity(moves.len());
                for mv in moves {
                    match reply(position, mv, attacker)? {
                        Reply::EndsTheGame => return Ok(Answer::Refuted),
                        Reply::Leads(child) => children.push(child),
                    }
                }
                children.sort_by(|a, b| a.mv.cmp(&b.mv));
                children.dedup_by(|a, b| a.mv == b.mv);
                children.sort_by_key(|child| child.mv.stones().len());
                let level = self.graph.node(node).level;
                let cut_short =
                    matches!(outcome, JobResult::OpenSoFar(_)) || spent >= self.job_budget(slot);
                Ok(if children.is_empty() {
                    Answer::Unknown
                } else if cut_short && level < self.options.budgets.highest {
                    Answer::OpenSoFar(children)
                } else {
                    Answer::Open(children)
                })
            }
            (JobResult::NoMoreMoves | JobResult::Moves(_), JobKind::Verifier)
            | (
                JobResult::Refuted | JobResult::Open(_) | JobResult::OpenSoFar(_),
                JobKind::Engine,
            ) => Err(IgnoreReason::WrongKind),
        }
    }

    pub(super) fn settled(
        &mut self,
        settled: &Settled,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let id = settled.node;
        if !self.graph.contains(id) {
            return Err(IgnoreReason::UnknownNode);
        }
        if !self.graph.node(id).flags.has(Flags::SETTLING) || settled.round != self.round {
            return Err(IgnoreReason::NotAsked);
        }
        let fact = self.settled_fact(settled)?;
        let node = self.graph.node_mut(id);
        node.flags.clear(Flags::SETTLING);
        let again = node.flags.has(Flags::SETTLE_AGAIN);
        node.flags.clear(Flags::SETTLE_AGAIN);
        if node.numbers.is_solved() {
            return Ok(());
        }
        if again {
            self.want_settled(id);
        }
        let Fact::Settled {
            excused,
            needed,
            next,
            ..
        } = &fact
        else {
            unreachable!("it was just made")
        };
        let next = *next;
        if next == Next::Replies && excused.is_empty() && needed.is_empty() {
            return Ok(());
        }
        if next == Next::Verify && again {
            return Ok(());
        }
        let hopeless =
            next == Next::Verify && self.graph.node(id).level >= self.options.budgets.highest;
        self.record(fact, effects);
        if hopeless {
            self.record(Fact::GivenUp { node: id }, effects);
        }
        Ok(())
    }

    fn settled_fact(&self, settled: &Settled) -> Result<Fact, IgnoreReason> {
        let id = settled.node;
        let attacker = self.graph.attacker(id);
        let children: Vec<_> = self.graph.children(id).collect();
        let index_of = |edge| children.iter().position(|&other| other == edge);
        let mut excused = BTreeSet::new();
        for mv in &settled.excused {
            let edge = self
                .graph
                .child_by_move(id, mv)
                .ok_or(IgnoreReason::IllegalMove)?;
            if self.graph.edge(edge).state == EdgeState::Live {
                excused.insert(edge);
            }
        }
        // While a verifier has not come to all moves, most that are needed are no work for
        // others: it will settle them itself.
        let is_verified = self.graph.node(id).flags.has(Flags::VERIFIED);
        let mut needed = Vec::new();
        if is_verified && !settled.needed.is_empty() {
            let position = self.graph.position(id);
            for mv in &settled.needed {
                let known = self.graph.child_by_move(id, mv);
                let is_live =
                    known.is_some_and(|edge| self.graph.edge(edge).state == EdgeState::Live);
                match reply(&position, mv, attacker)? {
                    Reply::EndsTheGame => return Err(IgnoreReason::EndsTheGame),
                    Reply::Leads(child) if !is_live => needed.push(child),
                    Reply::Leads(_) => {}
                }
            }
        }
        let waits = !needed.is_empty()
            || !is_verified
            || open_replies(&self.graph, id).any(|edge| !excused.contains(&edge));
        let next = match (settled.closed, waits) {
            (true, _) => Next::Closed,
            (false, true) => Next::Replies,
            (false, false) => Next::Verify,
        };
        let excused = excused.into_iter().map(|edge| {
            let index = index_of(edge).expect("an edge is among its node's edges");
            ChildIndex(index as u32)
        });
        Ok(Fact::Settled {
            node: id,
            excused: excused.collect(),
            needed,
            next,
        })
    }

    /// Takes a finished job off its workers.
    fn finish_job(&mut self, by: LeaseId, spent: u64, answer: &Answer, effects: &mut Vec<Effect>) {
        let lease = &self.leases[&by];
        let (slot, worker, time) = (lease.slot, lease.worker, self.now.since(lease.started));
        let node = self.slots.get(slot).node;
        let (kind, level) = (self.graph.node(node).kind(), self.graph.node(node).level);
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        // What an operator asked for says nothing about jobs of a level.
        if self.slots.get(slot).requested.is_none() {
            self.durations.add(kind, level, millis, spent);
        }
        self.update_worker(worker, |worker| worker.measure(spent, millis));
        self.stats.answers += 1;
        let search = self.slots.get(slot).search;
        let answered = Effort {
            nodes: spent,
            jobs: 1,
        };
        self.searches[search].spend(answered);
        if matches!(answer, Answer::Moves(children) if children.is_empty()) {
            self.stats.waste(AbortReason::NothingNew, time, spent);
        } else {
            self.stats.useful += time;
            self.stats.useful_nodes += spent;
        }
        self.end_lease(by, End::Answered);
        self.drop_job(slot, AbortReason::Duplicate, effects);
    }
}

pub(super) enum Reply {
    /// The defender completes a line or fills the board: no attacker wins after that.
    EndsTheGame,
    Leads(Child),
}

pub(super) fn reply(
    position: &Position,
    mv: &Move,
    attacker: Colour,
) -> Result<Reply, IgnoreReason> {
    let mut next = position.clone();
    match next.play(mv) {
        Err(_) => Err(IgnoreReason::IllegalMove),
        Ok(State::Won(_) | State::Drawn) => Ok(Reply::EndsTheGame),
        Ok(State::Open) => {
            let status = Status::of_open_reply(mv);
            Ok(Reply::Leads(child(&next, mv, attacker, status)))
        }
    }
}

/// A move of the side to move, who is the attacker.
pub(super) fn attack(
    position: &Position,
    mv: &Move,
    status: Status,
) -> Result<Child, IgnoreReason> {
    let mut next = position.clone();
    if !mv.is_full() {
        return Err(IgnoreReason::IllegalMove);
    }
    match next.play(mv) {
        Err(_) => Err(IgnoreReason::IllegalMove),
        Ok(State::Won(_) | State::Drawn) => Err(IgnoreReason::EndsTheGame),
        Ok(State::Open) => Ok(child(&next, mv, position.to_move(), status)),
    }
}

fn child(after: &Position, mv: &Move, attacker: Colour, status: Status) -> Child {
    let (key, _, symmetry) = NodeKey::of(after, attacker);
    Child {
        mv: mv.clone(),
        key,
        symmetry: symmetry.index(),
        status,
    }
}
