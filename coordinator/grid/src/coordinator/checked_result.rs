//! Nobody's "won" is believed: what a worker says is checked here, off the async threads,
//! before the core hears of it.

use gridproof_certificate::{CheckLimits, ContentHash, FileRefusal, check_file};
use gridproof_game::{Colour, Move, Position};
use gridproof_search::{JobEnd, JobResult, Suggestion};
use gridproof_solver::{Solver, Verdict};

use super::connection::AssignedJob;

/// A job's end as its worker tells it: nothing of it is believed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    Won {
        certificate: Vec<u8>,
    },
    Moves(Vec<Suggestion>),
    NoMoreMoves,
    Open {
        moves: Vec<Move>,
        /// Replies that are answered, each with its certificate.
        answers: Vec<(Move, Vec<u8>)>,
        came_to_all: bool,
    },
    Refuted,
    Unknown,
    /// The worker could not do it, or will not; why, for people.
    Unanswered {
        end: JobEnd,
        reason: String,
    },
}

impl Claim {
    /// Whether there is nothing in it whose check takes time.
    #[must_use]
    pub fn is_quick_to_check(&self) -> bool {
        match self {
            Self::Won { .. } | Self::Refuted => false,
            Self::Open { answers, .. } => answers.is_empty(),
            _ => true,
        }
    }
}

/// A job's end, as far as it can be believed.
#[derive(Debug)]
pub enum CheckedResult {
    Answer {
        result: JobResult,
        spent: u64,
        /// Of a win.
        certificate: Option<(ContentHash, Vec<u8>)>,
        /// Of single replies.
        answers: Vec<(Move, ContentHash, Vec<u8>)>,
    },
    /// The worker could not do it, or will not; why, for people.
    Unanswered { end: JobEnd, reason: String },
}

/// Why a worker is not believed, and cut off.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
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

/// Checks everything in a job's end that can be checked. Takes its time.
pub fn check_result(
    job: &AssignedJob,
    claim: Claim,
    spent: u64,
) -> Result<CheckedResult, Rejection> {
    let spent = believable(spent);
    let mut checked_certificate = None;
    let mut checked_answers = Vec::new();
    let result = match claim {
        Claim::Won { certificate } => {
            let hash = check(&certificate, &job.position, job.attacker)?;
            checked_certificate = Some((hash, certificate));
            JobResult::Won
        }
        Claim::Moves(moves) => JobResult::Moves(moves),
        Claim::NoMoreMoves => JobResult::NoMoreMoves,
        Claim::Open {
            moves,
            answers,
            came_to_all,
        } => {
            if job.position.to_move() == job.attacker {
                return Err(Rejection::WrongKind);
            }
            for (mv, certificate) in answers {
                let mut after = job.position.clone();
                if after.play(&mv).is_err() {
                    return Err(Rejection::IllegalReply(mv));
                }
                let hash = check(&certificate, &after, job.attacker)?;
                checked_answers.push((mv, hash, certificate));
            }
            JobResult::of_open_replies(moves, came_to_all)
        }
        Claim::Refuted => {
            let solver = Solver::new(*job.position.rules());
            match solver.settle(&job.position, &[]) {
                Ok(Verdict::DefenderHolds) => JobResult::Refuted,
                _ => return Err(Rejection::NotRefuted),
            }
        }
        Claim::Unknown => JobResult::Unknown,
        Claim::Unanswered { end, reason } => {
            return Ok(CheckedResult::Unanswered { end, reason });
        }
    };
    Ok(CheckedResult::Answer {
        result,
        spent,
        certificate: checked_certificate,
        answers: checked_answers,
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
