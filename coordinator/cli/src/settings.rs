//! How to reach a coordinator: options, the environment and a file, under the same names.

use std::path::{Path, PathBuf};

use clap::Args;
use figment::providers::{Env, Format as _, Serialized, Toml};
use figment::{Figment, Source};
use gridproof_grid::text::Table;
use gridproof_proto::LOCAL_COORDINATOR;
use serde::{Deserialize, Serialize};

use super::exit::BadInput;
use super::{Failure, output};

/// Before the name of an option in the environment, such as GRIDPROOF_COORDINATOR.
const PREFIX: &str = "GRIDPROOF_";

const NAMES: [&str; 5] = ["coordinator", "ca", "token-file", "server-name", "insecure"];

/// How to reach the coordinator. Each may stand in the environment (GRIDPROOF_COORDINATOR,
/// GRIDPROOF_CA, GRIDPROOF_TOKEN_FILE) and in a file, too.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
#[command(next_help_heading = "Connection (also in the environment and in a file: see config)")]
pub(super) struct Connection {
    /// The coordinator's address [default: http://127.0.0.1:4100]
    #[arg(long, value_name = "URL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) coordinator: Option<String>,
    /// The lab's certificate, ca.pem, for an https address
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ca: Option<PathBuf>,
    /// The file that holds an operator's token
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) token_file: Option<PathBuf>,
    /// The name in the coordinator's certificate, if it is reached by another
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server_name: Option<String>,
    /// Connect to another machine without TLS or token: whoever is on the way can read and
    /// change everything
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) insecure: bool,
    /// Read these options from this file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(super) config: Option<PathBuf>,
}

/// Show how commands reach the coordinator, and where each setting comes from
///
/// Settings come from the command line, then from the environment (GRIDPROOF_COORDINATOR,
/// GRIDPROOF_CA, GRIDPROOF_TOKEN_FILE, GRIDPROOF_SERVER_NAME, GRIDPROOF_INSECURE), then from a
/// file: the one of --config or GRIDPROOF_CONFIG, else ~/.config/gridproof/config.toml, else
/// /etc/gridproof/config.toml. The file is TOML with the same names: coordinator =
/// "https://grid.lab:4100", ca = "ca.pem", token-file = "ann.token"; paths in it are seen from
/// its folder.
#[derive(Debug, Args)]
pub(super) struct ShowConfig {
    #[command(flatten)]
    connection: Connection,
}

impl Connection {
    /// The address that is used where nobody names one.
    pub(super) fn usual_address() -> String {
        LOCAL_COORDINATOR.to_owned()
    }

    /// Adds what the environment and the file say to what the command line says, which counts
    /// most.
    pub(super) fn load(&self) -> Result<Self, Failure> {
        let file = self.file()?;
        let figment = self.figment(file.as_deref())?;
        let mut all: Self = figment.extract().map_err(|error| bad_values(&error))?;
        // Paths in a file are seen from its folder, wherever the command is run.
        for (name, path) in [("ca", &mut all.ca), ("token-file", &mut all.token_file)] {
            let from = figment.find_metadata(name).and_then(|m| m.source.as_ref());
            if let (Some(path), Some(Source::File(file))) = (path, from)
                && let Some(folder) = file.parent()
            {
                *path = folder.join(&path);
            }
        }
        Ok(all)
    }

    fn figment(&self, file: Option<&Path>) -> Result<Figment, Failure> {
        let mut figment = Figment::new();
        if let Some(file) = file {
            let read = Figment::from(Toml::file_exact(file));
            let keys: figment::value::Dict = read.extract().map_err(|error| bad_values(&error))?;
            if let Some(key) = keys.keys().find(|key| !NAMES.contains(&key.as_str())) {
                let file = file.display();
                let names = NAMES.join(", ");
                let words = format!("{file} sets \"{key}\", which is none of {names}");
                return Err(BadInput(words).into());
            }
            figment = read;
        }
        let env = Env::prefixed(PREFIX)
            .map(|key| key.as_str().to_lowercase().replace('_', "-").into())
            .filter(|key| NAMES.iter().any(|name| key == *name));
        Ok(figment.merge(env).merge(Serialized::defaults(self)))
    }

    /// The file that is named, or the first of the usual ones that is there.
    fn file(&self) -> Result<Option<PathBuf>, Failure> {
        let named = self.config.clone();
        let named = named.or_else(|| std::env::var_os("GRIDPROOF_CONFIG").map(Into::into));
        if let Some(file) = named {
            if !file.exists() {
                return Err(BadInput(format!("there is no file {}", file.display())).into());
            }
            return Ok(Some(file));
        }
        let home = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")));
        let usual = [home, Some("/etc".into())].into_iter().flatten();
        let files = usual.map(|folder| folder.join("gridproof/config.toml"));
        Ok(files.into_iter().find(|file| file.exists()))
    }
}

fn bad_values(error: &figment::Error) -> BadInput {
    BadInput(error.to_string().replace('\n', " "))
}

impl ShowConfig {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = self.connection.file()?;
        let figment = self.connection.figment(file.as_deref())?;
        let all = self.connection.load()?;
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let values = [
            all.coordinator.clone(),
            path(&all.ca),
            path(&all.token_file),
            all.server_name.clone(),
            all.insecure.then(|| "true".to_owned()),
        ];
        let rows = NAMES.iter().zip(values).map(|(name, value)| {
            let from = figment.find_metadata(name).map(|metadata| {
                match (&metadata.source, metadata.name.contains("environment")) {
                    (Some(Source::File(file)), _) => file.display().to_string(),
                    (_, true) => format!("{PREFIX}{}", name.to_uppercase().replace('-', "_")),
                    _ => "the command line".to_owned(),
                }
            });
            let value = match (value, *name) {
                (None, "coordinator") => Connection::usual_address(),
                (None, _) => "-".to_owned(),
                (Some(value), _) => value,
            };
            let from = from.unwrap_or_else(|| "default".to_owned());
            vec![(*name).to_owned(), value, from]
        });
        let table = Table::new(["setting", "value", "from"]).with_rows(rows);
        let read = match file {
            Some(file) => format!("Read from {}.\n", file.display()),
            None => "No file is read; ~/.config/gridproof/config.toml is the usual place.\n".into(),
        };
        output::print(format!("{table}{read}").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;
    use figment::Jail;

    use super::*;

    fn connection(arguments: &[&str]) -> Connection {
        let command = Connection::augment_args(clap::Command::new("gridproof"));
        let words = std::iter::once("gridproof").chain(arguments.iter().copied());
        Connection::from_arg_matches(&command.get_matches_from(words)).unwrap()
    }

    #[expect(clippy::result_large_err, reason = "figment's own type")]
    fn in_jail(test: impl FnOnce(&mut Jail)) {
        Jail::expect_with(|jail| {
            test(jail);
            Ok(())
        });
    }

    #[test]
    fn options_count_more_than_the_environment_and_that_more_than_the_file() {
        in_jail(|jail| {
            let file = "coordinator = \"https://a:1\"\nca = \"ca.pem\"\nserver-name = \"x\"\n";
            let folder = jail.create_dir("gridproof").unwrap();
            jail.create_file("gridproof/config.toml", file).unwrap();
            jail.set_env("XDG_CONFIG_HOME", jail.directory().display().to_string());
            jail.set_env("GRIDPROOF_COORDINATOR", "https://b:2");
            jail.set_env("GRIDPROOF_TOKEN_FILE", "ann.token");
            let found = connection(&["--server-name", "y"]).load().unwrap();
            assert_eq!(found.coordinator.as_deref(), Some("https://b:2"));
            assert_eq!(found.server_name.as_deref(), Some("y"));
            assert_eq!(found.token_file, Some("ann.token".into()));
            let ca = found.ca.unwrap();
            assert!(ca.ends_with("gridproof/ca.pem"), "{ca:?} is in {folder:?}");
        });
    }

    #[test]
    fn a_slip_in_the_file_is_told_by_name() {
        in_jail(|jail| {
            jail.create_file("c.toml", "cordinator = \"http://a:1\"\n")
                .unwrap();
            let error = connection(&["--config", "c.toml"]).load().unwrap_err();
            assert!(error.to_string().contains("sets \"cordinator\""), "{error}");
            let error = connection(&["--config", "d.toml"]).load().unwrap_err();
            assert_eq!(error.to_string(), "there is no file d.toml");
        });
    }
}
