use std::fmt;

use gridproof_search::Departure;

/// Why a worker's stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// The worker departs; why, for people.
    Departed(Departure, String),
    /// Its token is no longer good.
    Revoked,
    /// The same worker has come back over another stream.
    Replaced,
    /// The coordinator ends.
    GoingDown,
}

impl StreamEnd {
    /// What it means for the worker's jobs. Nothing where the worker, or the coordinator, is
    /// just about to come back.
    pub(super) fn departure(&self) -> Option<Departure> {
        match self {
            Self::Departed(how, _) => Some(*how),
            Self::Revoked => Some(Departure::Goodbye),
            Self::Replaced | Self::GoingDown => None,
        }
    }
}

impl fmt::Display for StreamEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Departed(_, reason) => f.write_str(reason),
            Self::Revoked => f.write_str("its token was revoked"),
            Self::Replaced => f.write_str("the same worker has come back over another stream"),
            Self::GoingDown => f.write_str("the coordinator is going down: come back later"),
        }
    }
}
