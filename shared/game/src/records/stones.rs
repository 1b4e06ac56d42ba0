//! Plain stone lists: `j10,k11,i11`, with commas, spaces or new lines between stones and
//! `-` for a null stone. The rules may come first: `Connect(9,9,5,2,1): e5 d4,f4`,
//! `gomoku: h8,i9`.

use super::error::{Fault, NullStones, Reason};
use super::game::Game;
use super::replay::{Placed, Replay, Turn};
use super::text::Cursor;
use crate::rules::Rules;
use crate::square::Square;

pub(super) fn read(text: &str) -> Result<Game, Fault> {
    read_of(Rules::default(), text)
}

/// As [`read`], where a list that names no rules is of these.
pub(super) fn read_of(usual: Rules, text: &str) -> Result<Game, Fault> {
    let mut cursor = Cursor::new(text);
    let rules = rules(&mut cursor)?.unwrap_or(usual);
    read_on(Game::new(rules), cursor)
}

/// Plays the stones that follow in the text.
pub(super) fn read_on(game: Game, mut cursor: Cursor<'_>) -> Result<Game, Fault> {
    let mut replay = Replay::continuing(game, NullStones::Dash);
    let mut turn = Turn {
        at: 0,
        colour: None,
        stones: Vec::new(),
    };
    loop {
        cursor.take_while(|c| c.is_whitespace() || c == ',');
        let ended = cursor.peek().is_none();
        if !ended {
            let stone = stone(&mut cursor)?;
            if turn.stones.is_empty() {
                turn.at = stone.at;
            }
            turn.stones.push(stone);
        }
        let whole = turn.stones.len() >= replay.game().position().move_len();
        if !turn.stones.is_empty() && (whole || ended) {
            replay.turn(&turn)?;
            turn.stones.clear();
        }
        if ended {
            return Ok(replay.into_game());
        }
    }
}

/// One stone, `j10` or a dash; the cursor stands behind it afterwards.
pub(super) fn stone(cursor: &mut Cursor<'_>) -> Result<Placed, Fault> {
    let at = cursor.at();
    if cursor.eat('-') {
        return Ok(Placed { at, square: None });
    }
    if !cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
        return Err(cursor.unexpected("a square like j10, or - for a null stone,"));
    }
    let name_start = cursor.rest();
    let letters = cursor.take_while(|c| c.is_ascii_alphabetic()).len();
    let digits = cursor.take_while(|c| c.is_ascii_digit()).len();
    let square = name_start[..letters + digits]
        .parse::<Square>()
        .map_err(|error| Reason::Square(error).at(at))?;
    Ok(Placed {
        at,
        square: Some(square),
    })
}

/// The rules at the head of a list, if there are any.
fn rules(cursor: &mut Cursor<'_>) -> Result<Option<Rules>, Fault> {
    cursor.skip_whitespace();
    let at = cursor.at();
    let text = cursor.rest();
    if is_connect(text) {
        cursor.take_while(|c| c != ')');
        cursor.expect(')', ") after the numbers of Connect(m,n,k,p,q")?;
    } else if begins_with_rules(text) {
        cursor.take_while(|c| c != ':');
    } else {
        return Ok(None);
    }
    let rules = text[..cursor.at() - at]
        .parse()
        .map_err(|error| Reason::Rules(error).at(at))?;
    cursor.skip_whitespace();
    cursor.eat(':');
    Ok(Some(rules))
}

/// Whether a text is meant to begin with rules: `Connect(...)`, with or without a colon after
/// it, or the name or numbers of a game, with a colon or nothing after it.
pub(super) fn begins_with_rules(text: &str) -> bool {
    let (head, has_colon) = match text.split_once(':') {
        Some((head, _)) => (head, true),
        None => (text, false),
    };
    let has_numbers = text.starts_with(|c: char| c.is_ascii_digit());
    is_connect(text) || (has_colon && has_numbers) || head.parse::<Rules>().is_ok()
}

/// Whether a text begins with `Connect(`.
pub(super) fn is_connect(text: &str) -> bool {
    let word = "connect";
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
        && text[word.len()..].trim_start().starts_with('(')
}

/// As lists write a square: `j10`.
pub(super) fn name(square: Square) -> String {
    square.to_string().to_lowercase()
}

pub(super) fn write(game: &Game) -> Vec<u8> {
    let rules = game.rules();
    let stones: Vec<_> = game
        .turns()
        .flat_map(|turn| turn.names(name, "-"))
        .collect();
    let mut text = stones.join(",");
    if *rules != Rules::CONNECT6 || stones.is_empty() {
        text = format!("{rules}: {text}").trim_end().to_owned();
    }
    text.push('\n');
    text.into_bytes()
}
