//! Positions as users name them, and what is assumed of them.

use std::io::{self, Read};

use gridproof_game::PositionInput;
use gridproof_game::records::{Game, RowsFrom, assumed_rows};

use super::{Failure, output};

/// The game that leads to a position. A record that could be mirrored is said to be one.
pub(super) fn read(input: &PositionInput) -> Result<Game, Failure> {
    read_from(input, io::stdin())
}

/// The same where standard input is something else.
pub(super) fn read_from(input: &PositionInput, stdin: impl Read) -> Result<Game, Failure> {
    let bytes = input.load(stdin)?;
    let game = input.parse(&bytes, gridproof_game::read_game)?;
    note_rows(&bytes);
    Ok(game)
}

/// Says from where the rows of a record were counted if it could mean either.
pub(super) fn note_rows(record: &[u8]) {
    let words = match assumed_rows(record) {
        Some(RowsFrom::Top) => {
            "small letters, and no GM: rows are taken to count from the top, as SGF has it. If \
             they count from the bottom, say `gridproof convert --rows bottom` first"
        }
        Some(RowsFrom::Bottom) => {
            "capital letters: rows are taken to count from the bottom, as engines for Connect6 \
             have it. If they count from the top, say `gridproof convert --rows top` first"
        }
        None => return,
    };
    if !output::is_quiet() {
        eprintln!("note: the record could be read both ways up. Its squares are in {words}.");
    }
}
