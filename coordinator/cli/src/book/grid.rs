use std::path::PathBuf;

use clap::Args;
use gridproof_grid::GridBook;

use super::super::Failure;

/// The book of a command that searches.
#[derive(Clone, Debug, Args)]
pub(in super::super) struct SearchBook {
    /// Ask this book before a job is given out, and add what is proved; it is made if there is
    /// none. Its certificates are checked before they count
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
}

impl SearchBook {
    pub(in super::super) fn open(&self) -> Result<Option<GridBook>, Failure> {
        let Some(path) = &self.book else {
            return Ok(None);
        };
        let book = GridBook::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Some(book))
    }
}
