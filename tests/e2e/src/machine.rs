//! A machine of its own, as far as programs can tell.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::network::Host;
use crate::program::{does, path_text};
use crate::unit::Unit;

/// A host with files of its own, which lie over this machine's.
#[derive(Debug)]
pub struct Machine<'a> {
    host: &'a Host,
    folder: PathBuf,
}

impl<'a> Machine<'a> {
    /// A machine that is switched off: whatever is put into [`Machine::files`] is on it later.
    #[must_use]
    pub fn new(host: &'a Host, folder: PathBuf) -> Self {
        for part in ["files", "work", "root"] {
            fs::create_dir_all(folder.join(part)).expect("the folder is ours");
        }
        Self { host, folder }
    }

    /// Where its own files are.
    #[must_use]
    pub fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// The root of its file system, once it is on.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    #[must_use]
    pub fn host(&self) -> &Host {
        self.host
    }

    /// Switches it on; false where the system does not allow it.
    #[must_use]
    pub fn boot(&self) -> bool {
        let options = format!(
            "lowerdir=/,upperdir={},workdir={}",
            path_text(&self.files()),
            path_text(&self.folder.join("work"))
        );
        let root = self.root();
        let kind = ["-t", "overlay", "overlay", "-o", &options];
        does("mount", &[&kind[..], &[path_text(&root)]].concat())
    }

    /// A command that runs on it, in one of its folders.
    #[must_use]
    pub fn command(&self, folder: &str, words: &[impl AsRef<str>]) -> Command {
        // Mounts that are made on a host are seen by that one command alone.
        const ENTER: &str = "mount -t proc proc \"$0/proc\" && \
             exec chroot \"$0\" sh -c 'cd \"$0\" && exec \"$@\"' \"$@\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", ENTER]).arg(self.root()).arg(folder);
        shell.args(words.iter().map(AsRef::as_ref));
        self.host.command(&shell)
    }

    /// What systemd would start for an installed unit, with the folders that the unit asks for.
    #[must_use]
    pub fn service(&self, unit: &str) -> Command {
        let root = self.root();
        let settings = Unit::read(&root.join("etc/systemd/system").join(unit));
        let mut variables = Vec::new();
        if let Some(state) = settings.get("StateDirectory") {
            let state = format!("/var/lib/{state}");
            fs::create_dir_all(inside(&root, &state)).expect("the machine is ours");
            variables.push(("STATE_DIRECTORY", state));
        }
        if let Some(credential) = settings.get("LoadCredential") {
            let (name, source) = credential.split_once(':').expect("NAME:FILE");
            let folder = format!("/run/credentials/{unit}");
            let copy = inside(&root, &folder);
            fs::create_dir_all(&copy).expect("the machine is ours");
            fs::copy(inside(&root, source), copy.join(name)).expect("the secret is installed");
            variables.push(("CREDENTIALS_DIRECTORY", folder));
        }
        let folder = settings.get("WorkingDirectory").unwrap_or("/");
        self.command(folder, &settings.command_line(&variables))
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        // Lazily: a process may take another moment to end.
        let _ = does("umount", &["-l", path_text(&self.root())]);
    }
}

/// A path on the machine, seen from outside.
fn inside(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}
