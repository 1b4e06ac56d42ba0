//! Files that a reader finds whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The user who runs the program, and root.
    Owner,
    /// Everybody on the machine.
    Everybody,
}

/// What may become of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// The new one takes its place.
    Replace,
    /// It stays, and writing fails.
    Keep,
}

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {verb} {}", path.display())]
pub struct FileError {
    verb: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl FileError {
    fn on(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self {
            verb,
            path: path.to_owned(),
            source,
        }
    }

    /// Whether there is no such file.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// Whether a file that was to be kept is there.
    #[must_use]
    pub fn is_there_already(&self) -> bool {
        self.source.kind() == io::ErrorKind::AlreadyExists
    }
}

/// Before the names of files that are not whole yet.
const UNFINISHED: &str = ".new-";

/// Whether a file of this name is what a crash left of a [`write`].
#[must_use]
pub fn is_unfinished(name: &str) -> bool {
    name.starts_with(UNFINISHED)
}

/// Writes a file beside its place and moves it there, so that no crash and no reader ever
/// sees half of it. Makes the folder if there is none.
pub fn write(path: &Path, bytes: &[u8], access: Access, old: Existing) -> Result<(), FileError> {
    write_inner(path, bytes, access, old).map_err(FileError::on("write", path))
}

fn write_inner(path: &Path, bytes: &[u8], access: Access, old: Existing) -> io::Result<()> {
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempfile_in(folder)?;
    file.write_all(bytes)?;
    restrict(file.as_file(), access)?;
    file.as_file().sync_all()?;
    match old {
        Existing::Replace => file.persist(path),
        Existing::Keep => file.persist_noclobber(path),
    }
    .map_err(|error| error.error)?;
    // The move itself is safe from a power cut only once the folder is on disk too.
    File::open(folder)?.sync_all()
}

#[cfg(unix)]
fn restrict(file: &File, access: Access) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    file.set_permissions(Permissions::from_mode(match access {
        Access::Owner => 0o600,
        Access::Everybody => 0o644,
    }))
}

#[cfg(not(unix))]
fn restrict(_: &File, _: Access) -> io::Result<()> {
    Ok(())
}

/// Reads a file; its name is part of the error.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(FileError::on("read", path))
}

/// [`read`], for text.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    fs::read_to_string(path).map_err(FileError::on("read", path))
}

/// Waits for a lock on a file, which is made if there is none. It is held until the file is
/// dropped.
pub fn lock(path: &Path) -> Result<File, FileError> {
    lock_inner(path).map_err(FileError::on("lock", path))
}

fn lock_inner(path: &Path) -> io::Result<File> {
    fs::create_dir_all(folder_of(path))?;
    let mut options = File::options();
    options.write(true).create(true);
    // In a folder that others may write to, a link could make us touch any file of ours.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
    );
    let file = options.open(path)?;
    file.lock()?;
    Ok(file)
}

/// The folder that a file is in; the current one if the path names none.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_private_file_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/down/key");
        write(&file, b"secret", Access::Owner, Existing::Keep).unwrap();
        assert_eq!(mode(&file), 0o600);
        write(&file, b"public", Access::Everybody, Existing::Replace).unwrap();
        assert_eq!(mode(&file), 0o644);
        assert_eq!(read(&file).unwrap(), b"public");
    }

    #[test]
    fn a_file_to_keep_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        write(&file, b"old", Access::Owner, Existing::Keep).unwrap();
        let error = write(&file, b"new", Access::Owner, Existing::Keep).unwrap_err();
        assert!(error.is_there_already());
        assert_eq!(read_text(&file).unwrap(), "old");
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing half-written stays behind");
    }

    #[test]
    fn an_error_names_the_file() {
        let error = read(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(error.is_missing());
        assert_eq!(error.to_string(), "cannot read /nowhere/at/all");
    }
}
