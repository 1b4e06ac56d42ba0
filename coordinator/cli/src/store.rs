use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use gridproof_grid::store::{
    Costs, DiskStore, Durability, RecordCost, Recovered, Store, StoreError, WorkerCost, costs,
    export, recover, verify,
};
use gridproof_grid::text::{self, Table};

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
    /// Read everything, replay the search, and check the proof of every node that is won
    Verify,
    /// Name the workers and the records that take most room; `gridproof withdraw` takes back all
    /// that a worker said
    Costs {
        /// How many records to name
        #[arg(long, value_name = "N", default_value_t = 20)]
        count: usize,
    },
    /// Make a new store of what a damaged one still holds, and list what is lost
    Recover {
        /// The new folder, which must not exist
        to: PathBuf,
    },
    /// Write the folder anew without what is no longer needed
    Compact,
    /// Write everything to one file, which any later version reads
    Export { file: PathBuf },
    /// Fill a folder that does not exist yet from such a file, and check all of it
    Import { file: PathBuf },
}

/// An export that fills no store.
#[derive(Debug, thiserror::Error)]
#[error("cannot import {}", file.display())]
struct ImportFailure {
    file: PathBuf,
    source: StoreError,
}

impl StoreCommand {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let words = match &self.command {
            Command::Verify => {
                let mut store = self.open()?;
                store.check_index()?;
                let mended: String = store
                    .repairs()
                    .iter()
                    .map(|repair| format!("Mended: {repair}.\n"))
                    .collect();
                let store: Arc<dyn Store> = Arc::new(store);
                let found = verify(&store)?;
                format!(
                    "{mended}In order: {} records, {} of them facts; {} certificates checked, {} \
                     of them unused; {} won positions, each with its proof.\n",
                    found.records, found.facts, found.certificates, found.unused, found.wins
                )
            }
            Command::Costs { count } => costs_text(&costs(&self.open()?, *count)?),
            Command::Recover { to } => recovered(&recover(&self.store, to)?),
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
                let imported = DiskStore::import(&self.store, from);
                let counts = imported.map_err(|source| ImportFailure {
                    file: file.clone(),
                    source,
                })?;
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

fn costs_text(costs: &Costs) -> String {
    let worker = |cost: &WorkerCost| {
        let name = cost.name.clone();
        vec![name, text::count(cost.records), text::count(cost.bytes)]
    };
    let record = |cost: &RecordCost| {
        vec![
            text::count(cost.number),
            text::count(cost.bytes),
            cost.what.clone(),
            cost.node
                .map_or("-".to_owned(), |node| format!("#{}", node.0)),
            cost.by.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    };
    let workers = Table::new(["worker", "records", "bytes"]);
    let records = Table::new(["record", "bytes", "what", "node", "by"]);
    format!(
        "{}\n{}",
        workers.with_rows(costs.workers.iter().map(worker)),
        records.with_rows(costs.records.iter().map(record))
    )
}

fn recovered(found: &Recovered) -> String {
    let mut words = format!(
        "Recovered and verified: {} records, {} of them from the second copy, and {} \
         certificates.\n",
        found.records, found.mended, found.certificates
    );
    match &found.lost {
        None => words.push_str("Nothing is lost.\n"),
        Some(lost) => words.push_str(&format!(
            "Lost: records {} to {}, or what they rest on.\n",
            lost.start,
            lost.end - 1
        )),
    }
    if let Some((folder, count)) = &found.loose {
        words.push_str(&format!(
            "{count} proofs of lost records hold, and are files in {}.\n",
            folder.display()
        ));
    }
    words
}
