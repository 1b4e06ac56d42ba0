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
use super::{Format, only_connect6};
use crate::colour::Colour;
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
    for (start, line) in lines(text) {
        let words = words(start, line);
        let Some(&(at, word)) = words.first() else {
            continue;
        };
        let command = Command::of(word)
            .ok_or_else(|| Reason::Command(word.chars().take(20).collect()).at(at))?;
        if quit {
            return Err(after_the_end(at, word));
        }
        match command {
            Command::New if !replay.game().moves().is_empty() => {
                return Err(Reason::SecondGame.at(at));
            }
            Command::Turn(colour) => {
                let stones = stones(&words[1..])?;
                replay.turn(&Turn { at, colour, stones })?;
            }
            Command::Quit => quit = true,
            Command::New | Command::NoMove => {}
        }
    }
    Ok(replay.into_game())
}

fn after_the_end(at: usize, word: &str) -> Fault {
    Reason::Unexpected {
        found: word.chars().next().unwrap_or_default(),
        expected: "the end of the record, after quit,",
    }
    .at(at)
}

/// Each line with the offset of its first byte.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |next, line| {
        let start = *next;
        *next += line.len();
        Some((start, line))
    })
}

/// Each word of a line with the offset of its first byte.
fn words(start: usize, line: &str) -> Vec<(usize, &str)> {
    let base = line.as_ptr().addr();
    line.split_whitespace()
        .map(|word| (start + word.as_ptr().addr() - base, word))
        .collect()
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
        let stones: String = turn
            .stones
            .iter()
            .map(|square| pairs::name(*square))
            .collect();
        text.extend([&colour, " ", &stones, "\n"]);
    }
    Ok(text.into_bytes())
}
