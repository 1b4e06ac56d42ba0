//! Recording: real jobs, run one after the other on this machine, for a grid that is virtual.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::{Proof, ProofBuilder};
use gridproof_engine::{self as engine, Answer, Engine};
use gridproof_game::{Colour, Move, Position};
use gridproof_solver::{
    Budget, Findings, KnownReply, Progress, Settled, Solver, Verdict, VerifierOptions,
};

use super::tape::Tape;
use super::world::{Run, Settlement, World};
use crate::core::{
    ChildView, Found, How, Job, JobKind, NodeKey, NodeView, Outcome, ReplyState, Status, Suggestion,
};

/// A world that solves what it is asked, and writes it on a tape.
#[derive(Debug)]
pub struct Recorder {
    tape: Tape,
    solver: Solver,
    proofs: BTreeMap<NodeKey, Arc<Proof>>,
    /// Replies that verifiers answered themselves.
    answers: BTreeMap<NodeKey, Vec<KnownReply>>,
    /// Replies whose consequences are on the tape.
    settled: BTreeMap<NodeKey, Vec<Move>>,
}

/// As workers do it: a budget decides both how long a verifier goes on and how hard it tries.
const REPLIES_PER_BUDGET: u64 = 20;

impl Recorder {
    /// Goes on with a tape. Proofs are not on it, so jobs that won are run again when asked.
    #[must_use]
    pub fn new(tape: Tape) -> Self {
        let rules = *tape.root.rules();
        Self {
            tape,
            solver: Solver::new(rules),
            proofs: BTreeMap::new(),
            answers: BTreeMap::new(),
            settled: BTreeMap::new(),
        }
    }

    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    fn solve(&mut self, job: &Job) -> Run {
        match job.name.kind {
            JobKind::Engine => self.suggest(job),
            JobKind::Verifier => self.verify(job),
        }
    }

    fn suggest(&mut self, job: &Job) -> Run {
        let mut budget = Budget::of_nodes(job.budget);
        // On a grid the next question goes to another machine, which remembers nothing.
        let mut engine = Engine::new(*job.position.rules());
        let answer = engine.suggest(&job.position, &job.known, &mut budget);
        let outcome = match answer {
            Ok(Answer::Won(win)) => {
                self.proofs.insert(job.name.key, Arc::new(win.proof));
                Outcome::Won
            }
            Ok(Answer::Suggest(moves)) => {
                let suggestion = |engine::Suggestion { mv, status }| Suggestion {
                    mv,
                    status: Status::of_engine(status, job.attacker),
                };
                Outcome::Moves(moves.into_iter().map(suggestion).collect())
            }
            Ok(Answer::NoMove) => Outcome::NoMoreMoves,
            Err(_) => Outcome::Unknown,
        };
        Run {
            outcome,
            spent: budget.spent(),
            findings: Vec::new(),
        }
    }

    fn verify(&mut self, job: &Job) -> Run {
        let key = job.name.key;
        let spent = Rc::new(Cell::new(0));
        let mut meter = Meter(Rc::clone(&spent));
        let mut found = Noted {
            spent,
            findings: Vec::new(),
        };
        let mut budget = Budget::of_nodes(job.budget).reporting_to(&mut meter);
        let options = VerifierOptions {
            nodes_per_reply: job.budget / REPLIES_PER_BUDGET,
            ..VerifierOptions::default()
        };
        let known = self.answers.get(&key).cloned().unwrap_or_default();
        let verified = self
            .solver
            .verify(&job.position, options, &known, &mut budget, &mut found);
        let spent = budget.spent();
        let outcome = match verified {
            Err(_) => Outcome::Unknown,
            Ok(done) => match done.verdict {
                Verdict::Proved(win) => {
                    self.proofs.insert(key, Arc::new(win.proof));
                    Outcome::Won
                }
                Verdict::DefenderHolds => Outcome::Refuted,
                Verdict::Open(moves) => {
                    self.answers.insert(key, done.answered);
                    Outcome::Open(moves)
                }
            },
        };
        Run {
            outcome,
            spent,
            findings: found.findings,
        }
    }

    fn known_replies(
        &self,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Vec<KnownReply> {
        let key = NodeKey::of_canonical(position, attacker);
        let mut known = self.answers.get(&key).cloned().unwrap_or_default();
        for child in children.iter().filter(|child| child.numbers.is_proved()) {
            if known.iter().any(|reply| reply.mv == child.mv) {
                continue;
            }
            let after = position.after(&child.mv);
            let (child_key, _, symmetry) = NodeKey::of(&after, attacker);
            if let Some(proof) = self.proofs.get(&child_key) {
                known.push(KnownReply {
                    mv: child.mv.clone(),
                    proof: Arc::new(proof.transformed(symmetry.inverse())),
                });
            }
        }
        known
    }
}

impl World for Recorder {
    const WANTS_PROVED: bool = true;

    fn root(&self) -> (Position, Colour) {
        (Position::clone(&self.tape.root), self.tape.attacker)
    }

    fn run(&mut self, job: &Job) -> Run {
        let key = job.name.key;
        let taped = self.tape.find(job);
        match taped {
            Some(run) if run.outcome != Outcome::Won || self.proofs.contains_key(&key) => run,
            taped => {
                let run = self.solve(job);
                if taped.is_none() {
                    self.tape.record(job, &run);
                }
                run
            }
        }
    }

    fn settle(
        &mut self,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement {
        let key = NodeKey::of_canonical(position, attacker);
        let known = self.known_replies(position, attacker, children);
        let mut settlement = Settlement::default();
        match self.solver.settle(position, &known) {
            Ok(Verdict::Proved(win)) => {
                self.proofs.insert(key, Arc::new(win.proof));
                settlement.closed = true;
                let open = children.iter().filter(|child| is_open(child));
                settlement.excused = open.map(|child| child.mv.clone()).collect();
            }
            Ok(Verdict::Open(needed)) => {
                let contains_needed = |mv: &Move| {
                    let mut needed = needed.iter();
                    needed.any(|open| open.stones().iter().all(|stone| mv.contains(*stone)))
                };
                let open = children.iter().filter(|child| is_open(child));
                settlement.excused = open
                    .filter(|child| !contains_needed(&child.mv))
                    .map(|child| child.mv.clone())
                    .collect();
                settlement.needed = needed;
            }
            Ok(Verdict::DefenderHolds) | Err(_) => {}
        }
        let settled = self.settled.entry(key).or_default();
        for child in children.iter().filter(|child| child.numbers.is_proved()) {
            if !settled.contains(&child.mv) {
                settled.push(child.mv.clone());
                self.tape.record_replies(key, &child.mv, &settlement);
            }
        }
        settlement
    }

    fn proved(&mut self, node: &NodeView, position: &Position, how: &How) {
        if let How::Move { mv, .. } = how {
            let (child, _, symmetry) = NodeKey::of(&position.after(mv), node.attacker);
            let Some(then) = self.proofs.get(&child) else {
                return;
            };
            let mut builder = ProofBuilder::new(position.clone(), node.attacker);
            let proof = builder
                .graft(&then.transformed(symmetry.inverse()))
                .and_then(|then| builder.attack(mv.clone(), Some(then)))
                .and_then(|root| builder.finish(root));
            if let Ok(proof) = proof {
                self.proofs.insert(node.key, Arc::new(proof));
            }
        }
    }

    fn is_won(&mut self, _: &Job) -> bool {
        true
    }

    fn is_refuted(&mut self, _: &Job) -> bool {
        true
    }
}

fn is_open(child: &ChildView) -> bool {
    child.state == ReplyState::Live && !child.numbers.is_proved()
}

#[derive(Debug)]
struct Meter(Rc<Cell<u64>>);

impl Progress for Meter {
    fn nodes(&mut self, spent: u64) {
        self.0.set(spent);
    }
}

struct Noted {
    spent: Rc<Cell<u64>>,
    findings: Vec<(u64, Move, Found)>,
}

impl Findings for Noted {
    fn reply(&mut self, mv: &Move, settled: Settled) {
        if settled == Settled::Open {
            self.findings
                .push((self.spent.get(), mv.clone(), Found::Open));
        }
    }
}
