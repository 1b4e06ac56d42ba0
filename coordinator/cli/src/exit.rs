//! How commands end: one scheme of exit codes for all of them, and the words of a failure.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use gridproof_certificate::{FileRefusal, FormatError, Refusal, SaveError};
use gridproof_game::{InputError, PlayError};
use gridproof_grid::ServeFailure;
use gridproof_grid::campaign::{CampaignFailure, IndexError};
use gridproof_grid::store::StoreError;
use gridproof_host::exposure::Exposed;
use gridproof_host::files::FileError;
pub(super) use gridproof_host::words::with_causes;
use gridproof_solver::SolveError;
use gridproof_threats::TooManyAttacks;

use super::Failure;
use super::check::NotAccepted;
use super::operate::CoordinatorError;

/// What `gridproof --help` says of exit codes.
pub(super) const HELP: &str = "\
Exit codes: 0 done, proved or accepted; 1 failed or refused; 2 bad input: mend it first; \
3 unknown: no proof within the budget or the time; 69 no coordinator answers; 75 the store \
failed: start again; 76 the coordinator is of another version; 77 it does not let us in.";

/// What an exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// It failed, or a proof was refused.
    Failed = 1,
    /// What was asked makes no sense, or names what is not there.
    BadInput = 2,
    /// No proof was found, and none is ruled out.
    Unknown = 3,
    /// No coordinator answers.
    Unavailable = 69,
    /// The store failed; whoever starts us may do so again.
    TryAgain = 75,
    /// Coordinator and client do not understand each other: install the same version.
    OtherVersion = 76,
    /// The coordinator does not let us in.
    NoPermission = 77,
}

/// Ends a command that has said all there is to say.
#[derive(Debug, thiserror::Error)]
#[error("")]
pub(super) struct Quietly(pub(super) Exit);

/// Something is wrong with what the user asked for.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadInput(pub(super) String);

/// Tells why a command failed, and gives its exit code.
pub(super) fn report(failure: &Failure) -> ExitCode {
    let words = with_causes(&**failure);
    if !words.is_empty() {
        eprintln!("error: {words}");
    }
    ExitCode::from(exit_of(&**failure) as u8)
}

fn exit_of(failure: &(dyn Error + 'static)) -> Exit {
    let chain = std::iter::successors(Some(failure), |&error| error.source());
    let known = chain.filter_map(|error| {
        if let Some(Quietly(exit)) = error.downcast_ref() {
            return Some(*exit);
        }
        if let Some(error) = error.downcast_ref::<CoordinatorError>() {
            return Some(error.exit());
        }
        if let Some(error) = error.downcast_ref::<NotAccepted>() {
            return Some(error.exit());
        }
        if error.is::<super::solve::Unfinished>() {
            return Some(Exit::Unknown);
        }
        let is_bad_input = error.is::<BadInput>()
            || error.is::<super::output::ReadFileError>()
            || error.is::<InputError>()
            || error.is::<PlayError>()
            || error.is::<FormatError>()
            || error.is::<FileRefusal>()
            || error.is::<Refusal>()
            || error.is::<IndexError>()
            || matches!(error.downcast_ref(), Some(CampaignFailure::Index(_)))
            || error.is::<Exposed>()
            || error.is::<TooManyAttacks>()
            || error.is::<gridproof_grid::GameOver>()
            || matches!(error.downcast_ref(), Some(ServeFailure::Game { .. }))
            || error.is::<SolveError>()
            || error.is::<gridproof_game::records::WriteError>()
            || matches!(error.downcast_ref(), Some(SaveError::Exists(_)))
            || error.downcast_ref().is_some_and(FileError::is_missing)
            || error.downcast_ref().is_some_and(names_nothing)
            || matches!(
                error.downcast_ref(),
                Some(StoreError::Missing(_) | StoreError::NotAStore(_) | StoreError::Exists(_))
            );
        is_bad_input.then_some(Exit::BadInput)
    });
    known.into_iter().next().unwrap_or(Exit::Failed)
}

/// Whether a path leads to nothing, or to something else than a file.
fn names_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory
    )
}

/// Who reads our output has seen enough, as `head` does: no error of ours.
pub(super) fn is_broken_pipe(failure: &Failure) -> bool {
    let first: &(dyn Error + 'static) = &**failure;
    let mut chain = std::iter::successors(Some(first), |&error| error.source());
    chain.any(|error| {
        let error = error.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
