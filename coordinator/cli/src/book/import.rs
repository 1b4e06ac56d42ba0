use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use gridproof_book::{Certificates, read_json, read_sgf};
use gridproof_game::PositionInput;
use indicatif::HumanCount;

use super::super::{Failure, output};
use super::open::{open_editor, warn_of_refused};

/// Take an SGF tree with variations, or JSON lines, into a book
///
/// Trees of other programs become positions that were only played, their comments become notes.
/// What `gridproof book export` wrote reads back as it was; its proofs are believed if their
/// certificates, which lie beside the file, hold.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// The book; it is made if there is none
    book: PathBuf,
    /// The tree (.sgf), or the lines (.jsonl)
    file: PathBuf,
}

impl Import {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", self.file.display());
        let is_json = self
            .file
            .extension()
            .is_some_and(|ending| ending == "jsonl");
        let theirs = if is_json {
            let file = std::fs::File::open(&self.file).map_err(|error| named(&error))?;
            read_json(BufReader::new(file)).map_err(|error| named(&error))?
        } else {
            let bytes = PositionInput::File(self.file.clone()).load(std::io::empty())?;
            read_sgf(&bytes).map_err(|error| named(&error))?
        };
        let mut editor = open_editor(&self.book, theirs.rules())?;
        let refused = editor.merge(theirs, &Certificates::beside(&self.file))?;
        warn_of_refused(&mut editor);
        let saved = editor.save()?;
        let text = format!(
            "{}: {} positions, {} proved; {refused} claims were not believed\ncontent {}\n",
            self.book.display(),
            HumanCount(saved.entries as u64),
            HumanCount(saved.proved as u64),
            saved.hash
        );
        output::print(text.as_bytes())
    }
}
