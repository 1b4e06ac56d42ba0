//! Records of the Chinese computer games championship, in GB2312.
//!
//! `{[C6][B3 B][C3 W][先手胜][2025.12.27 15:50 北京][赛事];B(M,8);W(J,10);W(J,11)}`
//!
//! The brackets hold the game, Black, White, the result, time and place, and the event.

use std::fmt::Write as _;

use super::error::{Fault, NullStones, Reason, WriteError};
use super::game::{Game, Headers, Outcome};
use super::replay::{Placed, Replay, StoneByStone};
use super::text::{Cursor, decode_ccgc, encode_ccgc};
use super::{Format, only_connect6};
use crate::colour::Colour;
use crate::rules::Rules;
use crate::square::Square;

const FIRST_WINS: &str = "先手胜";
const SECOND_WINS: &str = "后手胜";
const DRAW: &str = "平局";
const OTHER_DRAWS: [&str; 3] = ["和棋", "平手", "流局"];

pub(super) fn read(text: &str) -> Result<Game, Fault> {
    let mut cursor = Cursor::new(text);
    cursor.skip_whitespace();
    cursor.expect('{', "{ at the beginning")?;
    let headers = headers(&mut cursor)?;
    let mut stones = StoneByStone::new(Replay::new(Rules::CONNECT6, NullStones::Unknown));
    loop {
        cursor.skip_whitespace();
        if cursor.eat('}') {
            break;
        }
        if cursor.eat(';') {
            continue;
        }
        let (colour, stone) = stone(&mut cursor)?;
        stones.stone(colour, stone)?;
        skip_annotations(&mut cursor)?;
    }
    cursor.skip_whitespace();
    cursor.expect_end('{')?;
    let mut game = stones.finish()?.into_game();
    game.headers = headers;
    Ok(game)
}

fn headers(cursor: &mut Cursor<'_>) -> Result<Headers, Fault> {
    let mut fields = Vec::new();
    cursor.skip_whitespace();
    let start = cursor.clone();
    while cursor.eat('[') {
        fields.push(cursor.take_while(|c| c != ']').trim());
        cursor.expect(']', "] at the end of a header")?;
        cursor.skip_whitespace();
    }
    if fields.first() != Some(&"C6") {
        return Err(start.unexpected("[C6], for Connect6,"));
    }
    let field = |index: usize| fields.get(index).copied().unwrap_or_default();
    // Some programs give the place brackets of its own.
    let place_apart = fields.len() > 6;
    let (date, place) = if place_apart {
        (field(4), field(5))
    } else {
        date_and_place(field(4))
    };
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok(Headers {
        black: text(without_mark(field(1), Colour::Black)),
        white: text(without_mark(field(2), Colour::White)),
        event: text(field(if place_apart { 6 } else { 5 })),
        date: text(date),
        place: text(place),
        result: outcome(field(3)),
    })
}

/// `B3 B` is Black's team B3.
fn without_mark(name: &str, colour: Colour) -> &str {
    name.strip_suffix(colour.letter())
        .filter(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace))
        .map_or(name, str::trim_end)
}

/// The words that begin with a digit are the date and the time.
fn date_and_place(field: &str) -> (&str, &str) {
    let mut end = 0;
    for word in field.split_inclusive(char::is_whitespace) {
        if !word.starts_with(|c: char| c.is_ascii_digit() || c.is_whitespace()) {
            break;
        }
        end += word.len();
    }
    (field[..end].trim(), field[end..].trim())
}

fn outcome(text: &str) -> Option<Outcome> {
    match text {
        FIRST_WINS => Some(Outcome::Won(Colour::Black)),
        SECOND_WINS => Some(Outcome::Won(Colour::White)),
        _ if text == DRAW || OTHER_DRAWS.contains(&text) => Some(Outcome::Drawn),
        _ => None,
    }
}

/// `B(J,10)`.
fn stone(cursor: &mut Cursor<'_>) -> Result<(Colour, Placed), Fault> {
    let at = cursor.at();
    let colour = match cursor.peek() {
        Some(letter @ ('B' | 'W')) => Colour::from_letter(letter),
        _ => None,
    };
    let Some(colour) = colour else {
        return Err(cursor.unexpected("a stone like B(J,10), or } at the end,"));
    };
    cursor.next();
    cursor.expect('(', "( and a square")?;
    let name_at = cursor.at();
    let in_name = |c| !matches!(c, ',' | ')' | ';' | '}');
    let column = cursor.take_while(in_name).trim();
    cursor.expect(',', ", between column and row")?;
    let row = cursor.take_while(in_name).trim();
    cursor.expect(')', ") after a square")?;
    let square: Square = format!("{column}{row}")
        .parse()
        .map_err(|error| Reason::Square(error).at(name_at))?;
    let square = Some(square);
    Ok((colour, Placed { at, square }))
}

/// Some programs hang remarks on stones, like `B(J,10)MARK[1]`.
fn skip_annotations(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    loop {
        cursor.skip_whitespace();
        let mut ahead = cursor.clone();
        ahead.take_while(|c| c.is_ascii_alphabetic());
        if !ahead.eat('[') {
            return Ok(());
        }
        ahead.take_while(|c| c != ']');
        ahead.expect(']', "] at the end of a remark")?;
        *cursor = ahead;
    }
}

pub(super) fn write(game: &Game) -> Result<Vec<u8>, WriteError> {
    only_connect6(Format::Ccgc, game)?;
    let headers = &game.headers;
    let result = match headers.result {
        Some(Outcome::Won(Colour::Black)) => FIRST_WINS,
        Some(Outcome::Won(Colour::White)) => SECOND_WINS,
        Some(Outcome::Drawn) => DRAW,
        None => "",
    };
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let time_and_place = format!("{} {}", text(&headers.date), text(&headers.place));
    let mut record = "{[C6]".to_owned();
    for field in [
        &format!("{} B", text(&headers.black)),
        &format!("{} W", text(&headers.white)),
        result,
        time_and_place.trim(),
        &text(&headers.event),
    ] {
        check_field(field)?;
        record.extend(["[", field, "]"]);
    }
    for turn in game.turns() {
        let letter = turn.colour.letter();
        for square in turn.stones {
            let (column, row) = (Square::column_name(square.column()), square.row() + 1);
            write!(record, ";{letter}({column},{row})")
                .expect("a string takes all that is written to it");
        }
    }
    record.push_str("}\n");
    let refuse = |character| WriteError::Character {
        format: Format::Ccgc,
        character,
        text: record.chars().take(60).collect(),
    };
    let bytes = encode_ccgc(&record).map_err(refuse)?;
    // A few rare characters have GB bytes that a reader takes for UTF-8.
    let misread = decode_ccgc(&bytes)
        .chars()
        .zip(record.chars())
        .find(|(read, written)| read != written);
    match misread {
        Some((_, character)) => Err(refuse(character)),
        None => Ok(bytes),
    }
}

fn check_field(field: &str) -> Result<(), WriteError> {
    let breaks = |c: &char| matches!(c, '[' | ']') || c.is_control();
    match field.chars().find(breaks) {
        Some(character) => Err(WriteError::Character {
            format: Format::Ccgc,
            character,
            text: field.to_owned(),
        }),
        None => Ok(()),
    }
}
