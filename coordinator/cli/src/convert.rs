use std::io;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use gridproof_game::PositionInput;
use gridproof_game::records::{Format, RowsFrom, read_with_rows};

use super::rules::RulesOption;
use super::{Failure, output};

/// Write a game record in another format
#[derive(Debug, Args)]
pub(super) struct Convert {
    /// A record file, - for standard input, an opening like TX-H9, or a record itself
    record: PositionInput,
    #[command(flatten)]
    rules: RulesOption,
    /// The format to write
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name))
            .try_map(|name| name.parse::<Format>())
    )]
    to: Format,
    /// From where an SGF record that names squares by two letters counts its rows [default: small
    /// letters from the top, capitals from the bottom]
    #[arg(long, value_name = "SIDE")]
    rows: Option<Rows>,
    /// The file to write; standard output if there is none
    #[arg(
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    out: PathBuf,
}

/// A side of the board.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Rows {
    Top,
    Bottom,
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let rows = match self.rows {
            None => {
                let game = self.rules.read(&self.record)?;
                return output::write_to(&self.out, &self.to.write(&game)?);
            }
            Some(Rows::Top) => RowsFrom::Top,
            Some(Rows::Bottom) => RowsFrom::Bottom,
        };
        let bytes = match self.record {
            PositionInput::Stdin => self.record.load(output::stdin())?,
            _ => self.record.load(io::empty())?,
        };
        let game = self
            .record
            .parse(&bytes, |bytes| read_with_rows(bytes, rows))?;
        output::write_to(&self.out, &self.to.write(&game)?)
    }
}
