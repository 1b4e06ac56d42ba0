use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Stdin, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use gridproof_game::draw::TerminalStyle;
use serde::Serialize;

use super::Failure;

/// Whether the user has said --quiet. It is said once, before anything is printed.
static QUIET: AtomicBool = AtomicBool::new(false);

pub(super) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

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
                    && std::env::var_os("TERM").is_none_or(|value| value != "dumb")
            }
        };
        if coloured {
            TerminalStyle::Colour
        } else {
            TerminalStyle::Plain
        }
    }
}

/// A file that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}", path.display())]
pub(super) struct ReadFileError {
    path: PathBuf,
    source: io::Error,
}

impl ReadFileError {
    pub(super) fn new(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self { path, source }
    }
}

/// Opens a file for reading.
pub(super) fn open_file(path: &Path) -> Result<BufReader<File>, ReadFileError> {
    let file = File::open(path).map_err(|source| ReadFileError {
        path: path.to_owned(),
        source,
    })?;
    Ok(BufReader::new(file))
}

/// Opens a file for reading; `-` is standard input.
pub(super) fn open_input(path: &Path) -> Result<Box<dyn BufRead + Send>, ReadFileError> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(stdin())));
    }
    Ok(Box::new(open_file(path)?))
}

/// Standard input. On a terminal nothing comes until somebody types it: that is said.
pub(super) fn stdin() -> Stdin {
    let stdin = io::stdin();
    if stdin.is_terminal() && !is_quiet() {
        eprintln!("note: reading what you type; Ctrl-D ends it");
    }
    stdin
}

/// Opens a new file for writing; there must be none of this name.
pub(super) fn create_new(path: &Path) -> Result<BufWriter<File>, Failure> {
    match File::create_new(path) {
        Ok(file) => Ok(BufWriter::new(file)),
        Err(source) => {
            let path = path.to_owned();
            Err(WriteFileError { path, source }.into())
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

/// Makes a folder, and those above it.
pub(super) fn make_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|source| {
        let path = path.to_owned();
        WriteFileError { path, source }.into()
    })
}

/// Standard output takes no more.
#[derive(Debug, thiserror::Error)]
#[error("cannot write what there is to say")]
struct PrintError(#[source] io::Error);

/// Writes to standard output. Unlike `println!` it does not panic when nobody reads.
pub(super) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    Ok(written.map_err(PrintError)?)
}

/// Writes all that there is to read to standard output.
pub(super) fn print_from(reader: &mut impl Read) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = io::copy(reader, &mut stdout).and_then(|_| stdout.flush());
    Ok(written.map_err(PrintError)?)
}

/// Writes what --quiet leaves out.
pub(super) fn print_extra(text: &str) -> Result<(), Failure> {
    if is_quiet() {
        return Ok(());
    }
    print(text.as_bytes())
}

/// For people or for programs.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct JsonOption {
    /// Print the data as JSON, for programs
    #[arg(long)]
    pub(super) json: bool,
}

impl JsonOption {
    /// Prints the data, or what `text` makes of it.
    pub(super) fn print<T: Serialize>(
        self,
        data: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), Failure> {
        if self.json {
            print_json(data)
        } else {
            print(text(data).as_bytes())
        }
    }
}

/// Writes data as JSON to standard output.
pub(super) fn print_json(data: &impl Serialize) -> Result<(), Failure> {
    print(to_json(data)?.as_bytes())
}

pub(super) fn to_json(data: &impl Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(data)? + "\n")
}
