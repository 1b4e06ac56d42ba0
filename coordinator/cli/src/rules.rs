//! Which game a position is of.

use std::io;

use clap::Args;
use gridproof_game::records::Game;
use gridproof_game::{InputError, PositionInput, Rules, read_game};

use super::output;
use super::position::note_rows;

/// The game that is meant where the position does not say it.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct RulesOption {
    /// The game: connect6, gomoku, tictactoe, or m,n,k,p,q like 9,9,4,1,1 (columns, rows, stones
    /// in a row, stones a turn, first stones). A position may say it too: "gomoku: h8,h9"
    /// [default: connect6]
    #[arg(long, value_name = "GAME")]
    rules: Option<Rules>,
}

impl RulesOption {
    /// The game that leads to a position, of these rules if any were said.
    pub(super) fn read(self, input: &PositionInput) -> Result<Game, InputError> {
        match input {
            PositionInput::Stdin => self.read_from(input, output::stdin()),
            _ => self.read_from(input, io::empty()),
        }
    }

    pub(super) fn read_from(
        self,
        input: &PositionInput,
        stdin: impl io::Read,
    ) -> Result<Game, InputError> {
        let bytes = input.load(stdin)?;
        let game = match self.rules {
            Some(rules) => input.parse_of(rules, &bytes)?,
            None => input.parse(&bytes, read_game)?,
        };
        note_rows(&bytes);
        Ok(game)
    }

    /// The game, where no position says it.
    pub(super) fn or_connect6(self) -> Rules {
        self.rules.unwrap_or_default()
    }

    /// A record as a coordinator reads it, with its rules.
    pub(super) fn with(self, record: &str) -> Result<String, InputError> {
        let Some(rules) = self.rules else {
            return Ok(record.to_owned());
        };
        PositionInput::Text(record.to_owned()).read_of(rules, io::empty())?;
        let is_usual = rules == Rules::CONNECT6 && !record.trim().is_empty();
        let names_them = record.contains(':') || is_usual;
        Ok(match names_them {
            true => record.to_owned(),
            false => format!("{rules}: {record}"),
        })
    }
}
