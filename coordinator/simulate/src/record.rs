//! Recording: real jobs, run one after the other on this machine, for a grid that is virtual.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use gridproof_certificate::{ContentHash, Proof, write_proof};
use gridproof_engine::{self as engine, Engine, Goal, Request, SearchResult};
use gridproof_game::{Colour, Move, Position};
use gridproof_proofs::{
    self as proofs, Certificates, KnownAnswer, ProofError, ProofSource, Proofs, SettleError,
};
use gridproof_solver::{
    Budget, Findings, KnownReplies, Progress, ProvedReply, ReplyStatus, Solver, Verdict,
    VerifierOptions,
};

use super::recorded::settlement;
use super::tape::{Moment, Still, Tape};
use super::world::{Run, Settlement, World};
use gridproof_search::{
    self as search, ChildView, JobId, JobResult, JobSpec, NodeId, NodeKey, NodeView, ProvedBy,
    ReplyLimits, Revision, Status, Suggestion, WorkerId,
};

/// A world that solves what it is asked, and writes it on a tape.
#[derive(Debug)]
pub struct Recorder {
    tape: Tape,
    solver: Solver,
    certificates: Arc<KeptProofs>,
    /// What this search has proved.
    proofs: Proofs,
    /// What jobs have proved, in this search or one before.
    won: BTreeMap<Question, ContentHash>,
    /// How many verifiers have told of a node.
    told: BTreeMap<NodeKey, u16>,
    /// What verifiers will tell when they come to their end.
    untold: BTreeMap<Question, Vec<(Move, ContentHash)>>,
}

/// Proofs of jobs, in memory.
#[derive(Debug, Default)]
struct KeptProofs(Mutex<Vec<Arc<Proof>>>);

impl KeptProofs {
    /// Keeps a proof under its number: nobody compares contents here.
    fn keep(&self, proof: Arc<Proof>) -> ContentHash {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut name = [0; 32];
        name[..8].copy_from_slice(&(kept.len() as u64).to_le_bytes());
        kept.push(proof);
        ContentHash(name)
    }
}

impl Certificates for KeptProofs {
    fn bytes(&self, hash: ContentHash) -> Result<Vec<u8>, ProofError> {
        let proof = self.load(hash)?;
        let (bytes, _) = write_proof(&proof, Vec::new()).expect("memory takes any proof");
        Ok(bytes)
    }

    fn load(&self, hash: ContentHash) -> Result<Arc<Proof>, ProofError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = hash.0.first_chunk().copied().map(u64::from_le_bytes);
        let proof = number.and_then(|number| kept.get(number as usize));
        proof.cloned().ok_or(ProofError::Missing(hash))
    }
}

/// Workers are not told apart here.
const ANYONE: WorkerId = WorkerId(0);

/// What tells jobs apart: the node, the job's budget, and how many moves were known.
type Question = (NodeKey, u64, usize);

fn question(job: &JobSpec) -> Question {
    (job.id.key, job.budget, job.known.len())
}

impl Recorder {
    /// Goes on with a tape. Proofs are not on it, so jobs that proved something are run again
    /// when asked.
    #[must_use]
    pub fn new(tape: Tape) -> Self {
        let rules = *tape.root.rules();
        let certificates = Arc::new(KeptProofs::default());
        Self {
            tape,
            solver: Solver::new(rules),
            proofs: Proofs::new(Arc::clone(&certificates) as _),
            certificates,
            won: BTreeMap::new(),
            told: BTreeMap::new(),
            untold: BTreeMap::new(),
        }
    }

    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Starts another search over the same jobs.
    pub fn rewind(&mut self) {
        self.proofs = Proofs::new(Arc::clone(&self.certificates) as _);
        self.told.clear();
    }

    fn solve(&mut self, job: &JobSpec) -> Run {
        match job.goal {
            search::Goal::Win => self.suggest(job, Goal::Win),
            search::Goal::Moves => self.suggest(job, Goal::Moves),
            search::Goal::Replies(limits) => self.verify(job, limits),
        }
    }

    fn suggest(&mut self, job: &JobSpec, goal: Goal) -> Run {
        let mut budget = Budget::of_nodes(job.budget);
        // On a grid the next question goes to another machine, which remembers nothing.
        let mut engine = Engine::new(*job.position.rules());
        let request = Request {
            position: &job.position,
            excluded: &job.known,
            goal,
        };
        let result = match engine.search(&request, &mut budget) {
            Ok(SearchResult::Won(win)) => {
                let proof = self.certificates.keep(Arc::new(win.proof));
                self.won.insert(question(job), proof);
                JobResult::Won
            }
            Ok(SearchResult::Moves(moves)) => {
                let suggestion = |engine::Suggestion { mv, status }| Suggestion {
                    mv,
                    status: seen_by_attacker(status),
                };
                JobResult::Moves(moves.into_iter().map(suggestion).collect())
            }
            Ok(SearchResult::NoMoves) => JobResult::NoMoreMoves,
            Ok(SearchResult::Unknown) | Err(_) => JobResult::Unknown,
        };
        Run::of_end(result, budget.spent())
    }

    fn verify(&mut self, job: &JobSpec, limits: ReplyLimits) -> Run {
        let spent = Rc::new(Cell::new(0));
        let mut meter = Meter(Rc::clone(&spent));
        let mut found = Noted {
            spent,
            findings: Vec::new(),
        };
        let mut budget = Budget::of_nodes(job.budget).reporting_to(&mut meter);
        let answered = self.replies_of(job.id);
        let known = KnownReplies {
            answered: &answered,
            open: &job.known,
        };
        let options = VerifierOptions {
            known,
            nodes_per_reply: limits.nodes_per_reply,
            times_per_null: limits.times_per_null,
            most_open: Some(limits.most_open as usize),
            ..VerifierOptions::default()
        };
        let verified = self
            .solver
            .verify(&job.position, options, &mut budget, &mut found);
        let spent = budget.spent();
        let result = match verified {
            Err(_) => JobResult::Unknown,
            Ok(done) => match done.verdict {
                Verdict::Proved(win) => {
                    let proof = self.certificates.keep(Arc::new(win.proof));
                    self.won.insert(question(job), proof);
                    JobResult::Won
                }
                Verdict::DefenderHolds => JobResult::Refuted,
                Verdict::Open(moves) => {
                    let answered = done.answered.into_iter();
                    let kept =
                        answered.map(|reply| (reply.mv, self.certificates.keep(reply.proof)));
                    self.untold.insert(question(job), kept.collect());
                    JobResult::of_open_replies(moves, done.all_replies_examined)
                }
            },
        };
        Run {
            result,
            spent,
            findings: found.findings,
            answered: Vec::new(),
        }
    }

    fn replies_of(&self, job: JobId) -> Vec<ProvedReply> {
        let answers = self.proofs.answers_known_to(job).into_iter();
        let replies = answers.filter_map(
            |KnownAnswer {
                 mv, certificate, ..
             }| {
                let proof = self.certificates.load(certificate).ok()?;
                Some(ProvedReply { mv, proof })
            },
        );
        replies.collect()
    }
}

/// The engine moved for the attacker, so its opinion is the attacker's.
const fn seen_by_attacker(status: engine::Status) -> Status {
    match status {
        engine::Status::AlmostWon => Status::AlmostWon,
        engine::Status::Strong3 => Status::Strong3,
        engine::Status::Strong2 => Status::Strong2,
        engine::Status::Strong1 => Status::Strong1,
        engine::Status::Quiet => Status::Quiet,
        engine::Status::Unclear => Status::Unclear,
        engine::Status::AlmostLost => Status::AlmostLost,
    }
}

impl World for Recorder {
    const WANTS_PROVED: bool = true;

    fn root(&self) -> (Position, Colour) {
        (Position::clone(&self.tape.root), self.tape.attacker)
    }

    fn run(&mut self, job: &JobSpec) -> Run {
        let taped = self.tape.find(job);
        let is_solved = taped.as_ref().is_some_and(|run| match run.result {
            JobResult::Won => self.won.contains_key(&question(job)),
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

    fn delivered(&mut self, job: &JobSpec, result: &JobResult) {
        let (node, question) = (job.id.node, question(job));
        if *result == JobResult::Won
            && let Some(proof) = self.won.get(&question)
        {
            self.proofs.proved(node, ProofSource::Certificate(*proof));
        }
        if result.is_open()
            && let Some(replies) = self.untold.get(&question)
        {
            *self.told.entry(job.id.key).or_default() += 1;
            for (mv, certificate) in replies {
                let answer = KnownAnswer {
                    mv: mv.clone(),
                    by: ANYONE,
                    certificate: *certificate,
                    serial: job.id.serial,
                };
                self.proofs.answered(node, answer);
            }
        }
    }

    fn settle(
        &mut self,
        node: NodeId,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement {
        let key = NodeKey::of_canonical(position, attacker);
        let question = proofs::Question {
            node,
            revision: Revision::default(),
            position: position.clone(),
            attacker,
            children: children.to_vec(),
        };
        let still = match question.answer(&self.proofs) {
            Ok(proofs::Settlement {
                source: Some(source),
                ..
            }) => {
                self.proofs.proved(node, source);
                Still::Nothing
            }
            Ok(open) if open.settled.needed.is_empty() => Still::Silence,
            Ok(open) => Still::Needed(open.settled.needed),
            Err(SettleError::Solve(_)) => Still::Silence,
            Err(error) => unreachable!("{node}: {error}"),
        };
        let verified = self.told.get(&key).copied().unwrap_or(0);
        let when = Moment::of(verified, children);
        self.tape.record_still(key, when, &still);
        settlement(still, children)
    }

    fn proved(&mut self, node: &NodeView, _: &Position, how: &ProvedBy) {
        if let ProvedBy::Move { mv, to } = how {
            let (mv, to) = (mv.clone(), *to);
            self.proofs.proved(node.node, ProofSource::Move { mv, to });
        }
    }

    fn is_won(&mut self, _: &JobSpec) -> bool {
        true
    }

    fn is_refuted(&mut self, _: &JobSpec) -> bool {
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
    findings: Vec<(u64, Move)>,
}

impl Findings for Noted {
    fn reply(&mut self, mv: &Move, status: ReplyStatus) {
        if status == ReplyStatus::Open {
            self.findings.push((self.spent.get(), mv.clone()));
        }
    }
}
