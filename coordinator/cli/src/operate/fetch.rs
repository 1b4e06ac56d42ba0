//! The proof of a search, from a coordinator to a file.

use std::io::{BufReader, Seek as _, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use gridproof_certificate::{CheckLimits, FILE_ENDING, check_file};
use gridproof_grid::text;
use gridproof_host::Size;
use gridproof_proto::v1;
use tonic::Streaming;

use super::connect::{Client, CoordinatorError, call};
use super::find::{list, named};
use super::view::{Search, State};
use crate::exit::BadInput;
use crate::settings::Connection;
use crate::values::memory;
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
    /// Memory that checking it may take, such as 512MiB
    #[arg(long, value_name = "SIZE", default_value_t = Size::of_bytes(CheckLimits::default().memory),
        value_parser = memory)]
    memory: Size,
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
        let folder = match path.parent() {
            Some(parent) if !to_stdout && !parent.as_os_str().is_empty() => parent,
            _ if to_stdout => &std::env::temp_dir(),
            _ => Path::new("."),
        };
        let mut received = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            received.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let mut received = received.prefix(".gridproof-").tempfile_in(folder)?;
        receive(call(client.export(request)).await?, &mut received).await?;
        // Nobody is believed: what came over the wire is checked before it is kept.
        received.rewind()?;
        let limits = CheckLimits {
            memory: self.memory.bytes(),
        };
        let file = check_file(BufReader::new(received.as_file()), limits)?;
        if to_stdout {
            received.rewind()?;
            return output::print_from(&mut received);
        }
        let size = received.as_file().metadata()?.len();
        received.as_file().sync_all()?;
        match self.replace {
            true => received.persist(&path),
            false => received.persist_noclobber(&path),
        }
        .map_err(|error| error.error)?;
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
            text::count(size),
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

async fn receive(
    mut stream: Streaming<v1::ExportPiece>,
    to: &mut impl Write,
) -> Result<(), Failure> {
    while let Some(piece) = stream.message().await.map_err(CoordinatorError::from)? {
        to.write_all(&piece.bytes)?;
    }
    Ok(())
}
