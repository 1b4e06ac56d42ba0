use std::fmt;

use gridproof_search as search;

/// Why a worker's stream ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The worker said that it leaves, and why.
    Goodbye(String),
    /// The stream broke.
    Lost(String),
    /// The worker did what a worker must not do: it is banned.
    CutOff(String),
    /// Its token is no longer good.
    Revoked,
    /// The same worker has come back over another stream.
    Replaced,
    /// The coordinator ends.
    GoingDown,
}

impl Departure {
    /// What it means for the worker's jobs. Nothing where the worker, or the coordinator, is
    /// just about to come back.
    pub(super) fn for_search(&self) -> Option<search::Departure> {
        match self {
            Self::Goodbye(_) | Self::Revoked => Some(search::Departure::Goodbye),
            Self::Lost(_) => Some(search::Departure::Lost),
            Self::CutOff(_) => Some(search::Departure::Banned),
            Self::Replaced | Self::GoingDown => None,
        }
    }
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goodbye(words) | Self::Lost(words) | Self::CutOff(words) => f.write_str(words),
            Self::Revoked => f.write_str("its token was revoked"),
            Self::Replaced => f.write_str("the same worker has come back over another stream"),
            Self::GoingDown => f.write_str("the coordinator is going down: come back later"),
        }
    }
}
