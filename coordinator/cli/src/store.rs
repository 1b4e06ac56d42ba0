use std::fs;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use gridproof_grid::store::{DiskStore, Durability, export, verify};

use super::{Failure, output};

/// Look after the folder that keeps a search, while no coordinator uses it
#[derive(Debug, Args)]
pub(super) struct StoreCommand {
    /// The folder
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        default_value = "gridproof-data/store"
    )]
    store: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read everything, replay the search and check every certificate again
    Verify,
    /// Write the folder anew without what is no longer needed
    Compact,
    /// Write everything to one file, which any later version reads
    Export { file: PathBuf },
    /// Fill a folder that does not exist yet from such a file
    Import { file: PathBuf },
}

impl StoreCommand {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let words = match &self.command {
            Command::Verify => {
                let found = verify(&self.open()?)?;
                format!(
                    "In order: {} records, {} of them facts; {} certificates checked, {} of them unused.\n",
                    found.records, found.facts, found.certificates, found.unused
                )
            }
            Command::Compact => {
                let done = self.open()?.compact()?;
                format!("{} bytes before, {} after.\n", done.before, done.after)
            }
            Command::Export { file } => {
                let store = self.open()?;
                let out = output::create_new(file)?;
                let counts = export(&store, out).inspect_err(|_| {
                    // Half of an export is of no use; that it cannot be removed is no news then.
                    let _ = fs::remove_file(file);
                })?;
                format!(
                    "{} records, {} certificates.\n",
                    counts.records, counts.certificates
                )
            }
            Command::Import { file } => {
                let from = output::open_file(file)?;
                let counts = DiskStore::import(&self.store, from)?;
                format!(
                    "{} records, {} certificates.\n",
                    counts.records, counts.certificates
                )
            }
        };
        output::print(words.as_bytes())
    }

    fn open(&self) -> Result<DiskStore, Failure> {
        Ok(DiskStore::open_existing(
            &self.store,
            Durability::PowerFailure,
        )?)
    }
}
