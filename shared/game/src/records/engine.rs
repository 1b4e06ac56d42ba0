//! What engines are told on their input, as a record: a command a line, each square two
//! letters, column and row from the bottom.
//!
//! ```text
//! new black
//! black JJ
//! white IHHI
//! move KKLJ
//! ```
//!
//! `move` is a turn of the side to move. Commands that place no stones are passed over.

use super::error::{Fault, NullStones, Reason, WriteError};
use super::game::Game;
use super::pairs;
use super::replay::{Placed, Replay, Turn};
use super::text::Cursor;
use super::{Format, only_connect6};
use crate::colour::Colour;
use crate::excerpt;
use crate::rules::Rules;

/// What a command word does to the record.
enum Command {
    New,
    Turn(Option<Colour>),
    Quit,
    /// Asks or tunes the engine.
    NoMove,
}

impl Command {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "new" => Self::New,
            "black" => Self::Turn(Some(Colour::Black)),
            "white" => Self::Turn(Some(Colour::White)),
            "move" => Self::Turn(None),
            "quit" | "exit" => Self::Quit,
            "next" | "depth" | "name" | "print" | "vcf" | "unvcf" => Self::NoMove,
            _ => return None,
        })
    }
}

pub(super) fn is_command(word: &str) -> bool {
    Command::of(word).is_some()
}

pub(super) fn read(text: &str) -> Result<Game, Fault> {
    let mut replay = Replay::new(Rules::CONNECT6, NullStones::Unknown);
    let mut quit = false;
    let mut cursor = Cursor::new(text);
    loop {
        cursor.skip_whitespace();
        let Some((at, word)) = word_on_line(&mut cursor) else {
            return Ok(replay.into_game());
        };
        let command = Command::of(word).ok_or_else(|| Reason::Command(excerpt(word, 20)).at(at))?;
        if quit {
            return Err(after_the_end(at, word));
        }
        let arguments: Vec<_> = std::iter::from_fn(|| word_on_line(&mut cursor)).collect();
        match command {
            Command::New if !replay.game().moves().is_empty() => {
                return Err(Reason::SecondGame.at(at));
            }
            Command::Turn(colour) => {
                let stones = stones(&arguments)?;
                replay.turn(&Turn { at, colour, stones })?;
            }
            Command::Quit => quit = true,
            Command::New | Command::NoMove => {}
        }
    }
}

/// The next word of the line and where it begins; `None` at the line's end.
fn word_on_line<'a>(cursor: &mut Cursor<'a>) -> Option<(usize, &'a str)> {
    cursor.take_while(|c| c.is_whitespace() && c != '\n');
    let at = cursor.at();
    let word = cursor.take_while(|c| !c.is_whitespace());
    (!word.is_empty()).then_some((at, word))
}

fn after_the_end(at: usize, word: &str) -> Fault {
    Reason::Unexpected {
        found: word.chars().next().unwrap_or_default(),
        expected: "the end of the record, after quit,",
    }
    .at(at)
}

fn stones(words: &[(usize, &str)]) -> Result<Vec<Placed>, Fault> {
    let mut stones = Vec::new();
    for &(at, word) in words {
        let mut from = 0;
        while from < word.len() {
            let pair = word.get(from..from + 2);
            let square = pair
                .and_then(|pair| pairs::square(pair, &Rules::CONNECT6))
                .ok_or_else(|| pairs::refusal(pair.unwrap_or(&word[from..])).at(at + from))?;
            stones.push(Placed {
                at: at + from,
                square: Some(square),
            });
            from += 2;
        }
    }
    Ok(stones)
}

pub(super) fn write(game: &Game) -> Result<Vec<u8>, WriteError> {
    only_connect6(Format::Engine, game)?;
    let mut text = "new black\n".to_owned();
    for turn in game.turns() {
        let colour = turn.colour.to_string().to_lowercase();
        let stones: String = turn.names(pairs::name, "").collect();
        text.extend([&colour, " ", &stones, "\n"]);
    }
    Ok(text.into_bytes())
}
