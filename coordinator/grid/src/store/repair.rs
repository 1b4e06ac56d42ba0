use std::fmt;

use super::wal::Ending;

/// What was found and mended when a store was opened. Nothing that was acknowledged is lost by
/// any of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Bytes of a group that was being written when the program or the machine died. Nobody had
    /// been told that it was safe.
    TornEnd(u64),
    /// What tells how long the log must be could not be read: nobody could have noticed a
    /// missing end.
    MarkUnreadable,
    /// The database lacked records that the log had.
    IndexBehind(u64),
    /// The database was damaged, and made anew from the log.
    IndexRebuilt(String),
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TornEnd(bytes) => write!(
                f,
                "the log ended with {bytes} bytes of a group that was being written when the \
                 program died; nothing that was acknowledged is lost"
            ),
            Self::MarkUnreadable => f.write_str(
                "the log's mark could not be read and was made anew: the log is whole as far as \
                 it goes, but nobody can tell whether its end is missing",
            ),
            Self::IndexBehind(records) => write!(
                f,
                "the database lacked the last {records} records and got them from the log; \
                 nothing is lost"
            ),
            Self::IndexRebuilt(why) => write!(
                f,
                "the database was damaged ({why}) and was made anew from the log; nothing is \
                 lost, but look after the disk"
            ),
        }
    }
}

impl Repair {
    pub(super) fn of_ending(ending: Ending) -> Vec<Self> {
        let torn = (ending.torn > 0).then_some(Self::TornEnd(ending.torn));
        let mark = ending.without_mark.then_some(Self::MarkUnreadable);
        torn.into_iter().chain(mark).collect()
    }

    /// A crash is nothing to worry about; rot is.
    pub(super) fn log(&self) {
        match self {
            Self::TornEnd(_) | Self::IndexBehind(_) => tracing::info!("the store: {self}"),
            Self::MarkUnreadable | Self::IndexRebuilt(_) => tracing::warn!("the store: {self}"),
        }
    }
}
