use std::fmt;

use super::Format;
use crate::colour::Colour;
use crate::moves::stones;
use crate::position::PlayError;
use crate::rules::{Rules, RulesError};
use crate::square::ParseSquareError;

/// Where in a record: lines and characters, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A record that is refused: where it breaks, and which rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct RecordError {
    pub place: Place,
    pub reason: Reason,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("there is nothing to read")]
    Empty,
    #[error(
        "this is no record that can be read: SGF begins with ( or ;, a CCGC record with {{[C6], \
         engine text with a command like \"new black\", a stone list with a square like j10"
    )]
    UnknownFormat,
    #[error("found {found:?} where {expected} belongs")]
    Unexpected { found: char, expected: &'static str },
    #[error("the record ends where {expected} belongs")]
    Ends { expected: &'static str },
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    #[error(
        "\"{0}\" is no square: this format names a square by two letters, its column and its \
         row counted from the bottom, like JJ"
    )]
    Pair(String),
    #[error("\"{0}\" is no command: known are new, black, white, move, next, depth and quit")]
    Command(String),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("{colour} places {} this turn, not {found}: {null_stones}", stones(*.expected))]
    ShortTurn {
        colour: Colour,
        expected: usize,
        found: usize,
        null_stones: NullStones,
    },
    #[error("it is {expected}'s turn here, not {found}'s")]
    OtherSide { expected: Colour, found: Colour },
    #[error("{0} has resigned: no move can follow")]
    Resigned(Colour),
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error("SZ says {columns} columns and {rows} rows, but RU says {rules}")]
    Size {
        columns: u32,
        rows: u32,
        rules: Rules,
    },
    #[error("\"{0}\" is no board size: write one number, or columns:rows, like 19 or 12:9")]
    SizeText(String),
    #[error("SZ said {0} before: a game has one board")]
    SecondSize(String),
    #[error("{0} sets up a position outside the turns: write the stones as moves")]
    Setup(String),
    #[error("a second game begins here: a record holds one game")]
    SecondGame,
}

/// How a record format writes a stone that is not placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullStones {
    Dash,
    EmptyProperty,
    Unknown,
}

impl fmt::Display for NullStones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dash => "write - for a null stone",
            Self::EmptyProperty => "write an empty property, like W[], for a null stone",
            Self::Unknown => "this format has no null stones",
        })
    }
}

impl Reason {
    pub(super) const fn at(self, at: usize) -> Fault {
        Fault { at, reason: self }
    }
}

/// A reason and the byte offset in the decoded text that it stands at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) reason: Reason,
}

/// Why a game cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error(
        "{format} can only hold {connect6}, not {rules}: SGF and stone lists can hold it",
        connect6 = Rules::CONNECT6
    )]
    Rules { format: Format, rules: Rules },
    #[error(
        "{format} has no null stones, and turn {turn} has one: SGF and stone lists can hold it"
    )]
    NullStone { format: Format, turn: usize },
    #[error("{format} cannot hold the character {character:?} in {text:?}")]
    Character {
        format: Format,
        character: char,
        text: String,
    },
}
