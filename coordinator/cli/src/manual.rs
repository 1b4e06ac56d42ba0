//! Shell completions and manual pages, made by the program itself.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, Failure, output};

/// Print what a shell needs to complete commands and options
///
/// For bash: gridproof completions bash >~/.local/share/bash-completion/completions/gridproof
#[derive(Debug, Args)]
pub(super) struct Completions {
    shell: Shell,
}

/// Write manual pages, one for each command, into a folder
#[derive(Debug, Args)]
pub(super) struct ManPages {
    /// The folder, such as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "gridproof", &mut script);
        output::print(&script)
    }
}

impl ManPages {
    pub(super) fn run(&self) -> Result<(), Failure> {
        output::make_folder(&self.folder)?;
        clap_mangen::generate_to(Cli::command(), &self.folder)?;
        let text = format!("manual pages in {}\n", self.folder.display());
        output::print(text.as_bytes())
    }
}
