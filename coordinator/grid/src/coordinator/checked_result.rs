//! Nobody's "won" is believed: what a worker says is checked here, off the async threads,
//! before the core hears of it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gridproof_certificate::{
    CheckBudget, CheckLimits, ContentHash, FileRefusal, FormatError, ProofReader, Pruned, Reason,
    check_and_prune, check_file_within,
};
use gridproof_game::{Colour, Move, Position};
use gridproof_search::{JobEnd, JobResult, Suggestion};
use gridproof_solver::{Solver, Verdict};
use tracing::debug;

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
    /// Moves that it names, each of which may become a node.
    #[must_use]
    pub const fn new_moves(&self) -> usize {
        match self {
            Self::Moves(moves) => moves.len(),
            Self::Open { moves, .. } => moves.len(),
            _ => 0,
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
    /// Checking its certificates takes more memory than those of its job may take. Nothing is
    /// learnt.
    TooLarge { spent: u64 },
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
    /// Whether the checker could not go on within its memory. Then nothing is learnt.
    fn is_out_of_memory(&self) -> bool {
        matches!(
            self,
            Self::Certificate(FileRefusal::Refused(refusal))
                if matches!(refusal.reason, Reason::OutOfMemory(_))
        )
    }
}

/// Memory that any check may take. Many may go on at a time.
const SMALL: CheckLimits = CheckLimits { memory: 16 << 20 };

/// Memory for a large check, for each node and reply that its certificate may have. Proofs of
/// jobs share few of their nodes, and only those take room.
const BYTES_PER_EVENT: u64 = 16;
const LARGEST: u64 = 256 << 20;

/// What the check of a job's certificates may take, if it cannot do with little.
fn large(proof_limit: u64) -> CheckLimits {
    let memory = proof_limit.saturating_mul(BYTES_PER_EVENT);
    CheckLimits {
        memory: memory.clamp(SMALL.memory, LARGEST),
    }
}

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

/// How much memory a check may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckSize {
    Small,
    /// It could not do with little.
    Large,
}

/// All in a job's end that is to be checked, one after the other: between two checks others
/// have their turn.
#[derive(Debug)]
pub struct Checks {
    job: Arc<AssignedJob>,
    /// If what waits holds.
    end: CheckedResult,
    waiting: VecDeque<Waiting>,
    size: CheckSize,
    small: CheckLimits,
    large: CheckLimits,
    /// Nodes and replies that certificates may still have.
    events: u64,
    /// The hash of the file that was refused.
    refused: Option<[u8; 32]>,
}

#[derive(Debug)]
enum Waiting {
    /// Of the job's position, or of what follows a reply.
    Certificate(Option<Move>, Vec<u8>),
    Refutation,
}

impl Checks {
    /// Reads a job's end. A reply that is answered already, or twice, is not looked at.
    pub fn new(job: Arc<AssignedJob>, claim: Claim, spent: u64) -> Result<Self, Rejection> {
        let mut waiting = VecDeque::new();
        let result = match claim {
            Claim::Won { certificate } => {
                waiting.push_back(Waiting::Certificate(None, certificate));
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
                let mut known: BTreeSet<_> = job.answered.iter().cloned().collect();
                for (mv, certificate) in answers {
                    if known.insert(mv.clone()) {
                        waiting.push_back(Waiting::Certificate(Some(mv), certificate));
                    }
                }
                JobResult::of_open_replies(moves, came_to_all)
            }
            Claim::Refuted => {
                waiting.push_back(Waiting::Refutation);
                JobResult::Refuted
            }
            Claim::Unknown => JobResult::Unknown,
            Claim::Unanswered { end, reason } => {
                return Ok(Self::of(
                    job,
                    CheckedResult::Unanswered { end, reason },
                    waiting,
                ));
            }
        };
        let end = CheckedResult::Answer {
            result,
            spent: believable(spent),
            certificate: None,
            answers: Vec::new(),
        };
        Ok(Self::of(job, end, waiting))
    }

    fn of(job: Arc<AssignedJob>, end: CheckedResult, waiting: VecDeque<Waiting>) -> Self {
        Self {
            events: job.proof_limit,
            small: SMALL,
            large: large(job.proof_limit),
            job,
            end,
            waiting,
            size: CheckSize::Small,
            refused: None,
        }
    }

    /// How much the next check may take, if one is left.
    #[must_use]
    pub fn next_size(&self) -> Option<CheckSize> {
        (!self.waiting.is_empty()).then_some(self.size)
    }

    /// Makes the next check. Takes its time, unless `stop` is set meanwhile.
    pub fn check_next(&mut self, stop: &AtomicBool) -> Result<(), Rejection> {
        match self.waiting.pop_front() {
            None => Ok(()),
            Some(Waiting::Refutation) => {
                let solver = Solver::new(*self.job.position.rules());
                match solver.settle(&self.job.position, &[]) {
                    Ok(Verdict::DefenderHolds) => Ok(()),
                    _ => Err(Rejection::NotRefuted),
                }
            }
            Some(Waiting::Certificate(reply, file)) => self.check_file(reply, file, stop),
        }
    }

    fn check_file(
        &mut self,
        reply: Option<Move>,
        file: Vec<u8>,
        stop: &AtomicBool,
    ) -> Result<(), Rejection> {
        let mut start = self.job.position.clone();
        if let Some(mv) = &reply
            && start.play(mv).is_err()
        {
            return Err(Rejection::IllegalReply(mv.clone()));
        }
        let limits = match self.size {
            CheckSize::Small => self.small,
            CheckSize::Large => self.large,
        };
        let events = self.events;
        let budget = CheckBudget { events, stop };
        match check(&file, &start, self.job.attacker, limits, budget) {
            Ok(pruned) => {
                self.events -= pruned.events;
                self.size = CheckSize::Small;
                self.keep(reply, pruned.checked.hash, pruned.file.unwrap_or(file));
                Ok(())
            }
            Err(rejection) if rejection.is_out_of_memory() => {
                if limits == self.large {
                    self.end = CheckedResult::TooLarge {
                        spent: self.spent(),
                    };
                    self.waiting.clear();
                } else {
                    self.size = CheckSize::Large;
                    self.waiting.push_front(Waiting::Certificate(reply, file));
                }
                Ok(())
            }
            Err(rejection) => {
                self.refused = Some(*blake3::hash(&file).as_bytes());
                Err(rejection)
            }
        }
    }

    /// What tells a certificate that was refused from others.
    #[must_use]
    pub const fn refused(&self) -> Option<[u8; 32]> {
        self.refused
    }

    fn keep(&mut self, reply: Option<Move>, hash: ContentHash, file: Vec<u8>) {
        let CheckedResult::Answer {
            certificate,
            answers,
            ..
        } = &mut self.end
        else {
            return;
        };
        match reply {
            None => *certificate = Some((hash, file)),
            Some(mv) => answers.push((mv, hash, file)),
        }
    }

    const fn spent(&self) -> u64 {
        match self.end {
            CheckedResult::Answer { spent, .. } | CheckedResult::TooLarge { spent } => spent,
            CheckedResult::Unanswered { .. } => 0,
        }
    }

    /// What can be believed, once all is checked.
    #[must_use]
    pub fn finish(self) -> CheckedResult {
        debug_assert!(self.waiting.is_empty(), "all is checked");
        self.end
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
    let checked = check_file_within(&certificate[..], CheckLimits { memory: LARGEST }, budget)
        .map_err(rejection)?;
    let hash = checked.hash;
    Ok(CheckedResult::Answer {
        result: JobResult::Won,
        spent: 0,
        certificate: Some((hash, certificate)),
        answers: Vec::new(),
    })
}

/// Checks a worker's certificate. What its proof does not need is dropped, and the rest is
/// checked again: nobody else shall pay for it.
fn check(
    file: &[u8],
    start: &Position,
    attacker: Colour,
    limits: CheckLimits,
    budget: CheckBudget<'_>,
) -> Result<Pruned, Rejection> {
    compare(file, start, attacker, &budget)?;
    let pruned = check_and_prune(file, limits, budget).map_err(rejection)?;
    if pruned.file.is_some() {
        let needed = pruned.checked.events;
        debug!(events = pruned.events, needed, "a proof was padded");
    }
    Ok(pruned)
}

/// Compares the claim and the proof's size before anything else is read.
fn compare(
    file: &[u8],
    start: &Position,
    attacker: Colour,
    budget: &CheckBudget<'_>,
) -> Result<(), Rejection> {
    let reader = ProofReader::new(file).map_err(FileRefusal::from)?;
    let claim = reader.claim();
    if claim.start != *start || claim.attacker != attacker {
        return Err(Rejection::OtherClaim);
    }
    let nodes = reader.nodes();
    if nodes > budget.events {
        return Err(FileRefusal::from(FormatError::OverBudget(budget.events)).into());
    }
    Ok(())
}

fn rejection(refusal: FileRefusal) -> Rejection {
    match refusal {
        FileRefusal::Unreadable(FormatError::Stopped) => Rejection::Stopped,
        other => Rejection::Certificate(other),
    }
}

#[cfg(test)]
mod tests {
    use gridproof_certificate::{check_file, write_proof};
    use gridproof_game::read_game;
    use gridproof_search::{JobId, JobKind, LeaseId, NodeId, NodeKey};
    use gridproof_tests::proof_of;

    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// A verifier's job and a certificate that the attacker wins there.
    fn job() -> (AssignedJob, Vec<u8>) {
        let game = read_game(b"G7-M13 j8,k9").unwrap();
        let position = game.position().clone();
        let file = write_proof(&proof_of(&position), Vec::new()).unwrap().0;
        let job = AssignedJob {
            lease: LeaseId::from_bits(1),
            id: JobId {
                node: NodeId(0),
                key: NodeKey([0; 2]),
                kind: JobKind::Verifier,
                serial: 0,
            },
            attacker: position.to_move().other(),
            position,
            proof_limit: proof_limit(320_000, 0, false),
            answered: Vec::new(),
            most_open: None,
        };
        (job, file)
    }

    #[test]
    fn an_answer_told_again_is_not_looked_at() {
        let (mut job, _) = job();
        let empties: Vec<_> = job.position.empties().iter().collect();
        let [known, new] = [0, 2].map(|at| Move::full([empties[at], empties[at + 1]]));
        job.answered = vec![known.clone()];
        let answers = [known, new].into_iter().cycle().take(5_000);
        let claim = Claim::Open {
            moves: Vec::new(),
            answers: answers.map(|mv| (mv, Vec::new())).collect(),
            came_to_all: false,
        };
        let checks = Checks::new(Arc::new(job), claim, 1).unwrap();
        assert_eq!(checks.waiting.len(), 1);
    }

    #[test]
    fn what_a_job_brings_has_one_budget_for_all_its_certificates() {
        let (mut job, certificate) = job();
        let cost = check_file(&certificate[..], SMALL).unwrap().events;
        job.proof_limit = cost + 1;
        let mut checks = Checks::new(Arc::new(job), Claim::Won { certificate }, 1).unwrap();
        checks.check_next(&NEVER).unwrap();
        assert_eq!(checks.events, 1, "replies count, and not only nodes");
    }

    #[test]
    fn a_limit_grows_with_earlier_jobs_and_not_with_their_answers() {
        let first = proof_limit(1_000, 0, false);
        assert_eq!(proof_limit(1_000, 3, true), 4 * first);
        assert_eq!(proof_limit(1_000, 3, false), first);
    }

    #[test]
    fn a_certificate_that_takes_too_much_memory_is_tried_once_more_and_counts_for_nothing() {
        let (job, certificate) = job();
        let mut checks = Checks::new(Arc::new(job), Claim::Won { certificate }, 7).unwrap();
        checks.small = CheckLimits { memory: 1 };
        checks.large = CheckLimits { memory: 2 };
        assert_eq!(checks.next_size(), Some(CheckSize::Small));
        checks.check_next(&NEVER).unwrap();
        assert_eq!(checks.next_size(), Some(CheckSize::Large));
        checks.check_next(&NEVER).unwrap();
        assert_eq!(checks.next_size(), None);
        assert!(matches!(
            checks.finish(),
            CheckedResult::TooLarge { spent: 7 }
        ));
    }
}
