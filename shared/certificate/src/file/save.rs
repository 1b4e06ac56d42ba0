use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{ContentHash, WriteError, write_proof};
use crate::proof::Proof;

/// What to do when a file of the name exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IfExists {
    #[default]
    /// Leave the file as it is, and fail.
    Refuse,
    /// Put the new file in its place.
    Replace,
}

/// Why a proof was not saved. What was there before is still there.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SaveError {
    #[error("{0} exists: choose another name, or say that it is to be replaced")]
    Exists(PathBuf),
    #[error("{path} cannot be written: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{path} cannot be written: {error}")]
    Write { path: PathBuf, error: WriteError },
}

impl SaveError {
    /// A proof could not be written to a file.
    pub fn of_write(path: &Path, error: WriteError) -> Self {
        Self::Write {
            path: path.into(),
            error,
        }
    }
}

/// Writes a proof to a file: the whole of it or nothing, also when the power fails.
pub fn save(proof: &Proof, path: &Path, if_exists: IfExists) -> Result<ContentHash, SaveError> {
    save_with(path, if_exists, |out| {
        write_proof(proof, out).map_err(|error| SaveError::of_write(path, error))
    })
}

/// Where [`save_with`] writes to.
pub type FileWriter = io::BufWriter<NamedTempFile>;

/// As [`save`], for whatever `write` writes.
pub fn save_with<E: From<SaveError>>(
    path: &Path,
    if_exists: IfExists,
    write: impl FnOnce(FileWriter) -> Result<(FileWriter, ContentHash), E>,
) -> Result<ContentHash, E> {
    if if_exists == IfExists::Refuse && path.exists() {
        return Err(SaveError::Exists(path.into()).into());
    }
    let io_error = |error| SaveError::Io {
        path: path.into(),
        error,
    };
    let temporary = temporary_file(folder_of(path)).map_err(io_error)?;
    let (buffered, hash) = write(io::BufWriter::new(temporary))?;
    keep(buffered, path, if_exists)?;
    Ok(hash)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn keep(buffered: FileWriter, path: &Path, if_exists: IfExists) -> Result<(), SaveError> {
    let io_error = |error| SaveError::Io {
        path: path.into(),
        error,
    };
    let temporary = buffered
        .into_inner()
        .map_err(|error| io_error(error.into_error()))?;
    temporary.as_file().sync_all().map_err(io_error)?;
    let kept = match if_exists {
        IfExists::Refuse => temporary.persist_noclobber(path),
        IfExists::Replace => temporary.persist(path),
    };
    kept.map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists => SaveError::Exists(path.into()),
        _ => io_error(failed.error),
    })?;
    Ok(())
}

/// Readable by whom the process's mask says, not by its owner alone: proofs are to be shown.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".gridproof-").tempfile_in(folder)
}
