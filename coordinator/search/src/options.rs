//! How the core goes about it.

use std::time::Duration;

use super::job::{JobKind, Level};
use super::numbers::{FirstNumbers, Overcounting};

/// Everything that can be set. The same options and the same events give the same state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
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
    /// How long to wait for another opinion once the others have gone who could give one. A
    /// worker that always was alone is believed at once.
    pub opinion_patience: Duration,
    pub audits: AuditRate,
    /// What decides, with much else, which answers are looked at again. Workers must not know it.
    pub secret: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            overcounting: Overcounting::default(),
            first_numbers: FirstNumbers::default(),
            budgets: Budgets::default(),
            grace: Duration::from_secs(60),
            silence: Duration::from_secs(120),
            opinions: 2,
            opinion_patience: Duration::from_secs(600),
            audits: AuditRate::default(),
            secret: 0,
        }
    }
}

/// Whether answers that nobody can check are looked at again, by another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AuditRate {
    /// All workers are our own.
    Never,
    #[default]
    NowAndThen,
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
