//! What the two SGF dialects share: the tokens, the main line, the headers.
//!
//! The tokens are read here and not by the crate sgf-parse because that crate's errors say
//! neither line nor column, it keeps no place of a property for the rules' errors to point
//! at, and it knows no moves but Go's; what would be left of it is this small tokenizer.
//!
//! Of a record with variations the first line is the game. Properties that mean nothing
//! here are passed over, but one that sets up stones is refused: it would change the game.

use super::error::{Fault, Reason};
use super::game::{Game, Headers, Outcome};
use super::pairs::{self, RowsFrom};
use super::stones::is_connect;
use super::text::Cursor;
use crate::colour::Colour;
use crate::rules::Rules;
use crate::square::Square;

/// A property of a node, such as `B[j10]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) values: Vec<Value>,
}

/// Values that one property, or the line of one game, may have: a board has room for some thousand
/// stones.
const MOST_VALUES: usize = 1 << 16;

/// The text between brackets, its escapes undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// Of the first character after the bracket.
    pub(super) at: usize,
    pub(super) text: String,
}

/// What a property says of the game itself.
pub(super) enum Meaning {
    Stones(Colour),
    Other,
}

impl Property {
    pub(super) fn meaning(&self) -> Result<Meaning, Fault> {
        match self.name.as_str() {
            "B" => Ok(Meaning::Stones(Colour::Black)),
            "W" => Ok(Meaning::Stones(Colour::White)),
            "AB" | "AW" | "AE" | "PL" => Err(Reason::Setup(self.name.clone()).at(self.at)),
            _ => Ok(Meaning::Other),
        }
    }
}

/// All properties of the main line in order. The rest of the text is checked for its form.
///
/// Nodes without the brackets round a game tree, `;B[JJ];W[LH];W[HH]`, are taken too: so
/// engines are given positions on their command lines.
pub(super) fn main_line(text: &str) -> Result<Vec<Property>, Fault> {
    let mut cursor = Cursor::new(text);
    let mut properties = Vec::new();
    let mut values = 0;
    let mut depth = 0_usize;
    let mut in_main_line = true;
    let mut in_node = false;
    let mut tree_closed = false;
    loop {
        cursor.skip_whitespace();
        if tree_closed {
            cursor.expect_end('(')?;
        }
        let Some(next) = cursor.peek() else { break };
        match next {
            '(' => {
                if depth == 0 && in_node {
                    return Err(cursor.unexpected("; or the end of the record"));
                }
                depth += 1;
                in_node = false;
                cursor.next();
            }
            ')' if depth > 0 => {
                depth -= 1;
                in_main_line = false;
                in_node = false;
                tree_closed = depth == 0;
                cursor.next();
            }
            ';' => {
                in_node = true;
                cursor.next();
            }
            letter if in_node && letter.is_ascii_alphabetic() => {
                let property = property(&mut cursor)?;
                if in_main_line {
                    values += property.values.len();
                    if values > MOST_VALUES {
                        return Err(Reason::TooLong(MOST_VALUES).at(property.at));
                    }
                    properties.push(property);
                }
            }
            _ if in_node => return Err(cursor.unexpected("a property, ;, ( or )")),
            _ => return Err(cursor.unexpected("; or (")),
        }
    }
    if depth > 0 {
        return Err(cursor.unexpected(")"));
    }
    Ok(properties)
}

/// The first value of the first move, wherever it stands. The rest of the record may be
/// broken: that is for the reader of its format to say.
pub(super) fn first_move(text: &str) -> Option<String> {
    let mut cursor = Cursor::new(text);
    loop {
        cursor.take_while(|c| !c.is_ascii_alphabetic());
        let property = property(&mut cursor).ok()?;
        if matches!(property.name.as_str(), "B" | "W") {
            return property.values.into_iter().next().map(|value| value.text);
        }
    }
}

pub(super) fn property(cursor: &mut Cursor<'_>) -> Result<Property, Fault> {
    let at = cursor.at();
    // Older files write names in mixed case; only the capitals count.
    let name = cursor
        .take_while(|c| c.is_ascii_alphanumeric())
        .replace(|c: char| c.is_ascii_lowercase(), "");
    let mut values = Vec::new();
    cursor.skip_whitespace();
    while cursor.eat('[') {
        if values.len() == MOST_VALUES {
            return Err(Reason::TooLong(MOST_VALUES).at(at));
        }
        values.push(value(cursor)?);
        cursor.skip_whitespace();
    }
    if values.is_empty() {
        return Err(cursor.unexpected("[ after a property's name"));
    }
    Ok(Property { at, name, values })
}

fn value(cursor: &mut Cursor<'_>) -> Result<Value, Fault> {
    let at = cursor.at();
    let mut text = String::new();
    loop {
        match cursor.next() {
            Some(']') => return Ok(Value { at, text }),
            Some('\\') => match cursor.next() {
                // An escaped line break only folds a long line.
                Some('\n') => {}
                Some('\r') => {
                    cursor.eat('\n');
                }
                Some(escaped) => text.push(escaped),
                None => return Err(cursor.unexpected("] at the end of a property")),
            },
            Some(other) => text.push(other),
            None => return Err(cursor.unexpected("] at the end of a property")),
        }
    }
}

/// The rules that RU and SZ say; Connect6 where they say nothing.
pub(super) fn rules(properties: &[Property]) -> Result<Rules, Fault> {
    let named = match values(properties, "RU").next() {
        Some(value) if is_connect(value.text.trim_start()) => {
            let rules = value.text.parse::<Rules>();
            Some(rules.map_err(|error| Reason::Rules(error).at(value.at))?)
        }
        _ => None,
    };
    let mut sizes = values(properties, "SZ");
    let Some(size) = sizes.next() else {
        return Ok(named.unwrap_or_default());
    };
    let (columns, rows) = board_size(size)?;
    for other in sizes {
        if board_size(other)? != (columns, rows) {
            return Err(Reason::SecondSize(size.text.clone()).at(other.at));
        }
    }
    match named {
        Some(rules) if (u32::from(rules.columns()), u32::from(rules.rows())) != (columns, rows) => {
            Err(Reason::Size {
                columns,
                rows,
                rules,
            }
            .at(size.at))
        }
        Some(rules) => Ok(rules),
        None => {
            let [k, p, q] = [
                Rules::CONNECT6.in_a_row(),
                Rules::CONNECT6.stones_per_turn(),
                Rules::CONNECT6.first_stones(),
            ]
            .map(u32::from);
            Rules::new(columns, rows, k, p, q).map_err(|error| Reason::Rules(error).at(size.at))
        }
    }
}

/// How a record with letter pairs is read, and whether it says so itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Convention {
    pub(super) rows: RowsFrom,
    /// The record could mean the other side as well.
    pub(super) is_assumed: bool,
}

/// What the properties of a record tell of the way its letter pairs are meant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Letters {
    names_game: bool,
    has_small: bool,
    /// The first.
    capital_at: Option<usize>,
}

impl Letters {
    pub(super) fn note(&mut self, property: &Property) {
        self.names_game |= property.name == "GM";
        for pair in pairs_of(property) {
            let has = |of: fn(&u8) -> bool| pair.text.as_bytes().iter().any(of);
            self.has_small |= has(u8::is_ascii_lowercase);
            if self.capital_at.is_none() && has(u8::is_ascii_uppercase) {
                self.capital_at = Some(pair.at);
            }
        }
    }

    /// Small letters count rows from the top, as SGF has it, and capitals from the bottom, as
    /// engines do.
    pub(super) fn rows(&self, rules: &Rules) -> Result<RowsFrom, Fault> {
        if pairs::case_counts(rules) {
            return Ok(match self.names_game {
                true => RowsFrom::Top,
                false => RowsFrom::Bottom,
            });
        }
        match (self.has_small, self.capital_at) {
            (true, Some(capital)) => Err(Reason::MixedCase.at(capital)),
            (false, Some(_)) => Ok(RowsFrom::Bottom),
            (_, None) => Ok(RowsFrom::Top),
        }
    }
}

/// The values of a move that are letter pairs.
fn pairs_of(property: &Property) -> impl Iterator<Item = &Value> {
    let is_move = matches!(property.name.as_str(), "B" | "W");
    let values = property.values.iter().filter(move |_| is_move);
    values.filter(|value| value.text.trim().len() == 2)
}

/// A record that names its game (GM) is SGF to the letter; any other with a stone off the middle
/// row could mean either side.
pub(super) fn convention(properties: &[Property], rules: &Rules) -> Result<Convention, Fault> {
    let mut letters = Letters::default();
    properties
        .iter()
        .for_each(|property| letters.note(property));
    let rows = letters.rows(rules)?;
    let is_off_middle = |value: &Value| {
        let of = |rows| pairs::sgf_square(value.text.trim(), rules, rows);
        let mirrored = |square: Square| u16::from(square.row()) * 2 + 1 != rules.rows().into();
        of(rows).is_some_and(mirrored)
    };
    let is_told = rows == RowsFrom::Top && letters.names_game;
    let mut pairs = properties.iter().flat_map(pairs_of);
    Ok(Convention {
        rows,
        is_assumed: !is_told && pairs.any(is_off_middle),
    })
}

/// All values of the properties of a name, in order.
fn values<'a>(properties: &'a [Property], name: &'a str) -> impl Iterator<Item = &'a Value> {
    let named = properties
        .iter()
        .filter(move |property| property.name == name);
    named.flat_map(|property| &property.values)
}

/// `19`, or `12:9` for 12 columns and 9 rows.
fn board_size(size: &Value) -> Result<(u32, u32), Fault> {
    let refuse = |_| Reason::SizeText(size.text.clone()).at(size.at);
    let number = |part: &str| part.trim().parse().map_err(refuse);
    match size.text.split_once(':') {
        Some((columns, rows)) => Ok((number(columns)?, number(rows)?)),
        None => number(&size.text).map(|side| (side, side)),
    }
}

pub(super) fn headers(properties: &[Property]) -> Headers {
    let text = |name: &str| {
        let value = values(properties, name).next()?;
        let words: Vec<_> = value.text.split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    };
    Headers {
        black: text("PB"),
        white: text("PW"),
        event: text("EV"),
        date: text("DT"),
        place: text("PC"),
        result: text("RE").as_deref().and_then(outcome),
    }
}

/// `B+`, `W+R`, `0`, `Draw`. What is neither won nor drawn is no outcome.
fn outcome(text: &str) -> Option<Outcome> {
    match text.split_once('+') {
        Some((winner, _)) => {
            let mut letters = winner.chars();
            let colour = letters.next().and_then(Colour::from_letter)?;
            letters.next().is_none().then_some(Outcome::Won(colour))
        }
        None if text == "0" || text.eq_ignore_ascii_case("draw") => Some(Outcome::Drawn),
        None => None,
    }
}

/// The board and the rules as SGF says them.
pub(super) fn board(rules: &Rules) -> String {
    let (columns, rows) = (rules.columns(), rules.rows());
    if columns == rows {
        format!("SZ[{columns}]RU[{rules}]")
    } else {
        format!("SZ[{columns}:{rows}]RU[{rules}]")
    }
}

/// A whole record: what its first node says of the game, the headers, then one node after the
/// other.
/// What a player said of a turn, as a property; nothing where nothing was said.
pub(super) fn comment(comments: &[Option<String>], turn: usize) -> String {
    match comments.get(turn) {
        Some(Some(words)) => format!("C[{}]", escaped(words)),
        _ => String::new(),
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace(']', "\\]")
}

pub(super) fn record(game: &Game, root: &str, nodes: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut text = format!("(;{root}");
    let headers = &game.headers;
    let result = headers.result.map(|outcome| match outcome {
        Outcome::Won(colour) => format!("{}+", colour.letter()),
        Outcome::Drawn => "Draw".to_owned(),
    });
    for (name, value) in [
        ("EV", &headers.event),
        ("PB", &headers.black),
        ("PW", &headers.white),
        ("DT", &headers.date),
        ("PC", &headers.place),
        ("RE", &result),
    ] {
        if let Some(value) = value {
            text.extend([name, "[", &escaped(value), "]"]);
        }
    }
    for node in nodes {
        text.push(';');
        text.push_str(&node);
    }
    text.push_str(")\n");
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let properties = main_line(text).unwrap();
        let show = |p: Property| {
            let values: Vec<_> = p.values.into_iter().map(|v| v.text).collect();
            format!("{}={}", p.name, values.join("|"))
        };
        properties.into_iter().map(show).collect()
    }

    #[test]
    fn the_main_line_is_the_first_of_all_variations() {
        let text = "(;FF[4];B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))";
        assert_eq!(names(text), ["FF=4", "B=aa", "W=bb", "B=cc"]);
    }

    #[test]
    fn a_line_that_is_longer_than_any_game_is_refused() {
        for long in [
            format!("(;B{})", "[jj]".repeat(MOST_VALUES + 1)),
            format!("({})", ";B[jj]".repeat(MOST_VALUES + 1)),
        ] {
            let refused = main_line(&long).unwrap_err();
            assert_eq!(refused.reason, Reason::TooLong(MOST_VALUES));
        }
        // What is no part of the game is passed over and costs nothing.
        let variations = format!("(;B[jj](;W[ii])({}))", ";W[hh]".repeat(MOST_VALUES));
        assert_eq!(names(&variations), ["B=jj", "W=ii"]);
    }

    #[test]
    fn escapes_whitespace_lists_and_old_names_are_understood() {
        let text = " ( ; C[a\\]b\\\\c\\\nd] \n AddMark [aa]\n[bb] ) ";
        assert_eq!(names(text), ["C=a]b\\cd", "AM=aa|bb"]);
    }

    #[test]
    fn nodes_without_a_tree_are_taken() {
        assert_eq!(names(";B[JJ];W[LH];W[HH]"), ["B=JJ", "W=LH", "W=HH"]);
    }

    #[test]
    fn broken_trees_are_refused_where_they_break() {
        for (text, at) in [
            ("(;B[aa]", 7),
            ("(;B[aa", 6),
            ("(;B[aa\\", 7),
            ("(;B aa)", 4),
            ("(B[aa])", 1),
            ("(;B[aa]))", 8),
            ("(;B[aa])(;B[aa])", 8),
            ("(;B[aa])x", 8),
            (";B[aa])", 6),
            (";B[aa](;W[bb])", 6),
            ("(;5[aa])", 2),
        ] {
            assert_eq!(main_line(text).unwrap_err().at, at, "{text}");
        }
    }

    #[test]
    fn the_board_and_the_rules_come_from_sz_and_ru() {
        let rules = |text| rules(&main_line(text).unwrap());
        assert_eq!(rules("(;FF[4])"), Ok(Rules::CONNECT6));
        assert_eq!(rules("(;RU[Japanese])"), Ok(Rules::CONNECT6));
        let small = Rules::new(12, 9, 6, 2, 1).unwrap();
        assert_eq!(rules("(;SZ[12:9])"), Ok(small));
        let other = Rules::new(12, 9, 5, 1, 3).unwrap();
        for text in [
            "(;SZ[12:9]RU[Connect(12,9,5,1,3)])",
            "(;RU[connect(12,9,5,1,3)])",
            "(;RU[ Connect (12, 9, 5, 1, 3) ])",
            "(;SZ[12:9]RU[CONNECT(12,9,5,1,3)];SZ[12:9])",
        ] {
            assert_eq!(rules(text), Ok(other), "{text}");
        }
        for broken in [
            "(;SZ[40])",
            "(;SZ[0])",
            "(;SZ[big])",
            "(;SZ[9]RU[Connect(12,9,5,1,3)])",
            "(;SZ[9]RU[connect (12,9,5,1,3)])",
            "(;SZ[19];SZ[9])",
            "(;SZ[9][19])",
            "(;RU[Connect(99,9,5,1,3)])",
        ] {
            assert!(rules(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn outcomes_are_read_from_any_way_to_write_them() {
        assert_eq!(outcome("B+Resign"), Some(Outcome::Won(Colour::Black)));
        assert_eq!(outcome("W+"), Some(Outcome::Won(Colour::White)));
        assert_eq!(outcome("Draw"), Some(Outcome::Drawn));
        assert_eq!(outcome("Void"), None);
        assert_eq!(outcome("Black+"), None);
    }
}
