use std::io::BufWriter;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gridproof_book::{BookFile, Certificates, write_html, write_json, write_sgf};

use super::super::{Failure, output};

/// Write a book as an SGF tree, as JSON lines, or as a folder of pages that works from disk
///
/// Certificates are copied beside an SGF tree and JSON lines, so that both read back whole.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The book
    book: PathBuf,
    /// The file to write, or the folder of pages
    out: PathBuf,
    /// What to write; by default what the name's ending says
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Sgf,
    Jsonl,
    Html,
}

impl Export {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = BookFile::open(&self.book)
            .map_err(|error| format!("{}: {error}", self.book.display()))?;
        let book = file.load()?;
        let ending = self.out.extension().unwrap_or_default();
        let by_name = match ending.to_string_lossy().as_ref() {
            "sgf" => Format::Sgf,
            "jsonl" => Format::Jsonl,
            _ => Format::Html,
        };
        match self.format.unwrap_or(by_name) {
            Format::Html => return Ok(write_html(&book, &self.out)?),
            Format::Sgf => output::write_to(&self.out, write_sgf(&book)?.as_bytes())?,
            Format::Jsonl => {
                let mut lines = Vec::new();
                write_json(&book, BufWriter::new(&mut lines))?;
                output::write_to(&self.out, &lines)?;
            }
        }
        let (from, to) = (
            Certificates::beside(&self.book),
            Certificates::beside(&self.out),
        );
        for (_, entry) in book.entries() {
            if let Some(proved) = entry.proved() {
                to.copy_from(&from, proved.certificate)?;
            }
        }
        Ok(())
    }
}
