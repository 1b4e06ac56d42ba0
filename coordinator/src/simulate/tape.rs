//! Real job trees on file: what real jobs answered and what they cost, so that simulations
//! replay them without solving anything.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use gridproof_game::{Colour, Move, Position};
use serde::{Deserialize, Serialize};

use super::world::{Run, Settlement, World};
use crate::core::{
    Budgets, ChildView, Found, Job, JobKind, Level, NodeKey, Options, Outcome, ReplyState, Status,
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
    /// Solver nodes a second of a usual machine.
    pub speed: u64,
    /// Solver nodes of an engine's first job.
    pub engine: u64,
    /// Solver nodes of a verifier's first job.
    pub verifier: u64,
    jobs: BTreeMap<NodeKey, Vec<TapedJob>>,
    replies: BTreeMap<NodeKey, TapedReplies>,
}

/// A job and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct TapedJob {
    kind: JobKind,
    level: Level,
    /// How many moves the engine was told of; 0 for verifiers.
    known: u16,
    outcome: TapedOutcome,
    spent: u64,
    /// Open replies and after how many nodes a verifier told of them.
    found: Vec<(u64, TapedMove)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum TapedOutcome {
    Won,
    Moves(Vec<(TapedMove, Status)>),
    NoMoreMoves,
    Open(Vec<TapedMove>),
    Refuted,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct TapedMove(#[serde(with = "stored::one_move")] Move);

/// What the proof of a reply meant for the other replies of its node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TapedReplies {
    by: BTreeMap<TapedMove, Consequences>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Consequences {
    needed: Vec<TapedMove>,
    excused: Vec<TapedMove>,
}

/// Why a file is no tape.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    #[error("the job tree cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error(
        "this is no job tree, or it is damaged ({0}): record it again with `gridproof simulate --record`"
    )]
    Damaged(#[from] postcard::Error),
}

impl Tape {
    #[must_use]
    pub fn new(name: &str, root: &Position, attacker: Colour, speed: u64) -> Self {
        let budgets = Budgets::default();
        Self {
            name: name.to_owned(),
            root: Box::new(root.clone()),
            attacker,
            speed,
            engine: budgets.engine,
            verifier: budgets.verifier,
            jobs: BTreeMap::new(),
            replies: BTreeMap::new(),
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
        const BYTES: &[u8] = include_bytes!("../../data/job-tree.tape");
        Self::read(BYTES).expect("the program's own job tree is in order")
    }

    /// Options of the core as the tape was recorded with.
    #[must_use]
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        options.budgets.engine = self.engine;
        options.budgets.verifier = self.verifier;
        options
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

    pub(super) fn find(&self, job: &Job) -> Option<Run> {
        let known = known(job);
        let jobs = self.jobs.get(&job.name.key)?;
        let taped = jobs
            .iter()
            .find(|taped| taped.level == job.level && taped.known == known)?;
        Some(taped.play())
    }

    pub(super) fn record(&mut self, job: &Job, run: &Run) {
        let taped = TapedJob::of(job, run);
        self.jobs.entry(job.name.key).or_default().push(taped);
    }

    pub(super) fn record_replies(&mut self, node: NodeKey, by: &Move, settlement: &Settlement) {
        let replies = self.replies.entry(node).or_default();
        let consequences = replies.by.entry(TapedMove(by.clone())).or_default();
        let lists = [
            (&mut consequences.needed, &settlement.needed),
            (&mut consequences.excused, &settlement.excused),
        ];
        for (list, more) in lists {
            for mv in more {
                let mv = TapedMove(mv.clone());
                if !list.contains(&mv) {
                    list.push(mv);
                }
            }
        }
    }
}

fn known(job: &Job) -> u16 {
    match job.name.kind {
        JobKind::Engine => u16::try_from(job.known.len()).unwrap_or(u16::MAX),
        JobKind::Verifier => 0,
    }
}

impl TapedJob {
    fn of(job: &Job, run: &Run) -> Self {
        let moves = |moves: &[Move]| moves.iter().cloned().map(TapedMove).collect();
        let outcome = match &run.outcome {
            Outcome::Won => TapedOutcome::Won,
            Outcome::Moves(suggestions) => TapedOutcome::Moves(
                suggestions
                    .iter()
                    .map(|suggestion| (TapedMove(suggestion.mv.clone()), suggestion.status))
                    .collect(),
            ),
            Outcome::NoMoreMoves => TapedOutcome::NoMoreMoves,
            Outcome::Open(open) => TapedOutcome::Open(moves(open)),
            Outcome::Refuted => TapedOutcome::Refuted,
            Outcome::Unknown => TapedOutcome::Unknown,
        };
        let found = run
            .findings
            .iter()
            .filter(|(_, _, found)| *found == Found::Open);
        Self {
            kind: job.name.kind,
            level: job.level,
            known: known(job),
            outcome,
            spent: run.spent,
            found: found
                .map(|(at, mv, _)| (*at, TapedMove(mv.clone())))
                .collect(),
        }
    }

    fn play(&self) -> Run {
        let outcome = match &self.outcome {
            TapedOutcome::Won => Outcome::Won,
            TapedOutcome::Moves(moves) => {
                let moves = moves.iter().map(|(TapedMove(mv), status)| Suggestion {
                    mv: mv.clone(),
                    status: *status,
                });
                Outcome::Moves(moves.collect())
            }
            TapedOutcome::NoMoreMoves => Outcome::NoMoreMoves,
            TapedOutcome::Open(moves) => {
                Outcome::Open(moves.iter().map(|TapedMove(mv)| mv.clone()).collect())
            }
            TapedOutcome::Refuted => Outcome::Refuted,
            TapedOutcome::Unknown => Outcome::Unknown,
        };
        let findings = self
            .found
            .iter()
            .map(|(at, TapedMove(mv))| (*at, mv.clone(), Found::Open));
        Run {
            outcome,
            spent: self.spent,
            findings: findings.collect(),
        }
    }
}

/// A world that plays a tape.
#[derive(Debug)]
pub struct Recorded<'a> {
    tape: &'a Tape,
    /// Jobs that were asked for and are not on the tape.
    pub missing: u64,
}

impl<'a> Recorded<'a> {
    #[must_use]
    pub fn new(tape: &'a Tape) -> Self {
        Self { tape, missing: 0 }
    }
}

impl World for Recorded<'_> {
    fn root(&self) -> (Position, Colour) {
        (Position::clone(&self.tape.root), self.tape.attacker)
    }

    /// A job that is not on the tape spends its budget and learns nothing.
    fn run(&mut self, job: &Job) -> Run {
        self.tape.find(job).unwrap_or_else(|| {
            self.missing += 1;
            Run {
                outcome: Outcome::Unknown,
                spent: job.budget,
                findings: Vec::new(),
            }
        })
    }

    fn settle(
        &mut self,
        position: &Position,
        attacker: Colour,
        children: &[ChildView],
    ) -> Settlement {
        let key = NodeKey::of_canonical(position, attacker);
        let mut settlement = Settlement::default();
        let Some(replies) = self.tape.replies.get(&key) else {
            return settlement;
        };
        let is_proved = |mv: &Move| {
            children
                .iter()
                .any(|child| child.mv == *mv && child.numbers.is_proved())
        };
        let mut is_complete = true;
        let proved = children.iter().filter(|child| child.numbers.is_proved());
        let mut consequences = Vec::new();
        for child in proved {
            match replies.by.get(&TapedMove(child.mv.clone())) {
                Some(known) => consequences.push(known),
                None => is_complete = false,
            }
        }
        let is_excused =
            |mv: &TapedMove| consequences.iter().any(|known| known.excused.contains(mv));
        for child in children {
            if child.numbers.is_proved() || child.state == ReplyState::Excused {
                continue;
            }
            if is_excused(&TapedMove(child.mv.clone())) {
                settlement.excused.push(child.mv.clone());
            } else {
                is_complete = false;
            }
        }
        for mv in consequences.iter().flat_map(|known| &known.needed) {
            let is_known = children
                .iter()
                .any(|child| child.mv == mv.0 && child.state == ReplyState::Live);
            if is_proved(&mv.0) || is_known || is_excused(mv) || settlement.needed.contains(&mv.0) {
                continue;
            }
            is_complete = false;
            settlement.needed.push(mv.0.clone());
        }
        settlement.closed = is_complete;
        settlement
    }

    fn is_won(&mut self, _: &Job) -> bool {
        true
    }

    fn is_refuted(&mut self, _: &Job) -> bool {
        true
    }
}
