//! Real games for the tests: a sample that is always there, all of them where they are.
#![allow(dead_code, reason = "each test program uses its part of this module")]

use std::path::Path;

use gridproof_game::Colour;
use gridproof_game::records::{Format, Game, Outcome};

const SAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/data/games_sample.csv"
);
const ALL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/data/games.csv"
);

/// One line of a games file.
#[derive(Debug)]
pub(crate) struct RealGame {
    pub(crate) id: String,
    pub(crate) result: Outcome,
    pub(crate) ends_with_a_row: bool,
    pub(crate) moves: String,
}

impl RealGame {
    pub(crate) fn game(&self) -> Game {
        let read = Format::Stones.read(self.moves.as_bytes());
        let mut game = read.unwrap_or_else(|error| panic!("game {}: {error}", self.id));
        game.headers.result = Some(self.result);
        game
    }
}

pub(crate) fn sample() -> Vec<RealGame> {
    load(Path::new(SAMPLE)).expect("the sample of games is part of the repository")
}

/// The whole collection; it does not ship with the repository.
pub(crate) fn all() -> Option<Vec<RealGame>> {
    let games = load(Path::new(ALL));
    if games.is_none() {
        println!("skipped: {ALL} is not there");
    }
    games
}

fn load(path: &Path) -> Option<Vec<RealGame>> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = |line: &str| {
        let (fields, quoted) = line.split_once('"').unwrap_or_else(|| {
            let (fields, stone) = line.rsplit_once(',').expect("four fields");
            (fields, stone)
        });
        let fields: Vec<_> = fields.trim_end_matches(',').split(',').collect();
        let &[id, result, end] = &fields[..] else {
            panic!("not id, result, end and moves: {line}");
        };
        RealGame {
            id: id.to_owned(),
            result: match result {
                "B" => Outcome::Won(Colour::Black),
                "W" => Outcome::Won(Colour::White),
                _ => Outcome::Drawn,
            },
            ends_with_a_row: end == "six",
            moves: quoted.trim_end_matches('"').to_owned(),
        }
    };
    Some(text.lines().skip(1).map(line).collect())
}
