use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::Args;
use gridproof_book::{Key, Proved, TrustedBook};
use indicatif::HumanCount;

use super::super::exit::with_causes;
use super::super::{Failure, cores, output};
use super::open::checked_claims;

/// Check a book: its hash, its order, every position and every certificate, believing nobody
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The book
    book: PathBuf,
}

impl Check {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let book = TrustedBook::open(&self.book, checked_claims()?)
            .map_err(|error| format!("{}: {error}", self.book.display()))?;
        let verified = book.file().verify()?;
        let bar = super::bar(verified.proved, "certificates");
        let mut claims: Vec<(Key, Proved)> = Vec::new();
        for next in book.file().entries() {
            let (key, entry) = next?;
            claims.extend(entry.proved().cloned().map(|proved| (key, proved)));
        }
        let waiting = Mutex::new(claims.into_iter());
        let refused: Mutex<Vec<String>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..cores().get() {
                scope.spawn(|| {
                    let next = || {
                        waiting
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .next()
                    };
                    while let Some((key, proved)) = next() {
                        let words = match book.check(&key, &proved) {
                            Ok(Ok(())) => None,
                            Ok(Err(error)) => Some(with_causes(&error)),
                            Err(error) => Some(with_causes(&error)),
                        };
                        let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
                        refused.extend(words);
                        bar.inc(1);
                    }
                });
            }
        });
        bar.finish_and_clear();
        let refused = refused.into_inner().unwrap_or_else(PoisonError::into_inner);
        for words in &refused {
            output::print(format!("REFUSED: {words}\n").as_bytes())?;
        }
        let text = format!(
            "{} positions, {} moves; {} of {} certificates accepted\ncontent {}\n",
            HumanCount(verified.entries),
            HumanCount(verified.moves),
            HumanCount(verified.proved - refused.len() as u64),
            HumanCount(verified.proved),
            book.hash(),
        );
        output::print(text.as_bytes())?;
        if refused.is_empty() {
            Ok(())
        } else {
            Err(format!("{} certificates are refused", refused.len()).into())
        }
    }
}
