//! Recording: real jobs, run one after the other on this machine, for a grid that is virtual.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::{Proof, ProofBuilder};
use gridproof_engine::{self as engine, Answer, Engine};
use gridproof_game::{Colour, Move, Position, Symmetry};
use gridproof_solver::{
    Budget, Findings, Known, KnownReply, KnownZone, Left, Listed, Progress, Settled, Solver,
    Verdict, VerifierOptions, Zone, join_replies,
};
use quick_cache::sync::Cache;

use super::recorded::settlement;
use super::tape::{Moment, Still, Tape};
use super::world::{Run, Settlement, World};
use crate::core::{
    ChildView, Found, How, Job, JobKind, Level, NodeKey, NodeView, Outcome, Status, Suggestion,
};

/// A world that solves what it is asked, and writes it on a tape.
#[derive(Debug)]
pub struct Recorder {
    tape: Tape,
    solver: Solver,
    /// What this search has proved.
    proofs: BTreeMap<NodeKey, Arc<Proof>>,
    /// What jobs have proved, in this search or one before.
    won: BTreeMap<Question, Arc<Proof>>,
    /// Replies that verifiers answered themselves, once they have told.
    answers: BTreeMap<NodeKey, Answers>,
    /// What verifiers will tell when they come to their end.
    untold: BTreeMap<Question, Vec<KnownReply>>,
    /// Zones of replies at nodes, each with the proof that it is of: they are asked for again and
    /// again while a node's replies are proved one by one.
    zones: Cache<(NodeKey, Move), (Arc<Proof>, Arc<Zone>)>,
}

/// What tells jobs apart: the node, the job's level, and how many moves were known.
type Question = (NodeKey, Level, usize);

fn question(job: &Job) -> Question {
    (job.name.key, job.level, job.known.len())
}

/// How many zones are kept at hand.
const ZONES: usize = 65_536;

#[derive(Debug, Default)]
struct Answers {
    /// By how many verifiers.
    told: u16,
    replies: Vec<KnownReply>,
}

impl Recorder {
    /// Goes on with a tape. Proofs are not on it, so jobs that proved something are run again
    /// when asked.
    #[must_use]
    pub fn new(tape: Tape) -> Self {
        let rules = *tape.root.rules();
        Self {
            tape,
            solver: Solver::new(rules),
            proofs: BTreeMap::new(),
            won: BTreeMap::new(),
            answers: BTreeMap::new(),
            untold: BTreeMap::new(),
            zones: Cache::new(ZONES),
        }
    }

    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Starts another search over the same jobs.
    pub fn rewind(&mut self) {
        self.proofs.clear();
        self.answers.clear();
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
        let answer = engine.job(&job.position, &job.known, job.level.0, &mut budget);
        let outcome = match answer {
            Ok(Some(Answer::Won(win))) => {
                self.won.insert(question(job), Arc::new(win.proof));
                Outcome::Won
            }
            Ok(Some(Answer::Suggest(moves))) => {
                let suggestion = |engine::Suggestion { mv, status }| Suggestion {
                    mv,
                    status: Status::of_engine(status, job.attacker),
                };
                Outcome::Moves(moves.into_iter().map(suggestion).collect())
            }
            Ok(Some(Answer::NoMove)) => Outcome::NoMoreMoves,
            Ok(None) | Err(_) => Outcome::Unknown,
        };
        Run::of_end(outcome, budget.spent())
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
        let options = VerifierOptions::for_job(&job.position, job.budget, job.level.0);
        let answered = self.replies_of(key);
        let known = Known {
            answered: &answered,
            open: &job.known,
        };
        let verified = self
            .solver
            .verify(&job.position, options, known, &mut budget, &mut found);
        let spent = budget.spent();
        let outcome = match verified {
            Err(_) => Outcome::Unknown,
            Ok(done) => match done.verdict {
                Verdict::Proved(win) => {
                    self.won.insert(question(job), Arc::new(win.proof));
                    Outcome::Won
                }
                Verdict::DefenderHolds => Outcome::Refuted,
                Verdict::Open(moves) => {
                    self.untold.insert(question(job), done.answered);
                    Outcome::of_open_replies(moves, done.came_to_all)
                }
            },
        };
        Run {
            outcome,
            spent,
            findings: found.findings,
        }
    }

    fn replies_of(&self, key: NodeKey) -> Vec<KnownReply> {
        let answers = self.answers.get(&key);
        answers.map_or_else(Vec::new, |answers| answers.replies.clone())
    }

    /// The replies at a position that are proved.
    fn sources(
        &self,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Vec<Source> {
        let key = NodeKey::of_canonical(position, attacker);
        let answered = self.replies_of(key).into_iter().map(|reply| Source {
            mv: reply.mv,
            proof: reply.proof,
            turn: Symmetry::IDENTITY,
        });
        let mut sources: Vec<Source> = answered.collect();
        for child in children.iter().filter(|child| child.numbers.is_proved()) {
            if sources.iter().any(|source| source.mv == child.mv) {
                continue;
            }
            let after = position.after(&child.mv);
            let (child_key, _, symmetry) = NodeKey::of(&after, attacker);
            if let Some(proof) = self.proofs.get(&child_key) {
                sources.push(Source {
                    mv: child.mv.clone(),
                    proof: Arc::clone(proof),
                    turn: symmetry.inverse(),
                });
            }
        }
        sources
    }

    fn zone_of(&self, key: NodeKey, source: &Source) -> KnownZone {
        let name = (key, source.mv.clone());
        let known = self.zones.get(&name);
        let zone = match known {
            Some((proof, zone)) if Arc::ptr_eq(&proof, &source.proof) => zone,
            _ => {
                let zone = Arc::new(self.solver.zone(&source.turned()));
                let entry = (Arc::clone(&source.proof), Arc::clone(&zone));
                self.zones.insert(name, entry);
                zone
            }
        };
        KnownZone {
            mv: source.mv.clone(),
            zone,
        }
    }
}

/// A proof of a reply, and how it must be turned to be one.
struct Source {
    mv: Move,
    proof: Arc<Proof>,
    turn: Symmetry,
}

impl Source {
    fn turned(&self) -> Cow<'_, Proof> {
        match self.turn {
            Symmetry::IDENTITY => Cow::Borrowed(&self.proof),
            turn => Cow::Owned(self.proof.transformed(turn)),
        }
    }
}

impl World for Recorder {
    const WANTS_PROVED: bool = true;

    fn root(&self) -> (Position, Colour) {
        (Position::clone(&self.tape.root), self.tape.attacker)
    }

    fn run(&mut self, job: &Job) -> Run {
        let taped = self.tape.find(job);
        let is_solved = taped.as_ref().is_some_and(|run| match run.outcome {
            Outcome::Won => self.won.contains_key(&question(job)),
            ref open if open.is_open() => self.untold.contains_key(&question(job)),
            _ => true,
        });
        match taped {
            Some(run) if is_solved => run,
            taped => {
                let run = self.solve(job);
                if taped.is_none() {
                    self.tape.record(job, &run);
                }
                run
            }
        }
    }

    fn delivered(&mut self, job: &Job, outcome: &Outcome) {
        let (key, question) = (job.name.key, question(job));
        if *outcome == Outcome::Won
            && let Some(proof) = self.won.get(&question)
        {
            self.proofs.insert(key, Arc::clone(proof));
        }
        if outcome.is_open()
            && let Some(replies) = self.untold.get(&question)
        {
            let answers = self.answers.entry(key).or_default();
            answers.told += 1;
            answers.replies.clone_from(replies);
        }
    }

    fn settle(
        &mut self,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement {
        let key = NodeKey::of_canonical(position, attacker);
        let sources = self.sources(position, attacker, children);
        let zones = sources.iter().map(|source| self.zone_of(key, source));
        let zones: Vec<KnownZone> = zones.collect();
        let still = match self.solver.settle(position, &zones) {
            Ok(Left::Nothing(listed)) => {
                let proof_of = |_, listed: &Listed| {
                    let source = sources.iter().find(|source| source.mv == listed.mv);
                    let source = source.expect("what is listed without another is known");
                    source.turned()
                };
                let proof = join_replies(position, &listed, proof_of);
                let proof = proof.expect("the proofs are of this game and this side");
                self.proofs.insert(key, Arc::new(proof));
                Still::Nothing
            }
            Ok(Left::Replies(needed)) => Still::Needed(needed),
            Ok(Left::DefenderHolds) | Err(_) => Still::Silence,
        };
        let verified = self.answers.get(&key).map_or(0, |answers| answers.told);
        let when = Moment::of(verified, children);
        self.tape.record_still(key, when, &still);
        settlement(still, children)
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
