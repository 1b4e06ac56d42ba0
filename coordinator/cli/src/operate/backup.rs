//! A coordinator's whole store, as a file.

use std::fs::File;
use std::io::{BufReader, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use gridproof_grid::store::DiskStore;
use gridproof_grid::text;
use gridproof_proto::v1;

use super::connect::{Client, call};
use crate::exit::BadInput;
use crate::settings::Connection;
use crate::{Failure, output};

/// Copy a coordinator's whole store to a file while it runs
///
/// The file is restored before it counts: a store is made of it in a folder beside it, every
/// proof in it is checked, and the folder is removed again. `gridproof store import FILE` makes a
/// store of it for good.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file, which must not exist
    file: PathBuf,
    #[command(flatten)]
    pub(super) connection: Connection,
}

impl Backup {
    pub(super) async fn run(&self, client: &mut Client) -> Result<(), Failure> {
        let path = &self.file;
        if path.exists() {
            let words = format!("{} exists: name another file", path.display());
            return Err(BadInput(words).into());
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        let mut pieces = call(client.backup(v1::BackupRequest {})).await?;
        while let Some(piece) = pieces
            .message()
            .await
            .map_err(super::CoordinatorError::from)?
        {
            file.write_all(&piece.bytes)?;
        }
        file.as_file().sync_all()?;
        file.rewind()?;
        let trial = tempfile::tempdir_in(folder)?;
        let export = BufReader::new(file.as_file());
        let counts = DiskStore::import(&trial.path().join("store"), export)?;
        let size = file.as_file().metadata()?.len();
        file.persist_noclobber(path).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()?;
        let text = format!(
            "{} records and {} certificates, restored and verified: {} ({} bytes)\n",
            text::count(counts.records),
            text::count(counts.certificates),
            path.display(),
            text::count(size),
        );
        output::print(text.as_bytes())
    }
}
