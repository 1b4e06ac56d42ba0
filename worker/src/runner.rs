//! Runs one job: no network, no clock, nothing but the search.

use std::io;

use gridproof_certificate::{Proof, WriteError, write_proof};
use gridproof_engine::{Engine, EngineError, Request, SearchResult};
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::{
    Budget, Findings, KnownReplies, Progress, ProvedReply, ReplyStatus, SolveError, Solver,
    Verdict, VerifierOptions,
};

use crate::job::{CertifiedReply, Job, JobKind, JobResult};

/// The solvers and engines of one thread. They are kept from job to job, since making them
/// costs tables and engines remember rankings.
#[derive(Debug, Default)]
pub(crate) struct JobRunner {
    by_rules: Vec<(Rules, Solver, Engine)>,
}

/// More games at a time than a coordinator ever mixes.
const GAMES: usize = 4;

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

impl JobRunner {
    /// `None` if somebody cancelled it: nobody waits for a result.
    pub(crate) fn run(
        &mut self,
        job: &Job,
        wait: &dyn Fn(),
        found: &mut dyn FnMut(Move),
    ) -> Result<Option<JobResult>, SearchError> {
        let (solver, engine) = self.of(*job.spec.position.rules());
        let mut progress = ProgressReporter { job, wait };
        let mut budget = Budget::of_nodes(job.spec.budget)
            .cancelled_by(job.cancel.clone())
            .reporting_to(&mut progress);
        let result = match &job.spec.kind {
            JobKind::Engine { known, goal } => {
                let request = Request {
                    position: &job.spec.position,
                    excluded: known,
                    goal: *goal,
                };
                suggest(engine, &request, &mut budget)
            }
            JobKind::Verifier {
                proved,
                open,
                limits,
            } => {
                let answered = proved;
                let options = VerifierOptions {
                    known: KnownReplies { answered, open },
                    nodes_per_reply: limits.nodes_per_reply,
                    times_per_null: limits.times_per_null,
                    most_open: Some(limits.most_open),
                    ..VerifierOptions::default()
                };
                verify(solver, &job.spec.position, options, &mut budget, found)
            }
        };
        job.set_spent(budget.spent());
        if job.cancel.is_cancelled() {
            return Ok(None);
        }
        result.map(Some)
    }

    fn of(&mut self, rules: Rules) -> (&Solver, &mut Engine) {
        let at = self.by_rules.iter().position(|(known, ..)| *known == rules);
        let at = at.unwrap_or_else(|| {
            if self.by_rules.len() == GAMES {
                self.by_rules.remove(0);
            }
            self.by_rules
                .push((rules, Solver::new(rules), Engine::new(rules)));
            self.by_rules.len() - 1
        });
        let (_, solver, engine) = &mut self.by_rules[at];
        (solver, engine)
    }
}

fn suggest(
    engine: &mut Engine,
    request: &Request<'_>,
    budget: &mut Budget<'_>,
) -> Result<JobResult, SearchError> {
    Ok(match engine.search(request, budget)? {
        SearchResult::Unknown => JobResult::Unknown,
        SearchResult::Won(win) => JobResult::Won {
            certificate: certificate(&win.proof)?,
        },
        SearchResult::Moves(moves) => JobResult::Moves(moves),
        SearchResult::NoMoves => JobResult::NoMove,
    })
}

fn verify(
    solver: &Solver,
    position: &Position,
    options: VerifierOptions<'_>,
    budget: &mut Budget<'_>,
    found: &mut dyn FnMut(Move),
) -> Result<JobResult, SearchError> {
    let known = options.known;
    let mut findings = OpenReplies(found);
    let done = solver.verify(position, options, budget, &mut findings)?;
    Ok(match done.verdict {
        Verdict::Proved(win) => JobResult::Won {
            certificate: certificate(&win.proof)?,
        },
        Verdict::DefenderHolds => JobResult::Refuted,
        Verdict::Open(open) => {
            let is_known =
                |reply: &ProvedReply| known.answered.iter().any(|other| other.mv == reply.mv);
            let new = done.answered.iter().filter(|reply| !is_known(reply));
            let proved = new.map(|reply| {
                Ok(CertifiedReply {
                    mv: reply.mv.clone(),
                    certificate: certificate(&reply.proof)?,
                })
            });
            JobResult::OpenReplies {
                open,
                proved: proved.collect::<Result<_, SearchError>>()?,
                complete: done.all_replies_examined,
            }
        }
    })
}

fn certificate(proof: &Proof) -> Result<Vec<u8>, SearchError> {
    let (file, _) = write_proof(proof, io::Cursor::new(Vec::new()))?;
    Ok(file.into_inner())
}

/// Counts nodes, and waits while the worker is paused.
struct ProgressReporter<'a> {
    job: &'a Job,
    wait: &'a dyn Fn(),
}

impl std::fmt::Debug for ProgressReporter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgressReporter").finish_non_exhaustive()
    }
}

impl Progress for ProgressReporter<'_> {
    fn nodes(&mut self, spent: u64) {
        self.job.set_spent(spent);
        (self.wait)();
    }
}

/// Passes on replies that may hold, as they are found.
struct OpenReplies<'a>(&'a mut dyn FnMut(Move));

impl Findings for OpenReplies<'_> {
    fn reply(&mut self, mv: &Move, status: ReplyStatus) {
        if status == ReplyStatus::Open {
            (self.0)(mv.clone());
        }
    }
}
