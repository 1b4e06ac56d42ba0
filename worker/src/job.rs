//! A job as it is run, and its way from and to the wire.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gridproof_certificate::{FormatError, read_proof};
use gridproof_game::{Colour, Move, Position};
use gridproof_proto::{WireError, colour_from_wire, v1};
use gridproof_solver::{Cancel, KnownReply};

/// What the coordinator wants to know.
#[derive(Debug)]
pub(crate) enum Question {
    /// A win of the side to move, or a move that is not among the known ones.
    Engine { known: Vec<Move> },
    /// Whether every reply loses; some are answered already.
    Verifier {
        answered: Vec<KnownReply>,
        open: Vec<Move>,
    },
}

/// A job that somebody runs.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) lease: u64,
    /// Handed back as it came.
    pub(crate) name: v1::JobName,
    pub(crate) position: Position,
    pub(crate) question: Question,
    pub(crate) budget: u64,
    pub(crate) level: u8,
    pub(crate) cancel: Cancel,
    pub(crate) meter: Meter,
}

/// How far a job is.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    spent: AtomicU64,
    settled: AtomicU64,
}

impl Meter {
    pub(crate) fn set_spent(&self, nodes: u64) {
        self.spent.store(nodes, Ordering::Relaxed);
    }

    pub(crate) fn count_settled(&self) {
        self.settled.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    pub(crate) fn settled(&self) -> u64 {
        self.settled.load(Ordering::Relaxed)
    }
}

/// Why a pushed job cannot be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JobError {
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error("the kind of job is unknown to this worker: update it")]
    Kind,
    #[error("the attacker is not the side that this kind of job is for")]
    Side,
    #[error("a known answer cannot be read: {0}")]
    Answer(#[from] FormatError),
}

impl Job {
    pub(crate) fn read(push: &v1::Push) -> Result<Self, JobError> {
        let name = push.job.ok_or(WireError::Missing("job"))?;
        let wire = push.position.as_ref();
        let position = Position::try_from(wire.ok_or(WireError::Missing("position"))?)?;
        let attacker = colour_from_wire(push.attacker)?.ok_or(WireError::Missing("attacker"))?;
        let rules = *position.rules();
        let known: Result<_, _> = push.known.iter().map(|mv| mv.read(&rules)).collect();
        let question = match name.kind() {
            v1::JobKind::Engine => {
                check_side(&position, attacker)?;
                Question::Engine { known: known? }
            }
            v1::JobKind::Verifier => {
                check_side(&position, attacker.other())?;
                let answered: Result<_, JobError> = push
                    .answers
                    .iter()
                    .map(|answer| {
                        let mv = answer.r#move.as_ref().ok_or(WireError::Missing("move"))?;
                        let (proof, _) = read_proof(io::Cursor::new(&answer.certificate))?;
                        let proof = Arc::new(proof);
                        Ok(KnownReply {
                            mv: mv.read(&rules)?,
                            proof,
                        })
                    })
                    .collect();
                Question::Verifier {
                    answered: answered?,
                    open: known?,
                }
            }
            v1::JobKind::Unspecified => return Err(JobError::Kind),
        };
        Ok(Self {
            lease: push.lease,
            name,
            position,
            question,
            budget: push.budget,
            level: u8::try_from(push.level).unwrap_or(u8::MAX),
            cancel: Cancel::default(),
            meter: Meter::default(),
        })
    }
}

fn check_side(position: &Position, to_move: Colour) -> Result<(), JobError> {
    if position.to_move() == to_move {
        Ok(())
    } else {
        Err(JobError::Side)
    }
}
