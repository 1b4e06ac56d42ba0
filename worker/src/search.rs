//! Runs one job: no network, no clock, nothing but the search.

use std::io;

use gridproof_certificate::{Proof, WriteError, write_proof};
use gridproof_engine::{self as engine, Answer, Engine, EngineError, Status, Strength};
use gridproof_game::{Colour, Move, Rules};
use gridproof_proto::v1;
use gridproof_proto::v1::done::Outcome;
use gridproof_solver::{
    Budget, Findings, Known, KnownReply, Progress, Settled, SolveError, Solver, Verdict,
    VerifierOptions,
};

use crate::job::{Job, Meter, Question};

/// The searchers of one thread. They are kept from job to job, since making them costs
/// tables and engines remember rankings.
#[derive(Debug, Default)]
pub(crate) struct Searchers {
    of_rules: Vec<(Rules, Solver, Engine)>,
}

/// More games at a time than a coordinator ever mixes.
const GAMES: usize = 4;

/// How a job ended.
#[derive(Debug)]
pub(crate) enum End {
    Answered {
        outcome: Outcome,
        spent: u64,
    },
    /// Somebody cancelled it: nobody waits for an answer.
    Cancelled,
}

/// Why a job came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SearchError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Solver(#[from] SolveError),
    #[error(transparent)]
    Certificate(#[from] WriteError),
}

impl Searchers {
    pub(crate) fn run(
        &mut self,
        job: &Job,
        wait: &dyn Fn(),
        found: &mut dyn FnMut(Move),
    ) -> Result<End, SearchError> {
        let (solver, engine) = self.of(*job.position.rules());
        let mut progress = Pulse {
            meter: &job.meter,
            wait,
        };
        let mut budget = Budget::of_nodes(job.budget)
            .cancelled_by(job.cancel.clone())
            .reporting_to(&mut progress);
        let outcome = match &job.question {
            Question::Engine { known } => suggest(engine, job, known, &mut budget),
            Question::Verifier { answered, open } => {
                let known = Known { answered, open };
                verify(solver, job, known, &mut budget, found)
            }
        };
        let spent = budget.spent();
        job.meter.set_spent(spent);
        if job.cancel.is_cancelled() {
            return Ok(End::Cancelled);
        }
        outcome.map(|outcome| End::Answered { outcome, spent })
    }

    fn of(&mut self, rules: Rules) -> (&Solver, &mut Engine) {
        let at = self.of_rules.iter().position(|(known, ..)| *known == rules);
        let at = at.unwrap_or_else(|| {
            if self.of_rules.len() == GAMES {
                self.of_rules.remove(0);
            }
            self.of_rules
                .push((rules, Solver::new(rules), Engine::new(rules)));
            self.of_rules.len() - 1
        });
        let (_, solver, engine) = &mut self.of_rules[at];
        (solver, engine)
    }
}

fn suggest(
    engine: &mut Engine,
    job: &Job,
    known: &[Move],
    budget: &mut Budget<'_>,
) -> Result<Outcome, SearchError> {
    let rules = job.position.rules();
    Ok(match engine.job(&job.position, known, job.level, budget)? {
        None => Outcome::Unknown(v1::Unknown {}),
        Some(Answer::Won(win)) => won(&win.proof)?,
        Some(Answer::Suggest(moves)) => {
            let suggestion =
                |engine::Suggestion { mv, status }: &engine::Suggestion| v1::Suggestion {
                    r#move: Some(v1::Move::of(rules, mv)),
                    status: status_to_wire(*status, job.position.to_move()).into(),
                };
            Outcome::Suggestions(v1::Suggestions {
                moves: moves.iter().map(suggestion).collect(),
            })
        }
        Some(Answer::NoMove) => Outcome::NoMove(v1::NoMove {}),
    })
}

fn verify(
    solver: &Solver,
    job: &Job,
    known: Known<'_>,
    budget: &mut Budget<'_>,
    found: &mut dyn FnMut(Move),
) -> Result<Outcome, SearchError> {
    let rules = job.position.rules();
    let options = VerifierOptions::for_job(&job.position, job.budget, job.level);
    let mut findings = Told {
        meter: &job.meter,
        found,
    };
    let done = solver.verify(&job.position, options, known, budget, &mut findings)?;
    Ok(match done.verdict {
        Verdict::Proved(win) => won(&win.proof)?,
        Verdict::DefenderHolds => Outcome::Refuted(v1::Refuted {}),
        Verdict::Open(moves) => {
            let is_known =
                |reply: &KnownReply| known.answered.iter().any(|other| other.mv == reply.mv);
            let answers = done.answered.iter().filter(|reply| !is_known(reply));
            let answers = answers.map(|reply| {
                Ok(v1::Answer {
                    r#move: Some(v1::Move::of(rules, &reply.mv)),
                    certificate: certificate(&reply.proof)?.into(),
                })
            });
            Outcome::Open(v1::Open {
                moves: moves.iter().map(|mv| v1::Move::of(rules, mv)).collect(),
                answers: answers.collect::<Result<_, SearchError>>()?,
                cut_short: !done.came_to_all,
            })
        }
    })
}

fn won(proof: &Proof) -> Result<Outcome, SearchError> {
    let certificate = certificate(proof)?.into();
    Ok(Outcome::Won(v1::Won { certificate }))
}

fn certificate(proof: &Proof) -> Result<Vec<u8>, SearchError> {
    let (file, _) = write_proof(proof, io::Cursor::new(Vec::new()))?;
    Ok(file.into_inner())
}

/// Tells the meter, and waits while the worker is to pause.
struct Pulse<'a> {
    meter: &'a Meter,
    wait: &'a dyn Fn(),
}

impl std::fmt::Debug for Pulse<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pulse").finish_non_exhaustive()
    }
}

impl Progress for Pulse<'_> {
    fn nodes(&mut self, spent: u64) {
        self.meter.set_spent(spent);
        (self.wait)();
    }
}

struct Told<'a> {
    meter: &'a Meter,
    found: &'a mut dyn FnMut(Move),
}

impl Findings for Told<'_> {
    fn reply(&mut self, mv: &Move, settled: Settled) {
        match settled {
            Settled::Searched | Settled::Excused | Settled::Recalled => self.meter.count_settled(),
            Settled::Open => (self.found)(mv.clone()),
        }
    }
}

fn status_to_wire(status: Status, attacker: Colour) -> v1::Status {
    use Strength::{One, Three, Two};
    match status {
        Status::Won(side) if side == attacker => v1::Status::Won,
        Status::Won(_) => v1::Status::Lost,
        Status::AlmostWon(side) if side == attacker => v1::Status::AlmostWon,
        Status::AlmostWon(_) => v1::Status::AlmostLost,
        Status::Strong(side, strength) if side == attacker => match strength {
            One => v1::Status::Strong1,
            Two => v1::Status::Strong2,
            Three => v1::Status::Strong3,
        },
        Status::Strong(_, strength) => match strength {
            One => v1::Status::Weak1,
            Two => v1::Status::Weak2,
            Three => v1::Status::Weak3,
        },
        Status::Quiet => v1::Status::Quiet,
        Status::Unclear => v1::Status::Unclear,
    }
}
