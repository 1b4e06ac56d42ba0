use std::time::Duration;

use gridproof_game::{Move, PlayError, Rules};

/// Why another engine gave no answer that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    /// The program could not be started.
    #[error("{program} does not start: {reason}")]
    Start {
        /// The program's name or path.
        program: String,
        /// What the operating system said.
        reason: String,
    },
    /// No answer came in time.
    #[error("it did not answer within {0:.1?}")]
    TimedOut(Duration),
    /// The program ended, or closed its output, before it answered.
    #[error("it ended before it answered: {0}")]
    Ended(String),
    /// It wrote more than an answer may have.
    #[error("it wrote more than {0} bytes without an answer")]
    Flood(usize),
    /// Its answer is no move.
    #[error("it answered \"{0}\", which is no move")]
    Garbage(String),
    /// Its move breaks the rules.
    #[error("it answered {mv}, which cannot be played: {reason}")]
    Illegal {
        /// What it answered.
        mv: Move,
        /// Which rule it breaks.
        reason: PlayError,
    },
    /// The protocol has no words for this game.
    #[error("engines of this kind play Connect(19,19,6,2,1) only, not {0}")]
    Rules(Rules),
    /// The protocol has no words for null stones.
    #[error(
        "null stones lie behind this position, and engines of this kind cannot be told of them"
    )]
    NullStones,
    /// The caller cancelled the search.
    #[error("the search was cancelled")]
    Cancelled,
}
