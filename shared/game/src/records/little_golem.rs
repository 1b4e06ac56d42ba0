//! LittleGolem's SGF: one property a turn, its stones run together.
//!
//! `(;FF[4]EV[...]PB[...]PW[...];B[j10];W[j9l11];B[k9l8])`
//!
//! Our extension: a dash for a null stone, as in `W[j9-]`.

use super::error::{Fault, NullStones};
use super::game::{Game, Outcome};
use super::replay::{Placed, Replay, Turn};
use super::sgf::{self, Meaning, Property};
use super::stones;
use super::text::Cursor;
use crate::rules::Rules;

pub(super) fn read(text: &str) -> Result<Game, Fault> {
    let properties = sgf::main_line(text)?;
    let mut replay = Replay::new(sgf::rules(&properties)?, NullStones::Dash);
    for property in &properties {
        let Meaning::Stones(colour) = property.meaning()? else {
            continue;
        };
        if property.values.iter().any(|value| value.text == "resign") {
            replay.resign(property.at, colour)?;
            continue;
        }
        replay.turn(&Turn {
            at: property.at,
            colour: Some(colour),
            stones: run_together(text, property)?,
        })?;
    }
    let mut headers = sgf::headers(&properties);
    if headers.result.is_none() {
        headers.result = replay.resigned().map(|loser| Outcome::Won(loser.other()));
    }
    let mut game = replay.into_game();
    game.headers = headers;
    Ok(game)
}

/// Stones are read from the record's own text, not from the value, so that each keeps its
/// place: a stone holds nothing that SGF would escape.
pub(super) fn run_together(text: &str, property: &Property) -> Result<Vec<Placed>, Fault> {
    let mut stones = Vec::new();
    for value in &property.values {
        let mut cursor = Cursor::starting_at(text, value.at);
        loop {
            cursor.skip_whitespace();
            if cursor.eat(']') {
                break;
            }
            stones.push(stones::stone(&mut cursor)?);
        }
    }
    Ok(stones)
}

pub(super) fn write(game: &Game, comments: &[Option<String>]) -> Vec<u8> {
    let nodes = game.turns().map(|turn| {
        let stones: String = turn.names(stones::name, "-").collect();
        let comment = sgf::comment(comments, turn.number - 1);
        format!("{}[{stones}]{comment}", turn.colour.letter())
    });
    let rules = game.rules();
    let board = match *rules {
        Rules::CONNECT6 => String::new(),
        _ => sgf::board(rules),
    };
    sgf::record(game, &format!("FF[4]CA[UTF-8]{board}"), nodes)
}
