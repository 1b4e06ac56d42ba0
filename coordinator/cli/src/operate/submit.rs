//! The order that starts a search.

use clap::Args;
use gridproof_game::records::Format;
use gridproof_game::{Colour, Opening, PositionInput};
use gridproof_proto::{colour_to_wire, v1};

use super::connect::{Client, call};
use super::view::{Search, State, Totals};
use crate::Failure;
use crate::position::note_rows;
use crate::rules::RulesOption;
use crate::settings::Connection;
use crate::values;

#[derive(Debug, Args)]
pub(crate) struct Submit {
    /// An opening like TX-H9 (more stones may follow: "TX-H9 k11,l10"), a record file, - for
    /// standard input, or a record itself, like j10,k11,i11 [default: the empty board of --rules]
    #[arg(
        value_name = "POSITION",
        required_unless_present = "rules",
        default_value = "",
        hide_default_value = true
    )]
    game: PositionInput,
    #[command(flatten)]
    rules: RulesOption,
    /// The side to be proved winning [default: Black in openings, else the side to move]
    #[arg(long, value_name = "COLOUR", value_parser = values::colour)]
    attacker: Option<Colour>,
    /// Its part of the workers against the parts of other searches
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = values::within::<u32>(1..=u32::MAX.into()))]
    share: u32,
    #[command(flatten)]
    pub(super) connection: Connection,
}

impl Submit {
    pub(super) async fn send(&self, client: &mut Client) -> Result<String, Failure> {
        let attacker = self
            .attacker
            .map_or(v1::Colour::Unspecified, colour_to_wire);
        let request = v1::SubmitRequest {
            game: self.record()?,
            attacker: attacker.into(),
            share: self.share,
        };
        let search = Search::try_from(&call(client.submit(request)).await?)?;
        let told = format!(
            "Search {}: {}, {}.",
            search.id,
            search.name,
            search.state_text()
        );
        let next = match search.state {
            State::Proved => search.distance(),
            _ => format!(
                "`gridproof status \"{}\"` tells how it goes.\n",
                search.name
            ),
        };
        let id = search.id;
        let status = call(client.get_status(v1::StatusRequest { search: id })).await?;
        let nobody = Totals::from(status.totals).nobody_works();
        let nobody = nobody.filter(|_| search.is_running()).unwrap_or_default();
        Ok(format!("{told} {next}{nobody}"))
    }

    /// What was asked for as one line, which names the search from now on.
    fn record(&self) -> Result<String, Failure> {
        if let PositionInput::Text(text) = &self.game {
            note_rows(text.as_bytes());
            return Ok(self.rules.with(text)?);
        }
        let game = self.rules.read(&self.game)?;
        Ok(match Opening::of(game.position()) {
            Some(opening) => opening.to_string(),
            None => {
                let record = Format::Stones.write(&game)?;
                String::from_utf8_lossy(&record).trim().to_owned()
            }
        })
    }
}
