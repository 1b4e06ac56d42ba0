//! How the core goes about it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::failed_work::FailedWork;
use super::job::{JobKind, Level};
use super::numbers::{Number, Numbers, Status};

/// Everything that can be set. The same options and the same events give the same state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub policy: Policy,
    pub overcounting: Overcounting,
    pub first_numbers: FirstNumbers,
    pub budgets: Budgets,
    /// How long a lost worker's jobs wait for it to come back.
    pub grace: Duration,
    /// How long a connected worker may say nothing about a job before it counts as lost.
    pub silence: Duration,
    /// How many different workers must say that an engine knows no more moves. Nobody can
    /// check that claim, so one liar must not be enough to end a branch.
    pub opinions: u8,
    /// How long to wait for more opinions while nobody is connected who could give one.
    pub opinion_patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            overcounting: Overcounting::default(),
            first_numbers: FirstNumbers::default(),
            budgets: Budgets::default(),
            grace: Duration::from_secs(60),
            silence: Duration::from_secs(120),
            opinions: 2,
            opinion_patience: Duration::from_secs(600),
        }
    }
}

/// What the search assumes of jobs that are running, so that it finds other work for other
/// machines. The numbers on record are never touched by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Policy {
    /// HeldJob jobs will win.
    VirtualWin,
    /// HeldJob jobs will fail.
    VirtualLoss,
    /// HeldJob jobs will leave the numbers as they are.
    VirtualEqual,
    /// HeldJob jobs will win or fail, whichever looks nearer.
    Greedy,
    /// No assumption, but branches where every job is running are passed by.
    Flag,
    /// Virtual equal, and branches where every job is running are passed by.
    VirtualEqualFlag,
    /// HeldJob jobs make their branch look longer to both sides, and branches where every job
    /// is running are passed by.
    Spread,
    /// HeldJob jobs will end as most of them do: an engine will name quiet moves. A verifier's
    /// numbers mostly stay as they are, so there it is as with spread.
    Expect,
    /// As with expect; and of all jobs that are left, anywhere, that one is taken which the least
    /// change of numbers would make the best. Others go down to where the best job is
    /// running and take what is left there, however bad.
    #[default]
    Detour,
}

impl Policy {
    pub const ALL: [Self; 9] = [
        Self::VirtualWin,
        Self::VirtualLoss,
        Self::VirtualEqual,
        Self::Greedy,
        Self::Flag,
        Self::VirtualEqualFlag,
        Self::Spread,
        Self::Expect,
        Self::Detour,
    ];
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::VirtualWin => "virtual-win",
            Self::VirtualLoss => "virtual-loss",
            Self::VirtualEqual => "virtual-equal",
            Self::Greedy => "greedy",
            Self::Flag => "flag",
            Self::VirtualEqualFlag => "virtual-equal-flag",
            Self::Spread => "spread",
            Self::Expect => "expect",
            Self::Detour => "detour",
        })
    }
}

/// Why a text names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no policy: choose {names}", names = Policy::ALL.map(|p| p.to_string()).join(", "))]
pub struct ParsePolicyError(String);

impl FromStr for Policy {
    type Err = ParsePolicyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| ParsePolicyError(text.chars().take(40).collect()))
    }
}

/// What a position's numbers are before any job has looked at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum FirstNumbers {
    /// By what an engine or a verifier thought of it.
    #[default]
    Graded,
    /// 1/1 for all, to measure what opinions are worth.
    Even,
}

impl FirstNumbers {
    /// What an opinion counts as.
    #[must_use]
    pub const fn of(self, status: Status) -> Status {
        match self {
            Self::Graded => status,
            Self::Even => Status::NoOpinion,
        }
    }

    /// By how much a position is harder to prove where an engine found no win. It names moves
    /// that look won, so the position would seem as near to a proof as before; but of 2,900 such
    /// 6% were proved later, and of fresh ones half. So each on the way to a leaf counts, and a
    /// search does not stay with one deep line while other moves have hardly been looked at.
    pub(super) const fn resistance(self) -> Number {
        match self {
            Self::Graded => 15,
            Self::Even => 0,
        }
    }

    /// By how much each move is harder to prove than the one that an engine named before. It names
    /// the best first: half of those that won were its first two. And it always knows another
    /// move that looks well, so without this a position where a hundred were tried in vain
    /// would look as near to a proof as a new one, and the search would stay there: TX-H7 with 16
    /// workers did so for 35,000 of 45,000 jobs. Measured with jobs of 1,600 and 8,000 nodes: of
    /// ten openings that one worker had not proved eight fall, with 4 for each move seven. With
    /// usual jobs eight of the hardest openings take a fifth fewer nodes.
    pub(super) const fn lateness(self) -> Number {
        match self {
            Self::Graded => 2,
            Self::Even => 0,
        }
    }

    /// By how much a move is harder to prove that has cost so much in vain. Other numbers hardly
    /// grow while jobs fail, because of a defender's replies only the hardest counts in full: I7-M11
    /// took 16 and 64 workers 70,000 jobs and more, most of them on the last reply to a move,
    /// while others had hardly been gone into. With this it takes them 30,000. Of seven openings
    /// with jobs of 1,600 and 8,000 nodes one worker proves all within 44,000 jobs; without it,
    /// three within some 40,000. 32 and 128 instead of 64 are about as good, 16 is worse.
    pub(super) const fn weariness(self, failed_work: FailedWork) -> Number {
        match self {
            Self::Graded => failed_work.count() / 64,
            Self::Even => 0,
        }
    }

    /// The numbers of a verifier's next job, of this level, where the last was cut short.
    /// Most replies were not looked at, so it is worse than a whole list of eight; and before
    /// engines go into those that are known, the list should be made longer.
    pub(super) fn after_cut_short(self, next: Level) -> Option<Numbers> {
        const DOUBLINGS: u8 = 4;
        let doublings = next.0.clamp(1, DOUBLINGS) - 1;
        (self == Self::Graded).then(|| Numbers::new(40 << doublings, 4))
    }

    /// The numbers of an engine's next job where a glance found no win. Of the defender's
    /// replies those that nobody has glanced at come first.
    pub(super) fn after_glance(self) -> Option<Numbers> {
        (self == Self::Graded).then(|| Numbers::new(5, 12))
    }
}

/// The answer to a node being counted once for every way that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Overcounting {
    /// None: numbers add up, as in a tree.
    Sum,
    /// Weak proof numbers (Ueda and others, 2008): the largest number of a child, plus a little
    /// for each other open child. A shared node counts in full once at most.
    #[default]
    Weak,
}

/// What each other open child adds to the largest. The published one adds too little here: a
/// move that leaves 9 replies open, one of them hard, looked worse than one that leaves 27. Of
/// nine hard openings with 34 million nodes seven were proved with 1 for each, seven with an eighth
/// of its number, and eight with this.
pub(super) const fn weak_share(number: Number) -> Number {
    let share = if number < 16 { 2 } else { number / 8 };
    if share < number { share } else { number }
}

/// How many solver nodes a job may spend, by its kind and level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budgets {
    pub engine: u64,
    pub verifier: u64,
    /// Each level's budget is so many times that of the level before.
    pub growth: u64,
    /// A node whose job of this level comes to nothing is given up.
    pub highest: Level,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            engine: 1_000_000,
            verifier: 320_000,
            growth: 2,
            highest: Level(8),
        }
    }
}

impl Budgets {
    #[must_use]
    pub fn of(&self, kind: JobKind, level: Level) -> u64 {
        let base = match kind {
            JobKind::Engine => self.engine,
            JobKind::Verifier => self.verifier,
        };
        match (kind, level) {
            (JobKind::Engine, Level::GLANCE) => base / Self::GLANCES,
            (JobKind::Engine, Level(level)) => self.grown(base, level - 1),
            (JobKind::Verifier, Level(level)) => self.grown(base, level),
        }
    }

    /// An engine's first job at a position only glances at it, with so small a part of the
    /// nodes of the next.
    const GLANCES: u64 = 4;

    const fn grown(&self, base: u64, times: u8) -> u64 {
        base.saturating_mul(self.growth.saturating_pow(times as u32))
    }
}
