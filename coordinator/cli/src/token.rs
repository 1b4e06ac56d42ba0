use std::path::PathBuf;

use clap::{Args, Subcommand};
use gridproof_grid::security::{PrincipalName, Role, TokenFile, TokenRecord};
use gridproof_grid::text::Table;
use gridproof_host::files::{self, Access, Existing};
use jiff::Timestamp;

use super::{Failure, output};

/// Make, list and revoke the tokens that workers and operators show
///
/// Every machine gets a token of its own, so that one can be shut out without the others.
/// A running coordinator knows a new token at once, and ends a revoked one within a second.
#[derive(Debug, Args)]
pub(super) struct Tokens {
    /// The file of tokens. It holds hashes, not secrets
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        default_value = "gridproof-data/tokens.toml"
    )]
    tokens: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a token for each name, and show it this once
    New(New),
    /// List all tokens, revoked ones too
    List,
    /// End tokens, by name or id; their holders are cut off
    Revoke {
        #[arg(required = true, value_name = "NAME|ID")]
        which: Vec<String>,
    },
}

#[derive(Debug, Args)]
struct New {
    /// Whom it is for, such as lab-pc-07
    #[arg(required = true, value_name = "NAME")]
    names: Vec<PrincipalName>,
    /// What its holder may do
    #[arg(long, value_enum, default_value_t)]
    role: Role,
    /// Write each token to FOLDER/NAME.token, readable by you alone, instead of showing it
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Tokens {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let file = TokenFile::at(&self.tokens);
        let now = Timestamp::now();
        match &self.command {
            Command::New(new) => new.run(&file, now),
            Command::List => output::print(table(&file.load()?).as_bytes()),
            Command::Revoke { which } => {
                for one in which {
                    let record = file.revoke(one, now)?;
                    output::print(format!("revoked {} {}\n", record.id, record.name).as_bytes())?;
                }
                Ok(())
            }
        }
    }
}

impl New {
    fn run(&self, file: &TokenFile, now: Timestamp) -> Result<(), Failure> {
        for name in &self.names {
            let token = file.issue(name, self.role, now)?.reveal();
            match &self.out {
                Some(folder) => {
                    let path = folder.join(format!("{name}.token"));
                    let line = format!("{token}\n");
                    files::write(&path, line.as_bytes(), Access::Owner, Existing::Replace)?;
                    output::print(format!("{}\n", path.display()).as_bytes())?;
                }
                // Alone on its line, so that a script can take it.
                None if self.names.len() == 1 => output::print(format!("{token}\n").as_bytes())?,
                None => output::print(format!("{name} {token}\n").as_bytes())?,
            }
        }
        if self.out.is_none() {
            eprintln!("This is the only time it is shown: give it to the machine now.");
        }
        Ok(())
    }
}

fn table(records: &[TokenRecord]) -> String {
    let rows = records.iter().map(|record| {
        let state = match record.revoked {
            None if record.is_outdated() => "outdated: make a new one".to_owned(),
            None => "in force".to_owned(),
            Some(when) => format!("revoked {}", when.strftime("%Y-%m-%d")),
        };
        vec![
            record.id.to_string(),
            record.name.to_string(),
            record.role.to_string(),
            record.made.strftime("%Y-%m-%d").to_string(),
            state,
        ]
    });
    let head = ["id", "name", "role", "made", "state"];
    Table::new(head).with_rows(rows).to_string()
}
