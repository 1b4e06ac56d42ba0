use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gridproof_game::PositionInput;
use gridproof_game::records::Format;

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
    /// The file to write; standard output if there is none
    #[arg(
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    out: PathBuf,
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let game = self.rules.read(&self.record)?;
        output::write_to(&self.out, &self.to.write(&game)?)
    }
}
