//! Shell completions and manual pages of both programs, made by this one.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, ValueEnum};
use clap_complete::Shell;
use gridproof_worker::config::Options as WorkerOptions;

use super::{Cli, Failure, output};

/// Print what a shell needs to complete commands and options
///
/// For bash: gridproof completions bash >~/.local/share/bash-completion/completions/gridproof
#[derive(Debug, Args)]
pub(super) struct Completions {
    shell: Shell,
    /// The program to complete
    #[arg(value_name = "PROGRAM", default_value = "gridproof")]
    program: Program,
}

/// A program of ours.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Program {
    Gridproof,
    GridproofWorker,
}

/// Write manual pages, one for each command and one for the worker, into a folder
#[derive(Debug, Args)]
pub(super) struct ManPages {
    /// The folder, such as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Completions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (mut command, name) = match self.program {
            Program::Gridproof => (Cli::command(), "gridproof"),
            Program::GridproofWorker => (WorkerOptions::command(), "gridproof-worker"),
        };
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        output::print(&script)
    }
}

impl ManPages {
    pub(super) fn run(&self) -> Result<(), Failure> {
        output::make_folder(&self.folder)?;
        for command in [Cli::command(), WorkerOptions::command()] {
            clap_mangen::generate_to(command, &self.folder)?;
        }
        let text = format!("manual pages in {}\n", self.folder.display());
        output::print(text.as_bytes())
    }
}
