//! Nobody's "won" is believed: what a worker says is checked here, off the async threads,
//! before the core hears of it.

use std::sync::atomic::AtomicBool;

use gridproof_certificate::{
    CheckBudget, CheckLimits, ContentHash, FileRefusal, FormatError, ProofReader, Pruned, Reason,
    check_and_prune, check_file_within,
};
use gridproof_game::{Colour, Move, Position};
use gridproof_search::{JobEnd, JobResult, Suggestion};
use gridproof_solver::{Solver, Verdict};
use tracing::{debug, warn};

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
    /// Nobody's fault: the stream has ended meanwhile.
    #[error("nobody waits for it any more")]
    Stopped,
}

impl Rejection {
    /// Whether it is the checker that could not go on. Then nothing is learnt, and nobody has
    /// lied.
    fn is_ours(&self) -> bool {
        matches!(
            self,
            Self::Certificate(FileRefusal::Refused(refusal))
                if matches!(refusal.reason, Reason::OutOfMemory(_))
        )
    }
}

/// Memory for one check: a worker's certificate is a job's, not a whole search's.
const LIMITS: CheckLimits = CheckLimits { memory: 256 << 20 };

/// Nodes and replies of a proof for each node that its search may take. A proof is a part of
/// what was searched; the replies at its nodes are what makes it larger. Honest jobs had 2.9 at
/// most.
const EVENTS_PER_NODE: u64 = 8;
/// Of any proof, however small the job was.
const EVENTS_AT_LEAST: u64 = 1 << 18;

/// How large the certificates of a job may be, all together. Replies that earlier jobs of the node
/// answered come back in it: each was no larger, and what one job brought counts once, in
/// however many small answers it came.
pub(super) fn proof_limit(budget: u64, serial: u16, knows_any: bool) -> u64 {
    let jobs = if knows_any { 1 + u64::from(serial) } else { 1 };
    let events = budget.saturating_mul(EVENTS_PER_NODE);
    events.saturating_add(EVENTS_AT_LEAST).saturating_mul(jobs)
}

/// More nodes than any job searches: at a million a second, twelve days. Whoever claims more
/// makes it up, and sums of such claims must not overflow.
const MOST_SPENT: u64 = 1 << 40;

/// The nodes that a worker says it searched, as far as that can be.
pub(crate) fn believable(spent: u64) -> u64 {
    spent.min(MOST_SPENT)
}

/// Checks everything in a job's end that can be checked. Takes its time, unless `stop` is set
/// meanwhile.
pub fn check_result(
    job: &AssignedJob,
    claim: Claim,
    spent: u64,
    stop: &AtomicBool,
) -> Result<CheckedResult, Rejection> {
    match check_claim(job, claim, spent, stop) {
        Err(rejection) if rejection.is_ours() => {
            warn!("an answer could not be checked and counts for nothing: {rejection}");
            Ok(CheckedResult::Answer {
                result: JobResult::Unknown,
                spent: believable(spent),
                certificate: None,
                answers: Vec::new(),
            })
        }
        checked => checked,
    }
}

/// Checks a win that the operator's own book brings. Its proof may be larger than any job's.
pub(crate) fn check_book_win(
    job: &AssignedJob,
    certificate: Vec<u8>,
    stop: &AtomicBool,
) -> Result<CheckedResult, Rejection> {
    let budget = CheckBudget {
        events: u64::MAX,
        stop,
    };
    compare(&certificate, &job.position, job.attacker, &budget)?;
    let checked = check_file_within(&certificate[..], LIMITS, budget).map_err(rejection)?;
    let hash = checked.hash;
    Ok(CheckedResult::Answer {
        result: JobResult::Won,
        spent: 0,
        certificate: Some((hash, certificate)),
        answers: Vec::new(),
    })
}

fn check_claim(
    job: &AssignedJob,
    claim: Claim,
    spent: u64,
    stop: &AtomicBool,
) -> Result<CheckedResult, Rejection> {
    let mut budget = CheckBudget {
        events: job.proof_limit,
        stop,
    };
    let spent = believable(spent);
    let mut checked_certificate = None;
    let mut checked_answers = Vec::new();
    let result = match claim {
        Claim::Won { certificate } => {
            let checked = check(certificate, &job.position, job.attacker, &mut budget)?;
            checked_certificate = Some(checked);
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
                let (hash, certificate) = check(certificate, &after, job.attacker, &mut budget)?;
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

/// Checks a worker's certificate. What its proof does not need is dropped, and the rest is
/// checked again: nobody else shall pay for it.
fn check(
    file: Vec<u8>,
    start: &Position,
    attacker: Colour,
    budget: &mut CheckBudget<'_>,
) -> Result<(ContentHash, Vec<u8>), Rejection> {
    let nodes = compare(&file, start, attacker, budget)?;
    let Pruned {
        checked,
        file: pruned,
    } = check_and_prune(&file, LIMITS, *budget).map_err(rejection)?;
    budget.events = budget.events.saturating_sub(nodes);
    let left = pruned.unwrap_or(file);
    if checked.checked.nodes < nodes {
        debug!(nodes, needed = checked.checked.nodes, "a proof was padded");
    }
    Ok((checked.hash, left))
}

/// Compares the claim and the proof's size before anything else is read.
fn compare(
    file: &[u8],
    start: &Position,
    attacker: Colour,
    budget: &CheckBudget<'_>,
) -> Result<u64, Rejection> {
    let reader = ProofReader::new(file).map_err(FileRefusal::from)?;
    let claim = reader.claim();
    if claim.start != *start || claim.attacker != attacker {
        return Err(Rejection::OtherClaim);
    }
    let nodes = reader.nodes();
    if nodes > budget.events {
        return Err(FileRefusal::from(FormatError::OverBudget(budget.events)).into());
    }
    Ok(nodes)
}

fn rejection(refusal: FileRefusal) -> Rejection {
    match refusal {
        FileRefusal::Unreadable(FormatError::Stopped) => Rejection::Stopped,
        other => Rejection::Certificate(other),
    }
}
