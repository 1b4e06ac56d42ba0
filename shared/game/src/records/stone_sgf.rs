//! SGF with one stone a node, its column and row as letters, rows from the bottom.
//!
//! `(;B[JJ];W[IH];W[HI];B[KK];B[LJ])`
//!
//! Letters are A to Z; on boards longer than 26 a to f follow, and case counts there alone.
//! A Go editor's file, which counts rows from the top, comes out mirrored: the same game.
//! A null stone is SGF's own pass, an empty property: `W[]`.

use super::error::{Fault, NullStones};
use super::game::Game;
use super::pairs;
use super::replay::{Placed, Replay, StoneByStone};
use super::sgf::{self, Meaning};

pub(super) fn read(text: &str) -> Result<Game, Fault> {
    let properties = sgf::main_line(text)?;
    let rules = sgf::rules(&properties)?;
    let mut stones = StoneByStone::new(Replay::new(rules, NullStones::EmptyProperty));
    for property in &properties {
        let Meaning::Stones(colour) = property.meaning()? else {
            continue;
        };
        for value in &property.values {
            let square = match value.text.trim() {
                "" => None,
                pair => Some(
                    pairs::square(pair, &rules).ok_or_else(|| pairs::refusal(pair).at(value.at))?,
                ),
            };
            stones.stone(
                colour,
                Placed {
                    at: value.at,
                    square,
                },
            )?;
        }
    }
    let mut game = stones.finish()?.into_game();
    game.headers = sgf::headers(&properties);
    Ok(game)
}

pub(super) fn write(game: &Game) -> Vec<u8> {
    let nodes = game.turns().flat_map(|turn| {
        let letter = turn.colour.letter();
        turn.names(pairs::name, "")
            .map(move |stone| format!("{letter}[{stone}]"))
    });
    sgf::record(game, nodes)
}
