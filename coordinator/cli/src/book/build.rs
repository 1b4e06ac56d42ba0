use std::path::PathBuf;

use clap::Args;

use super::super::Failure;
use super::add::Intake;

/// Make a book from games, proofs, campaigns and other books
///
/// Each game is followed to its win position: the earliest turn from which the solver proves the
/// win. What lies below is not kept. The same command goes on where it was stopped.
#[derive(Debug, Args)]
pub(super) struct Build {
    /// The book to make
    book: PathBuf,
    #[command(flatten)]
    intake: Intake,
}

impl Build {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.book.exists() {
            let name = self.book.display();
            return Err(format!("{name} exists: add to it with `gridproof book add`").into());
        }
        self.intake.begin(&self.book)
    }
}
