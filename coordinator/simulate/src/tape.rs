//! Real job trees on file: what real jobs answered and what they cost, so that simulations
//! replay them without solving anything.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use gridproof_game::{Colour, Move, Position};
use serde::{Deserialize, Serialize};

use super::world::Run;
use gridproof_search::{
    AuditRate, Budgets, ChildView, JobKind, JobResult, JobSpec, Level, NodeKey, Options, Status,
    Suggestion, stored,
};

/// A recorded search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tape {
    /// What was searched, for people.
    pub name: String,
    #[serde(with = "stored::position")]
    pub root: Box<Position>,
    #[serde(with = "stored::colour")]
    pub attacker: Colour,
    pub terms: Terms,
    jobs: BTreeMap<TapedKey, Vec<TapedJob>>,
    settlements: BTreeMap<TapedKey, Vec<TapedSettlement>>,
}

/// What the jobs of a tape were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Solver nodes a second of a usual machine.
    pub speed: u64,
    /// Solver nodes of an engine's first job.
    pub engine: u64,
    /// Solver nodes of a verifier's first job.
    pub verifier: u64,
    /// The level beyond which budgets do not grow.
    pub highest: Level,
}

/// Half a node's key: enough for one search, and keys are most of a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct TapedKey([u8; 8]);

impl TapedKey {
    fn of(key: NodeKey) -> Self {
        Self(key.0[0].to_le_bytes())
    }
}

/// A job and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TapedJob {
    kind: JobKind,
    level: Level,
    /// How many moves it was told of.
    known: u16,
    result: JobResult<(TapedMove, Status), TapedMove>,
    spent: u64,
    /// Open replies and after how many nodes a verifier told of them.
    found: Vec<(u64, TapedMove)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct TapedMove(#[serde(with = "stored::one_move")] Move);

/// What the shell made of a node when just these replies were proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TapedSettlement {
    when: Moment,
    still: TapedStill,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum TapedStill {
    Nothing,
    Needed(Vec<TapedMove>),
    Silence,
}

/// What is known of a defender's node when the shell is asked to settle it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moment {
    /// How many verifiers have told what they could settle.
    verified: u16,
    /// How many replies are proved.
    proved: u16,
    /// Which ones.
    which: u32,
}

impl Moment {
    pub(super) fn of(verified: u16, children: &[ChildView]) -> Self {
        let mut proved: u16 = 0;
        let mut which = 0;
        for child in children.iter().filter(|child| child.numbers.is_proved()) {
            let stones = child.mv.stones().iter();
            let mv = stones.fold(u64::from(child.mv.nulls()) + 1, |bits, square| {
                super::dice::mix(bits << 10 ^ square.index() as u64)
            });
            which ^= super::dice::mix(mv) as u32;
            proved = proved.saturating_add(1);
        }
        Self {
            verified,
            proved,
            which,
        }
    }
}

/// What the proofs of some replies leave to do for a defender's node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Still {
    /// Its proof is complete.
    Nothing,
    /// These replies, null, semi-null or full, must be answered.
    Needed(Vec<Move>),
    /// The shell has nothing to say.
    Silence,
}

/// Why a file is no tape.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    #[error("the job tree cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error(
        "this is no job tree, or it is damaged or of another version ({0}): record it again with `gridproof simulate record`"
    )]
    Damaged(#[from] postcard::Error),
}

impl Tape {
    #[must_use]
    pub fn new(name: &str, root: &Position, attacker: Colour, terms: Terms) -> Self {
        Self {
            name: name.to_owned(),
            root: Box::new(root.clone()),
            attacker,
            terms,
            jobs: BTreeMap::new(),
            settlements: BTreeMap::new(),
        }
    }

    pub fn read(from: impl Read) -> Result<Self, TapeError> {
        let mut bytes = Vec::new();
        zstd::Decoder::new(from)?.read_to_end(&mut bytes)?;
        Ok(postcard::from_bytes(&bytes)?)
    }

    pub fn write(&self, to: impl Write) -> Result<(), TapeError> {
        const LEVEL: i32 = 19;
        let bytes = postcard::to_stdvec(self)?;
        let mut encoder = zstd::Encoder::new(to, LEVEL)?;
        encoder.write_all(&bytes)?;
        encoder.finish()?;
        Ok(())
    }

    /// The job tree that comes with the program.
    #[must_use]
    pub fn bundled() -> Self {
        const BYTES: &[u8] = include_bytes!("../data/tx-i12.tape");
        Self::read(BYTES).expect("the program's own job tree is in order")
    }

    /// Options of the core as the tape was recorded with.
    #[must_use]
    pub fn options(&self) -> Options {
        Options {
            budgets: Budgets {
                engine: self.terms.engine,
                verifier: self.terms.verifier,
                highest: self.terms.highest,
                ..Budgets::default()
            },
            // Nobody lies here, and one worker alone must not wait for a second opinion.
            opinions: 1,
            audits: AuditRate::Never,
            ..Options::default()
        }
    }

    #[must_use]
    pub fn job_count(&self) -> usize {
        self.jobs.values().map(Vec::len).sum()
    }

    #[must_use]
    pub fn node_count(&self) -> usize {
        self.jobs.len()
    }

    /// The cost in solver nodes of all jobs of a kind, ascending.
    #[must_use]
    pub fn costs(&self, kind: JobKind) -> Vec<u64> {
        let jobs = self.jobs.values().flatten().filter(|job| job.kind == kind);
        let mut costs: Vec<u64> = jobs.map(|job| job.spent).collect();
        costs.sort_unstable();
        costs
    }

    pub(super) fn find(&self, job: &JobSpec) -> Option<Run> {
        let known = known(job);
        let jobs = self.jobs.get(&TapedKey::of(job.id.key))?;
        let taped = jobs
            .iter()
            .find(|taped| self.budget_of(taped) == job.budget && taped.known == known)?;
        Some(taped.play())
    }

    fn budget_of(&self, taped: &TapedJob) -> u64 {
        self.options().budgets.of(taped.kind, taped.level)
    }

    pub(super) fn record(&mut self, job: &JobSpec, run: &Run) {
        let levels = (0..=self.terms.highest.0).map(Level);
        let budgets = self.options().budgets;
        let level = levels
            .rev()
            .find(|&level| budgets.of(job.id.kind, level) <= job.budget);
        let taped = TapedJob::of(job, level.unwrap_or_default(), run);
        let key = TapedKey::of(job.id.key);
        self.jobs.entry(key).or_default().push(taped);
    }

    /// What was left to do at just this moment.
    pub(super) fn find_still(&self, node: NodeKey, when: Moment) -> Option<Still> {
        let known = self.settlements.get(&TapedKey::of(node))?;
        let taped = known.iter().find(|taped| taped.when == when)?;
        Some(taped.still.play())
    }

    /// What was left to do at the latest moment on the tape that is not later.
    pub(super) fn find_earlier_still(&self, node: NodeKey, when: Moment) -> Option<Still> {
        let known = self.settlements.get(&TapedKey::of(node))?.iter();
        let earlier =
            known.filter(|t| t.when.verified <= when.verified && t.when.proved <= when.proved);
        let taped = earlier.max_by_key(|taped| (taped.when.proved, taped.when.verified))?;
        Some(taped.still.play())
    }

    pub(super) fn record_still(&mut self, node: NodeKey, when: Moment, still: &Still) {
        if self.find_still(node, when).is_none() {
            let still = TapedStill::of(still);
            let settlements = self.settlements.entry(TapedKey::of(node)).or_default();
            settlements.push(TapedSettlement { when, still });
        }
    }
}

fn known(job: &JobSpec) -> u16 {
    u16::try_from(job.known.len()).unwrap_or(u16::MAX)
}

fn taped(moves: &[Move]) -> Vec<TapedMove> {
    moves.iter().cloned().map(TapedMove).collect()
}

fn played(moves: &[TapedMove]) -> Vec<Move> {
    moves.iter().map(|TapedMove(mv)| mv.clone()).collect()
}

impl TapedStill {
    fn of(still: &Still) -> Self {
        match still {
            Still::Nothing => Self::Nothing,
            Still::Needed(moves) => Self::Needed(taped(moves)),
            Still::Silence => Self::Silence,
        }
    }

    fn play(&self) -> Still {
        match self {
            Self::Nothing => Still::Nothing,
            Self::Needed(moves) => Still::Needed(played(moves)),
            Self::Silence => Still::Silence,
        }
    }
}

impl TapedJob {
    fn of(job: &JobSpec, level: Level, run: &Run) -> Self {
        let tape = |mv: &Move| TapedMove(mv.clone());
        let suggestion = |named: &Suggestion| (tape(&named.mv), named.status);
        let findings = run.findings.iter();
        Self {
            kind: job.id.kind,
            level,
            known: known(job),
            result: run.result.map(suggestion, tape),
            spent: run.spent,
            found: findings.map(|(at, mv)| (*at, tape(mv))).collect(),
        }
    }

    fn play(&self) -> Run {
        let play = |TapedMove(mv): &TapedMove| mv.clone();
        let suggestion = |(mv, status): &(TapedMove, Status)| Suggestion {
            mv: play(mv),
            status: *status,
        };
        let found = self.found.iter();
        Run {
            result: self.result.map(suggestion, play),
            spent: self.spent,
            findings: found.map(|(at, mv)| (*at, play(mv))).collect(),
            answered: Vec::new(),
        }
    }
}
