//! How the process ends, for whoever started it. The codes are those of `gridproof`, as far as they
//! apply.

use std::process::{ExitCode, Termination};

/// What a supervisor reads off the exit code. Those that a new start cannot mend are listed
/// in deploy/'s systemd unit, so that it does not try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Exit {
    /// It was asked to leave, and left: do not start it again.
    Done = 0,
    /// Something broke that should not, or the machine would not give what is needed: start it
    /// again.
    Broken = 1,
    /// The command line, the file or the environment makes no sense: mend it first.
    BadInput = 2,
    /// Coordinator and worker do not understand each other: install the same version.
    Version = 76,
    /// The coordinator will not have this worker: its token is missing, unknown or revoked,
    /// or it was cut off. Make a new token.
    Refused = 77,
}

impl Exit {
    /// Every code, in order.
    pub const ALL: [Self; 5] = [
        Self::Done,
        Self::Broken,
        Self::BadInput,
        Self::Version,
        Self::Refused,
    ];

    /// The number that the system gets.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether starting it again, with nothing changed, may help.
    #[must_use]
    pub const fn is_worth_another_start(self) -> bool {
        matches!(self, Self::Broken)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_endings_share_a_code() {
        let mut codes = Exit::ALL.map(Exit::code).to_vec();
        codes.dedup();
        assert_eq!(codes, [0, 1, 2, 76, 77]);
    }

    #[test]
    fn the_systemd_unit_gives_up_exactly_where_a_new_start_cannot_help() {
        let unit = include_str!("../../deploy/systemd/gridproof-worker.service");
        let hopeless: Vec<String> = Exit::ALL
            .into_iter()
            .filter(|&exit| !exit.is_worth_another_start() && exit != Exit::Done)
            .map(|exit| exit.code().to_string())
            .collect();
        let line = format!("RestartPreventExitStatus={}", hopeless.join(" "));
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
}
