use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::{Args, Subcommand};
use gridproof_grid::security::{Authority, PrincipalName};
use gridproof_host::files::Existing;

use super::{Failure, output};

/// Make a lab's own certificate authority, and certificates that it signs
///
/// Once: `gridproof cert ca`, then `gridproof cert server NAME...` with the names and
/// addresses by which workers reach the coordinator. Workers need a copy of ca.pem and no
/// other file; ca.key stays where it is.
#[derive(Debug, Args)]
pub(super) struct Certificates {
    /// Where the authority and its certificates are
    #[arg(
        long,
        global = true,
        value_name = "FOLDER",
        default_value = "gridproof-data/certs"
    )]
    certs: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the authority: ca.pem for all machines, ca.key for this one. It lasts ten years
    Ca {
        /// What it is called
        #[arg(long, default_value = "Gridproof lab authority")]
        name: String,
    },
    /// Make the coordinator's certificate: server.pem and server.key. It lasts two years
    Server {
        /// Names and addresses by which it is reached; localhost and this machine's name
        /// are added
        #[arg(value_name = "NAME|ADDRESS")]
        names: Vec<String>,
        /// Put it in place of the one that is there
        #[arg(long)]
        replace: bool,
    },
    /// Make certificates for workers, for a coordinator that asks for them (--client-ca)
    Worker {
        #[arg(required = true, value_name = "NAME")]
        names: Vec<PrincipalName>,
        /// Put them in place of those that are there
        #[arg(long)]
        replace: bool,
    },
}

impl Certificates {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let now = SystemTime::now();
        let folder = &self.certs;
        match &self.command {
            Command::Ca { name } => {
                Authority::create(name, now)?.save(folder)?;
                tell(&[folder.join("ca.pem"), folder.join("ca.key")])
            }
            Command::Server { names, replace } => {
                let certified = Authority::load(folder)?.server(&with_own_names(names), now)?;
                tell(&certified.save(folder, "server", existing(*replace))?)
            }
            Command::Worker { names, replace } => {
                let authority = Authority::load(folder)?;
                let workers = folder.join("workers");
                for name in names {
                    let name = name.to_string();
                    let certified = authority.worker(&name, now)?;
                    tell(&certified.save(&workers, &name, existing(*replace))?)?;
                }
                Ok(())
            }
        }
    }
}

fn existing(replace: bool) -> Existing {
    if replace {
        Existing::Replace
    } else {
        Existing::Keep
    }
}

fn with_own_names(names: &[String]) -> Vec<String> {
    let mut all = names.to_vec();
    // A machine that will not tell its name is reached by those that were given.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    for own in [host.trim(), "localhost", "127.0.0.1", "::1"] {
        if !own.is_empty() && !all.iter().any(|name| name == own) {
            all.push(own.to_owned());
        }
    }
    all
}

fn tell(paths: &[impl AsRef<Path>]) -> Result<(), Failure> {
    for path in paths {
        output::print(format!("{}\n", path.as_ref().display()).as_bytes())?;
    }
    Ok(())
}
