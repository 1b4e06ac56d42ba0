use std::path::PathBuf;

use clap::Args;
use gridproof_book::{BookFile, Certificates};
use gridproof_game::Rules;
use indicatif::HumanCount;

use super::super::{Failure, output};
use super::open::{open_editor, warn_of_refused};

/// Take other books into a book
///
/// Proved never yields to played. A source that both have is not counted twice.
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// The book that grows; it is made if there is none
    book: PathBuf,
    /// The others, with their certificates beside them
    #[arg(required = true)]
    others: Vec<PathBuf>,
}

impl Merge {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut books = Vec::new();
        for path in &self.others {
            let file =
                BookFile::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
            books.push((file.load()?, Certificates::beside(path)));
        }
        let rules = books
            .first()
            .map_or(Rules::CONNECT6, |(book, _)| book.rules());
        let mut editor = open_editor(&self.book, rules)?;
        let mut refused = 0;
        for (other, certificates) in books {
            refused += editor.merge(other, &certificates)?;
        }
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
