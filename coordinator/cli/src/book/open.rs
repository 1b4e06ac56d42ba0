//! A book that a command changes.

use std::path::Path;

use gridproof_book::{BookEditor, CheckedClaims, EditError};
use gridproof_game::Rules;

use super::super::Failure;
use super::super::exit::with_causes;

/// The claims that this user's machine has checked; none is remembered where there is no place.
pub(super) fn checked_claims() -> Result<CheckedClaims, Failure> {
    let Some(path) = CheckedClaims::usual_path() else {
        return Ok(CheckedClaims::default());
    };
    Ok(CheckedClaims::open(&path)
        .map_err(|error| format!("cannot use {}: {error}", path.display()))?)
}

/// Opens a book to be changed; begins one if there is none.
pub(super) fn open_editor(path: &Path, rules: Rules) -> Result<BookEditor, Failure> {
    let mut editor =
        BookEditor::open(path, rules, checked_claims()?).map_err(|error| match error {
            EditError::Book(error) => format!("{}: {error}", path.display()).into(),
            other => Failure::from(other),
        })?;
    warn_of_refused(&mut editor);
    Ok(editor)
}

/// The same for a book that must be there.
pub(super) fn open_existing(path: &Path) -> Result<BookEditor, Failure> {
    if !path.exists() {
        let name = path.display();
        return Err(format!("there is no book {name}: make it with `gridproof book build`").into());
    }
    open_editor(path, Rules::CONNECT6)
}

/// Says why claims of proofs were taken back.
pub(super) fn warn_of_refused(editor: &mut BookEditor) {
    for error in editor.refused() {
        eprintln!("warning: {}", with_causes(&error));
    }
}
