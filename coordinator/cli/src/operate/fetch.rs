//! The proof of a search, from a coordinator to a file.

use std::path::PathBuf;

use clap::Args;
use gridproof_certificate::{CheckLimits, FILE_ENDING, check_file};
use gridproof_grid::text;
use gridproof_proto::v1;
use tonic::Streaming;

use super::connect::{Client, CoordinatorError, call};
use super::find::{list, named};
use super::view::{Search, State};
use crate::exit::BadInput;
use crate::settings::Connection;
use crate::{Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Fetch {
    /// The search, by name or number [default: the one that is proved]
    search: Option<String>,
    /// The file to write; - is standard output [default: named after game, position and
    /// attacker]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    pub(super) connection: Connection,
}

impl Fetch {
    pub(super) async fn run(&self, client: &mut Client) -> Result<(), Failure> {
        let searches = list(client).await?;
        let search = self.choose(&searches)?;
        if search.state != State::Proved {
            let words = format!("{} is not proved: {}", search.name, search.state_text());
            return Err(BadInput(words).into());
        }
        let usual = || {
            let name = gridproof_grid::file_name(&search.root, search.attacker);
            PathBuf::from(format!("{name}.{FILE_ENDING}"))
        };
        let path = self.out.clone().unwrap_or_else(usual);
        let to_stdout = path.as_os_str() == "-";
        if !to_stdout && !self.replace && path.exists() {
            let words = format!(
                "{} exists: name another file with --out, or say --replace",
                path.display()
            );
            return Err(BadInput(words).into());
        }
        let request = v1::ExportRequest { search: search.id };
        let bytes = received(call(client.export(request)).await?).await?;
        // Nobody is believed: what came over the wire is checked before it is kept.
        let file = check_file(&bytes[..], CheckLimits::default())?;
        output::write_to(&path, &bytes)?;
        if to_stdout {
            return Ok(());
        }
        let checked = &file.checked;
        let with_move = checked.first_move.as_ref();
        let with_move = with_move
            .map(|mv| format!(" with {mv}"))
            .unwrap_or_default();
        let text = format!(
            "{}: {} wins{with_move}. {} nodes, {} moves deep, checked here.\nProof: {} ({} bytes)\n",
            search.name,
            search.attacker,
            text::count(checked.nodes),
            checked.depth,
            path.display(),
            text::count(bytes.len() as u64),
        );
        output::print(text.as_bytes())
    }

    fn choose<'a>(&self, searches: &'a [Search]) -> Result<&'a Search, Failure> {
        if let Some(name) = &self.search {
            return Ok(named(searches, name)?);
        }
        let is_proved = |search: &&Search| search.state == State::Proved;
        let proved: Vec<_> = searches.iter().filter(is_proved).collect();
        match proved[..] {
            [one] => Ok(one),
            [] => Err(BadInput("no search is proved yet".to_owned()).into()),
            _ => {
                let names: Vec<_> = proved.iter().map(|search| &*search.name).collect();
                let words = format!(
                    "several searches are proved, name one: {}",
                    names.join(", ")
                );
                Err(BadInput(words).into())
            }
        }
    }
}

async fn received(mut stream: Streaming<v1::ExportPiece>) -> Result<Vec<u8>, CoordinatorError> {
    let mut bytes = Vec::new();
    while let Some(piece) = stream.message().await? {
        bytes.extend_from_slice(&piece.bytes);
    }
    Ok(bytes)
}
