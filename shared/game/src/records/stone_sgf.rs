//! SGF with one stone a node, its column and row as letters.
//!
//! `(;FF[4]GM[4]CA[UTF-8]SZ[19]RU[Connect(19,19,6,2,1)];B[jj];W[il];W[hk])`
//!
//! It is written as SGF has it: small letters, rows from the top. Connect6 has no number of its
//! own in SGF, so GM says 4, gomoku's: a program for Go would take stones off the board. Read is
//! also what engines for Connect6 write, `(;B[JJ];W[IH];W[HI])`: capitals, rows from the bottom.
//! A null stone is SGF's own pass, an empty property: `W[]`.

use super::error::{Fault, NullStones};
use super::game::Game;
use super::pairs::{self, RowsFrom};
use super::replay::{Placed, Replay, StoneByStone};
use super::sgf::{self, Meaning, Property};
use crate::rules::Rules;

/// Reads a record; the caller may know better than its letters from where rows count.
pub(super) fn read(text: &str, rows: Option<RowsFrom>) -> Result<Game, Fault> {
    let properties = sgf::main_line(text)?;
    let rules = sgf::rules(&properties)?;
    let rows = match rows {
        Some(rows) => rows,
        None => sgf::convention(&properties, &rules)?.rows,
    };
    let mut stones = StoneByStone::new(Replay::new(rules, NullStones::EmptyProperty));
    for property in &properties {
        let Meaning::Stones(colour) = property.meaning()? else {
            continue;
        };
        for stone in placed(property, &rules, rows)? {
            stones.stone(colour, stone)?;
        }
    }
    let mut game = stones.finish()?.into_game();
    game.headers = sgf::headers(&properties);
    Ok(game)
}

/// The stones of a property, a value each.
pub(super) fn placed(
    property: &Property,
    rules: &Rules,
    rows: RowsFrom,
) -> Result<Vec<Placed>, Fault> {
    let values = property.values.iter().map(|value| {
        let at = value.at;
        let square = match value.text.trim() {
            "" => None,
            pair => {
                let square = pairs::sgf_square(pair, rules, rows);
                Some(square.ok_or_else(|| pairs::refusal(pair).at(at))?)
            }
        };
        Ok(Placed { at, square })
    });
    values.collect()
}

/// From where rows are taken to count in a record that could mean either.
pub(super) fn assumed_rows(text: &str) -> Option<RowsFrom> {
    let properties = sgf::main_line(text).ok()?;
    let rules = sgf::rules(&properties).ok()?;
    let convention = sgf::convention(&properties, &rules).ok()?;
    convention.is_assumed.then_some(convention.rows)
}

pub(super) fn write(game: &Game) -> Vec<u8> {
    let rules = game.rules();
    let nodes = game.turns().flat_map(|turn| {
        let letter = turn.colour.letter();
        turn.names(|square| pairs::sgf_name(square, rules), "")
            .map(move |stone| format!("{letter}[{stone}]"))
    });
    let root = format!("FF[4]GM[4]CA[UTF-8]{}", sgf::board(rules));
    sgf::record(game, &root, nodes)
}
