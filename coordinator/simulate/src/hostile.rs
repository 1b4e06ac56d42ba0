//! What hostile workers do.

use std::fmt;
use std::str::FromStr;

use gridproof_game::Move;
use gridproof_search::{Goal, JobKind, JobResult, JobSpec, Status, Suggestion};

use super::dice::Dice;
use super::world::{Run, World};

/// How a worker does harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// It keeps its jobs and tells of progress for ever.
    Hoard,
    /// It praises 32 worthless moves as won.
    Praise,
    /// It thinks that every move loses.
    RunDown,
    /// It thinks that every move wins.
    Inflate,
    /// It says that no move is left.
    NoMove,
    /// It says that it found nothing.
    Nothing,
    /// It leaves open what is not.
    AllOpen,
    /// It leaves hardly anything open.
    HardlyOpen,
    /// It praises worthless moves, long after the job should have ended.
    SlowPraise,
    /// It hangs up with each job and comes back without it.
    Flap,
    /// It hands each job back.
    HandBack,
    /// It names moves that are known.
    Repeat,
    /// Every other answer is honest.
    Alternate,
    /// Honest for twenty answers, then it thinks that every move loses.
    Sleeper,
    /// Honest, but it tells of no nodes at all.
    Modest,
    /// It says at once that it found nothing, and tells of more nodes than can be.
    Boast,
}

impl Strategy {
    pub const ALL: [Self; 16] = [
        Self::Hoard,
        Self::Praise,
        Self::RunDown,
        Self::Inflate,
        Self::NoMove,
        Self::Nothing,
        Self::AllOpen,
        Self::HardlyOpen,
        Self::SlowPraise,
        Self::Flap,
        Self::HandBack,
        Self::Repeat,
        Self::Alternate,
        Self::Sleeper,
        Self::Modest,
        Self::Boast,
    ];

    /// How long a job takes that costs an honest worker so many milliseconds; nothing if it
    /// never ends. To lie takes no time.
    pub(super) const fn millis(self, kind: JobKind, honest: u64) -> Option<u64> {
        match (self, kind) {
            (Self::Hoard | Self::Flap, _) => None,
            (Self::SlowPraise, _) => Some(honest.saturating_mul(20)),
            (
                Self::Praise | Self::NoMove | Self::Nothing | Self::Boast | Self::Repeat,
                JobKind::Engine,
            )
            | (
                Self::AllOpen
                | Self::NoMove
                | Self::RunDown
                | Self::Nothing
                | Self::Boast
                | Self::Repeat,
                JobKind::Verifier,
            ) => Some(1),
            _ => Some(honest),
        }
    }

    /// The answer to a job, the worker's answers before it counted.
    pub(super) fn answer<W: World>(
        self,
        world: &mut W,
        job: &JobSpec,
        honest: &Run,
        answers: u64,
        dice: &mut Dice,
    ) -> Run {
        let mut run = honest.clone();
        let kind = job.id.kind;
        let result = match (self, kind) {
            (Self::Praise | Self::SlowPraise, JobKind::Engine) => Some(praise(world, job, dice)),
            (Self::Alternate, JobKind::Engine) if answers % 2 == 1 => {
                Some(praise(world, job, dice))
            }
            (Self::RunDown, JobKind::Engine) => thought_of(honest, Status::Lost),
            (Self::Sleeper, JobKind::Engine) if answers >= 20 => thought_of(honest, Status::Lost),
            (Self::Inflate, JobKind::Engine) => thought_of(honest, Status::Won),
            (Self::NoMove, JobKind::Engine) => Some(JobResult::NoMoreMoves),
            (Self::NoMove | Self::RunDown, JobKind::Verifier)
            | (Self::Nothing | Self::Boast, _) => Some(JobResult::Unknown),
            (Self::AllOpen, JobKind::Verifier) => {
                let mut moves = world.pointless(job, most_open(job), dice);
                if let JobResult::Open(honest) = &honest.result {
                    moves.extend(honest.iter().cloned());
                }
                Some(JobResult::Open(moves))
            }
            (Self::HardlyOpen, JobKind::Verifier) => match &honest.result {
                JobResult::Open(moves) => Some(JobResult::Open(moves[..1].to_vec())),
                _ => None,
            },
            (Self::Repeat, JobKind::Engine) => job.known.first().map(|mv| {
                let (mv, status) = (mv.clone(), Status::Won);
                JobResult::Moves(vec![Suggestion { mv, status }])
            }),
            (Self::Repeat, JobKind::Verifier) => Some(JobResult::NoMoreMoves),
            _ => None,
        };
        if let Some(result) = result {
            run.result = result;
        }
        run.spent = match self {
            Self::Modest => 0,
            Self::Boast => u64::MAX >> 8,
            _ => run.spent,
        };
        run
    }
}

/// Of longer lists the service takes no more than a verifier stops at.
fn most_open(job: &JobSpec) -> usize {
    match job.goal {
        Goal::Replies(limits) => limits.most_open as usize,
        Goal::Win | Goal::Moves => 0,
    }
}

/// Moves that do not win, said to win.
fn praise<W: World>(world: &mut W, job: &JobSpec, dice: &mut Dice) -> JobResult {
    let mut moves = world.pointless(job, 32, dice);
    moves.retain(|mv| !job.known.contains(mv));
    if moves.is_empty() {
        return JobResult::Unknown;
    }
    let praised = moves.into_iter().map(|mv| Suggestion {
        mv,
        status: Status::Won,
    });
    JobResult::Moves(praised.collect())
}

/// The honest moves, all thought of like this.
fn thought_of(honest: &Run, status: Status) -> Option<JobResult> {
    let JobResult::Moves(moves) = &honest.result else {
        return None;
    };
    let moves = moves.iter().map(|suggestion| Suggestion {
        mv: suggestion.mv.clone(),
        status,
    });
    Some(JobResult::Moves(moves.collect()))
}

/// Legal full moves, each another.
pub(super) fn random_moves(job: &JobSpec, count: usize, dice: &mut Dice) -> Vec<Move> {
    let mut empties: Vec<_> = job.position.empties().iter().collect();
    let mut moves = Vec::new();
    for _ in 0..4 * count {
        dice.shuffle(&mut empties);
        let mut stones = empties[..job.position.move_len()].to_vec();
        stones.sort_unstable();
        let mv = Move::full(stones);
        if moves.len() < count && !moves.contains(&mv) {
            moves.push(mv);
        }
    }
    moves
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hoard => "hoard",
            Self::Praise => "praise",
            Self::RunDown => "run-down",
            Self::Inflate => "inflate",
            Self::NoMove => "no-move",
            Self::Nothing => "nothing",
            Self::AllOpen => "all-open",
            Self::HardlyOpen => "hardly-open",
            Self::SlowPraise => "slow-praise",
            Self::Flap => "flap",
            Self::HandBack => "hand-back",
            Self::Repeat => "repeat",
            Self::Alternate => "alternate",
            Self::Sleeper => "sleeper",
            Self::Modest => "modest",
            Self::Boast => "boast",
        })
    }
}

/// A name that no strategy has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no strategy; they are {names}", names = Strategy::names())]
pub struct ParseStrategyError(String);

impl Strategy {
    fn names() -> String {
        Self::ALL.map(|strategy| strategy.to_string()).join(", ")
    }
}

impl FromStr for Strategy {
    type Err = ParseStrategyError;

    fn from_str(name: &str) -> Result<Self, ParseStrategyError> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|strategy| strategy.to_string() == name);
        found.ok_or_else(|| ParseStrategyError(name.to_owned()))
    }
}
