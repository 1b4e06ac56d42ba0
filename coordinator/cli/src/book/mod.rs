//! `gridproof book`: one file a subcommand.

mod add;
mod build;
mod check;
mod export;
mod grid;
mod grow;
mod import;
mod input;
mod merge;
mod open;
mod player;
mod prover;
mod show;

use std::time::Duration;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;

pub(super) use grid::SearchBook;
pub(super) use player::{BookPlayer, open_for_play};

/// Make, look at and extend books of openings
#[derive(Debug, Args)]
pub(super) struct BookCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Build),
    Add(add::Add),
    Show(show::Show),
    Check(check::Check),
    Export(export::Export),
    Import(import::Import),
    Merge(merge::Merge),
    Grow(grow::Grow),
}

impl BookCommand {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Build(build) => build.run(),
            Command::Add(add) => add.run(),
            Command::Show(show) => show.run(),
            Command::Check(check) => check.run(),
            Command::Export(export) => export.run(),
            Command::Import(import) => import.run(),
            Command::Merge(merge) => merge.run(),
            Command::Grow(grow) => grow.run(),
        }
    }
}

/// A bar on a terminal, nothing elsewhere.
fn bar(length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let template =
        format!("{{spinner}} {{bar:30}} {{human_pos}} of {{human_len}} {what}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
