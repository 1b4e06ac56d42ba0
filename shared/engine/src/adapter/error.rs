use std::time::Duration;

use gridproof_game::{Move, PlayError, Rules};

/// Why another engine gave no answer that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    #[error("{program} does not start: {reason}")]
    Start { program: String, reason: String },
    #[error("it did not answer within {0:.1?}")]
    TimedOut(Duration),
    #[error("it ended before it answered: {0}")]
    Ended(String),
    #[error("it wrote more than {0} bytes without an answer")]
    Flood(usize),
    #[error("it answered \"{0}\", which is no move")]
    Garbage(String),
    #[error("it answered {mv}, which cannot be played: {reason}")]
    Illegal { mv: Move, reason: PlayError },
    #[error("it answered {0}, which it was told to leave out")]
    Excluded(Move),
    #[error("engines of this kind play Connect(19,19,6,2,1) only, not {0}")]
    Rules(Rules),
    #[error(
        "null stones lie behind this position, and engines of this kind cannot be told of them"
    )]
    NullStones,
    #[error("the job was cancelled")]
    Cancelled,
}
