//! How jobs end.

use std::fmt;

use gridproof_game::Move;
use serde::{Deserialize, Serialize};

use crate::numbers::Status;

/// The answer to a job. `S` is a move of the attacker that is worth a try, `R` a reply of the
/// defender: workers tell moves, and facts keep the nodes to which they lead.
///
/// Stored in facts and on tapes: the order of the variants is part of both formats.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum JobResult<S = Suggestion, R = Move> {
    /// The attacker wins the node's position, and the shell has checked the certificate.
    Won,
    /// No win found; these moves, best first, are worth a try and were not known. One is
    /// enough. From engine jobs only.
    Moves(Vec<S>),
    /// No win found, and no move worth a try is left. From engine jobs only. It counts once
    /// enough workers say so.
    NoMoreMoves,
    /// These defender moves, null, semi-null or full, could not be settled; all others were,
    /// unless the job spent its whole budget. From verifier jobs only.
    Open(Vec<R>),
    /// The defender completes a line at once, or fills the board; the shell has checked that
    /// it is so. From verifier jobs only.
    Refuted,
    /// The budget ran out, and nothing was learnt.
    Unknown,
    /// These could not be settled, and the job ended before it came to all others: a later
    /// one goes on. From verifier jobs only.
    OpenSoFar(Vec<R>),
}

impl<S, R> JobResult<S, R> {
    /// What a verifier job ends with that could not settle these.
    #[must_use]
    pub const fn of_open_replies(moves: Vec<R>, came_to_all: bool) -> Self {
        if came_to_all {
            Self::Open(moves)
        } else {
            Self::OpenSoFar(moves)
        }
    }

    /// Whether a verifier job could not settle some replies.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self, Self::Open(_) | Self::OpenSoFar(_))
    }

    /// The same answer with its moves told in another way.
    #[must_use]
    pub fn map<T, Q>(
        &self,
        suggestion: impl FnMut(&S) -> T,
        reply: impl FnMut(&R) -> Q,
    ) -> JobResult<T, Q> {
        match self {
            Self::Won => JobResult::Won,
            Self::Moves(moves) => JobResult::Moves(moves.iter().map(suggestion).collect()),
            Self::NoMoreMoves => JobResult::NoMoreMoves,
            Self::Open(moves) => JobResult::Open(moves.iter().map(reply).collect()),
            Self::Refuted => JobResult::Refuted,
            Self::Unknown => JobResult::Unknown,
            Self::OpenSoFar(moves) => JobResult::OpenSoFar(moves.iter().map(reply).collect()),
        }
    }
}

impl<S, R> fmt::Display for JobResult<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Won => "won",
            Self::Moves(_) => "a move to try",
            Self::NoMoreMoves => "no move left",
            Self::Open(_) | Self::OpenSoFar(_) => "open replies",
            Self::Refuted => "refuted",
            Self::Unknown => "nothing found",
        })
    }
}

/// A move that an engine thinks worth a try.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Suggestion {
    pub mv: Move,
    /// What it thinks of the position after the move.
    pub status: Status,
}

/// How an attempt at a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    Answered(JobResult),
    /// It crashed, or its machine would not take it: somebody else must try.
    Broken,
    /// The worker's machine is wanted for something else: somebody else must do it.
    HandedBack,
    /// The answer makes no sense: somebody else must try.
    Refused,
    /// Its certificate takes more memory to check than one of this job may: nothing is learnt.
    TooLarge,
}

impl fmt::Display for JobEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(result) => result.fmt(f),
            Self::Broken => f.pad("broke off"),
            Self::HandedBack => f.pad("handed back"),
            Self::Refused => f.pad("refused"),
            Self::TooLarge => f.pad("too large to be checked"),
        }
    }
}
