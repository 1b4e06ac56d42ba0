//! Everything that can be set, by a file, the environment or flags, under the same names.

mod options;
mod text;
mod values;

use std::path::{Path, PathBuf};

use figment::providers::{Env, Format as _, Serialized, Toml};
use figment::{Figment, Source};
use gridproof_host::exposure::{Exposed, Guard, Guards, Insecure};
use gridproof_host::files::{self, FileError};
use gridproof_host::logs::LogOptions;
use gridproof_host::tls::{ClientFiles, IdentityFiles, TlsError};
use gridproof_host::{ParseTokenError, Token};
use gridproof_proto::LOCAL_COORDINATOR;
use tonic::transport::{ClientTlsConfig, Uri};

use crate::availability::AvailabilityPolicy;
use crate::memory::MemoryLimit;
use crate::priority::Priority;

pub use options::Options;
pub use values::{Busy, Cores, MaxBackoff, ParseValueError, QuietFor};

/// Read if it is there and no other is named.
const USUAL_FILE: &str = "/etc/gridproof/worker.toml";

/// Before the name of an option in the environment, such as GRIDPROOF_WORKER_CORES.
const PREFIX: &str = "GRIDPROOF_WORKER_";

/// A worker's settings, whole and checked.
#[derive(Debug)]
pub struct Config {
    /// Where the coordinator listens.
    pub coordinator: Uri,
    /// What the worker is called in logs and reports.
    pub name: String,
    /// Jobs at a time.
    pub cores: Cores,
    /// The most time between two tries to connect.
    pub max_backoff: MaxBackoff,
    /// The most memory it takes.
    pub memory: MemoryLimit,
    /// Of the job threads.
    pub priority: Priority,
    /// When the machine may be used.
    pub availability: AvailabilityPolicy,
    /// None: the connection is plain.
    pub tls: Option<ClientTlsConfig>,
    /// What it authenticates with.
    pub token: Option<Token>,
    /// Where counts are written.
    pub stats_file: Option<PathBuf>,
    /// Where log lines go.
    pub logs: LogOptions,
}

/// Why the worker does not start.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A value that makes no sense.
    #[error("{}", one_line(.0))]
    Values(Box<figment::Error>),
    /// A word in the file that is no option.
    #[error("{file} sets \"{key}\", which is no option: `gridproof-worker --help` lists them all", file = file.display())]
    UnknownKey {
        /// Which file.
        file: PathBuf,
        /// Which word.
        key: String,
    },
    /// The file that was named is not there.
    #[error("there is no file {}", .0.display())]
    NoFile(PathBuf),
    /// Not a URL, or none of a kind that is spoken.
    #[error(
        "\"{0}\" is no coordinator's address: write https://HOST:PORT, or http://127.0.0.1:PORT on the same machine"
    )]
    Address(String),
    /// TLS without anybody to trust.
    #[error("an address with https needs the lab's certificate: give ca.pem with --ca")]
    NoAuthority,
    /// A certificate without key, or a key without certificate.
    #[error("--cert and --key belong together: give both or neither")]
    HalfAnIdentity,
    /// Load is told apart by priority.
    #[error(
        "pause-when = \"load\" cannot tell the worker's own load at priority normal: choose priority low or idle"
    )]
    LoadNeedsLowPriority,
    /// The token file is no token.
    #[error("{} holds no good token", path.display())]
    Token {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: ParseTokenError,
    },
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Certificates that cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The coordinator is on another machine, and there is not enough protection.
    #[error(transparent)]
    Exposed(#[from] Exposed),
}

fn one_line(error: &figment::Error) -> String {
    error.to_string().replace('\n', " ")
}

impl Options {
    /// Adds what the file and the environment say to what the command line says, which
    /// counts most.
    pub fn with_file_and_environment(self) -> Result<Self, ConfigError> {
        // What is about the file itself does not come out of it.
        let (config, print_config) = (self.config.clone(), self.print_config);
        let merged: Self = self
            .figment()?
            .extract()
            .map_err(|error| ConfigError::Values(Box::new(error)))?;
        Ok(Self {
            config,
            print_config,
            ..merged
        })
    }

    /// All that is in force, as a file for --config: what was said with where that was, and the
    /// defaults as comments.
    pub fn in_force(&self) -> Result<String, ConfigError> {
        let figment = self.figment()?;
        let said = self.clone().with_file_and_environment()?.to_table();
        let usual = Self::usual().to_table();
        let mut lines = Vec::new();
        for name in Self::names() {
            let (line, from) = match (said.get(&name), usual.get(&name)) {
                (Some(value), _) => (format!("{name} = {value}"), source(&figment, &name)),
                (None, Some(value)) => (format!("# {name} = {value}"), "default".to_owned()),
                (None, None) => continue,
            };
            lines.push((line, from));
        }
        let width = lines.iter().map(|(line, _)| line.chars().count()).max();
        let width = width.unwrap_or(0);
        let lines = lines
            .iter()
            .map(|(line, from)| format!("{line:width$}  # {from}\n"));
        Ok(lines.collect())
    }

    fn figment(&self) -> Result<Figment, ConfigError> {
        let named = self.config.clone();
        let named = named.or_else(|| std::env::var_os(format!("{PREFIX}CONFIG")).map(Into::into));
        let mut figment = Figment::new();
        if let Some(file) = named {
            if !file.exists() {
                return Err(ConfigError::NoFile(file));
            }
            figment = figment.merge(checked_file(&file)?);
        } else if Path::new(USUAL_FILE).exists() {
            figment = figment.merge(checked_file(Path::new(USUAL_FILE))?);
        }
        let names = Self::names();
        // Others have variables with this prefix too, such as Kubernetes for its services.
        let env = Env::prefixed(PREFIX)
            .map(|key| key.as_str().replace('_', "-").into())
            .filter(move |key| names.iter().any(|name| key == name.as_str()));
        Ok(figment.merge(env).merge(Serialized::defaults(self)))
    }

    /// Fills the gaps with defaults and checks that all fits together.
    pub fn resolve(self) -> Result<Config, ConfigError> {
        let address = self
            .coordinator
            .unwrap_or_else(|| LOCAL_COORDINATOR.to_owned());
        let coordinator: Uri = address
            .parse()
            .map_err(|_| ConfigError::Address(address.clone()))?;
        let (Some(scheme @ ("http" | "https")), Some(host)) =
            (coordinator.scheme_str(), coordinator.host())
        else {
            return Err(ConfigError::Address(address));
        };
        let identity = match (self.cert, self.key) {
            (Some(certificate), Some(key)) => Some(IdentityFiles { certificate, key }),
            (None, None) => None,
            _ => return Err(ConfigError::HalfAnIdentity),
        };
        let tls = match (scheme, self.ca) {
            ("http", _) => None,
            (_, None) => return Err(ConfigError::NoAuthority),
            (_, Some(authority)) => {
                let server_name = self.server_name;
                let files = ClientFiles {
                    authority,
                    identity,
                    server_name,
                };
                Some(files.load()?)
            }
        };
        let token = self.token_file.map(read_token).transpose()?;
        let guards = Guards {
            tls: Guard::from(tls.is_some()),
            tokens: Guard::from(token.is_some()),
        };
        guards.permit_connecting(host, Insecure::from(self.insecure))?;
        let priority = self.priority.unwrap_or_default();
        let pause_when = self.pause_when.unwrap_or_default();
        if pause_when.minds_load() && priority == Priority::Normal {
            return Err(ConfigError::LoadNeedsLowPriority);
        }
        Ok(Config {
            coordinator,
            name: self.name.unwrap_or_else(machine_name),
            cores: self.cores.unwrap_or_default(),
            max_backoff: self.max_backoff.unwrap_or_default(),
            memory: self.memory.unwrap_or_default(),
            priority,
            availability: AvailabilityPolicy {
                hours: self.hours.unwrap_or_default(),
                pause_when,
                busy: self.busy.unwrap_or_default().share(),
                quiet_for: self.quiet_for.unwrap_or_default().get(),
            },
            tls,
            token,
            stats_file: self.stats_file,
            logs: self.logs,
        })
    }
}

/// Where a setting comes from, in words.
fn source(figment: &Figment, name: &str) -> String {
    let Some(metadata) = figment.find_metadata(name) else {
        return "default".to_owned();
    };
    match (&metadata.source, metadata.name.contains("environment")) {
        (Some(Source::File(file)), _) => file.display().to_string(),
        (_, true) => format!("{PREFIX}{}", name.to_uppercase().replace('-', "_")),
        _ => "the command line".to_owned(),
    }
}

/// A word that means nothing is most often a slip in one that does, so it is refused.
fn checked_file(file: &Path) -> Result<Figment, ConfigError> {
    let figment = Figment::from(Toml::file_exact(file));
    let keys: figment::value::Dict = figment
        .extract()
        .map_err(|error| ConfigError::Values(Box::new(error)))?;
    let names = Options::names();
    match keys.into_keys().find(|key| !names.contains(key)) {
        Some(key) => Err(ConfigError::UnknownKey {
            file: file.to_owned(),
            key,
        }),
        None => Ok(figment),
    }
}

fn read_token(path: PathBuf) -> Result<Token, ConfigError> {
    let text = files::read_text(&path)?;
    text.parse()
        .map_err(|source| ConfigError::Token { path, source })
}

fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "worker".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
