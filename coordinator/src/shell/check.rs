//! Nobody's "won" is believed: what a worker says is checked here, off the async threads,
//! before the core hears of it.

use gridproof_certificate::{CheckLimits, ContentHash, FileRefusal, check_file};
use gridproof_game::{Colour, Move, Position};
use gridproof_proto::v1::done::Outcome as Said;
use gridproof_proto::{WireError, v1};
use gridproof_solver::{Left, Solver};

use super::connection::Assigned;
use crate::core::{Outcome, Status, Suggestion};

/// A job's end, as far as it can be believed.
#[derive(Debug)]
pub enum CheckedDone {
    Answer {
        outcome: Outcome,
        spent: u64,
        /// Of a win.
        certificate: Option<(ContentHash, Vec<u8>)>,
        /// Of single replies.
        answers: Vec<(Move, ContentHash, Vec<u8>)>,
    },
    /// The worker could not do it.
    Broken { reason: String },
}

/// Why a worker is not believed, and cut off.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    #[error("the message makes no sense: {0}")]
    Wire(#[from] WireError),
    #[error("a done without an outcome that this coordinator knows")]
    NoOutcome,
    #[error("{0} is no status")]
    Status(i32),
    #[error("the certificate does not hold: {0}")]
    Certificate(#[from] FileRefusal),
    #[error("the certificate is for another position, or for the other side")]
    OtherClaim,
    #[error("the reply {0} cannot be played")]
    IllegalReply(Move),
    #[error("the defender is said to win at once, and does not")]
    NotRefuted,
    #[error("this answer does not fit the kind of job")]
    WrongKind,
}

/// Memory for one check: a worker's certificate is a job's, not a whole search's.
const LIMITS: CheckLimits = CheckLimits { memory: 1 << 30 };

/// More nodes than any job searches: at a million a second, twelve days. Whoever claims more
/// makes it up, and sums of such claims must not overflow.
const MOST_SPENT: u64 = 1 << 40;

/// The nodes that a worker says it searched, as far as that can be.
pub(crate) fn believable(spent: u64) -> u64 {
    spent.min(MOST_SPENT)
}

/// Of longer lists of suggestions only the beginning counts.
const MOST_SUGGESTIONS: usize = 32;

/// Checks everything in a job's end that can be checked. Takes its time.
pub fn check_done(job: &Assigned, done: v1::Done) -> Result<CheckedDone, Rejection> {
    let rules = job.position.rules();
    let spent = believable(done.spent);
    let mut certificate = None;
    let mut answers = Vec::new();
    let outcome = match done.outcome.ok_or(Rejection::NoOutcome)? {
        Said::Won(won) => {
            let hash = check(&won.certificate, &job.position, job.attacker)?;
            certificate = Some((hash, won.certificate.into()));
            Outcome::Won
        }
        Said::Suggestions(suggestions) => {
            let best = suggestions.moves.iter().take(MOST_SUGGESTIONS);
            let moves = best.map(|suggestion| {
                let mv = suggestion.r#move.as_ref();
                let mv = mv.ok_or(WireError::Missing("move"))?.read(rules)?;
                let status = status_from_wire(suggestion.status)?;
                Ok(Suggestion { mv, status })
            });
            let moves = moves.collect::<Result<Vec<_>, Rejection>>()?;
            if moves.is_empty() {
                return Err(WireError::Missing("suggestion").into());
            }
            Outcome::Moves(moves)
        }
        Said::NoMove(_) => Outcome::NoMoreMoves,
        Said::Open(open) => {
            if job.position.to_move() == job.attacker {
                return Err(Rejection::WrongKind);
            }
            for answer in open.answers {
                let mv = answer.r#move.as_ref().ok_or(WireError::Missing("move"))?;
                let mv = mv.read(rules)?;
                let mut after = job.position.clone();
                if after.play(&mv).is_err() {
                    return Err(Rejection::IllegalReply(mv));
                }
                let hash = check(&answer.certificate, &after, job.attacker)?;
                answers.push((mv, hash, answer.certificate.into()));
            }
            let moves: Result<_, _> = open.moves.iter().map(|mv| mv.read(rules)).collect();
            Outcome::of_open_replies(moves?, !open.cut_short)
        }
        Said::Refuted(_) => {
            let solver = Solver::new(*rules);
            match solver.settle(&job.position, &[]) {
                Ok(Left::DefenderHolds) => Outcome::Refuted,
                _ => return Err(Rejection::NotRefuted),
            }
        }
        Said::Unknown(_) => Outcome::Unknown,
        Said::Broken(broken) => {
            let reason = broken.reason.chars().take(200).collect();
            return Ok(CheckedDone::Broken { reason });
        }
    };
    Ok(CheckedDone::Answer {
        outcome,
        spent,
        certificate,
        answers,
    })
}

fn check(file: &[u8], start: &Position, attacker: Colour) -> Result<ContentHash, Rejection> {
    let checked = check_file(file, LIMITS)?;
    let claim = &checked.checked.claim;
    if claim.start != *start || claim.attacker != attacker {
        return Err(Rejection::OtherClaim);
    }
    Ok(checked.hash)
}

pub(crate) fn status_from_wire(status: i32) -> Result<Status, Rejection> {
    Ok(match v1::Status::try_from(status) {
        Ok(v1::Status::Won) => Status::Won,
        Ok(v1::Status::AlmostWon) => Status::AlmostWon,
        Ok(v1::Status::Strong3) => Status::Strong3,
        Ok(v1::Status::Strong2) => Status::Strong2,
        Ok(v1::Status::Strong1) => Status::Strong1,
        Ok(v1::Status::Quiet) => Status::Quiet,
        Ok(v1::Status::Unclear | v1::Status::Unspecified) => Status::Unclear,
        Ok(v1::Status::Weak1) => Status::Weak1,
        Ok(v1::Status::Weak2) => Status::Weak2,
        Ok(v1::Status::Weak3) => Status::Weak3,
        Ok(v1::Status::AlmostLost) => Status::AlmostLost,
        Ok(v1::Status::Lost) => Status::Lost,
        Err(_) => return Err(Rejection::Status(status)),
    })
}
