use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gridproof_game::draw::TerminalStyle;

use super::Failure;

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColourChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

impl ColourChoice {
    pub(super) fn style(self) -> TerminalStyle {
        let coloured = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        };
        if coloured {
            TerminalStyle::Colour
        } else {
            TerminalStyle::Plain
        }
    }
}

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
struct WriteFileError {
    path: PathBuf,
    source: io::Error,
}

/// Writes to a file; `-` is standard output.
pub(super) fn write_to(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path == Path::new("-") {
        return print(bytes);
    }
    std::fs::write(path, bytes).map_err(|source| {
        let path = path.to_owned();
        WriteFileError { path, source }.into()
    })
}

/// Writes to standard output. Unlike `println!` it does not panic when nobody reads.
pub(super) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}
