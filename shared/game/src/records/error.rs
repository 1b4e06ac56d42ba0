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
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
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
    /// Where the record breaks.
    pub place: Place,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// No text at all.
    #[error("there is nothing to read")]
    Empty,
    /// It begins like no known format.
    #[error(
        "this is no record that can be read: SGF begins with ( or ;, a CCGC record with {{[C6], \
         engine text with a command like \"new black\", a stone list with a square like j10"
    )]
    UnknownFormat,
    /// Something else belongs here.
    #[error("found {found:?} where {expected} belongs")]
    Unexpected {
        /// What stands there.
        found: char,
        /// What belongs there.
        expected: &'static str,
    },
    /// The text stops too early.
    #[error("the record ends where {expected} belongs")]
    Ends {
        /// What belongs there.
        expected: &'static str,
    },
    /// A name is no square.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// Two letters are no square.
    #[error(
        "\"{0}\" is no square: this format names a square by two letters, its column and its \
         row, like jj"
    )]
    Pair(String),
    /// Two ways to name squares in one record.
    #[error(
        "capital letters here and small ones elsewhere: the ones count rows from the bottom, the \
         others from the top"
    )]
    MixedCase,
    /// An engine knows no such command.
    #[error("\"{0}\" is no command: known are new, black, white, move, next, depth and quit")]
    Command(String),
    /// A move breaks the rules.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A turn has too few stones.
    #[error("{colour} places {} this turn, not {found}: {null_stones}", stones(*.expected))]
    ShortTurn {
        /// The side to move.
        colour: Colour,
        /// The stones of this turn.
        expected: usize,
        /// The stones that the record has.
        found: usize,
        /// How the format would write the others.
        null_stones: NullStones,
    },
    /// The wrong side moves.
    #[error("it is {expected}'s turn here, not {found}'s")]
    OtherSide {
        /// The side to move.
        expected: Colour,
        /// The side that the record names.
        found: Colour,
    },
    /// The game goes on after a resignation.
    #[error("{0} has resigned: no move can follow")]
    Resigned(Colour),
    /// The rules in the record are none.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// Two board sizes.
    #[error("SZ says {columns} columns and {rows} rows, but RU says {rules}")]
    Size {
        /// What SZ says.
        columns: u32,
        /// What SZ says.
        rows: u32,
        /// What RU says.
        rules: Rules,
    },
    /// A board size that is none.
    #[error("\"{0}\" is no board size: write one number, or columns:rows, like 19 or 12:9")]
    SizeText(String),
    /// The board changes its size.
    #[error("SZ said {0} before: a game has one board")]
    SecondSize(String),
    /// Brackets in brackets.
    #[error("variations are nested deeper than {0}")]
    Nested(usize),
    /// More than any game has.
    #[error("more than {0} values in one line of play: no game is that long")]
    TooLong(usize),
    /// More than a tree may have.
    #[error("more than {0} positions and remarks: cut the tree into several files")]
    TooLarge(usize),
    /// Stones that nobody played.
    #[error("{0} sets up a position outside the turns: write the stones as moves")]
    Setup(String),
    /// More than one game.
    #[error("a second game begins here: a record holds one game")]
    SecondGame,
}

/// How a record format writes a stone that is not placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullStones {
    /// `-`, as in stone lists.
    Dash,
    /// `W[]`, as SGF writes a pass.
    EmptyProperty,
    /// The format has none.
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
    /// Not the game that the format is for.
    #[error(
        "{format} can only hold {connect6}, not {rules}: SGF and stone lists can hold it",
        connect6 = Rules::CONNECT6
    )]
    Rules {
        /// The format asked for.
        format: Format,
        /// The rules of the game.
        rules: Rules,
    },
    /// A stone that is not placed.
    #[error(
        "{format} has no null stones, and turn {turn} has one: SGF and stone lists can hold it"
    )]
    NullStone {
        /// The format asked for.
        format: Format,
        /// From 1.
        turn: usize,
    },
    /// A character that the format's encoding lacks, or that would end a field.
    #[error("{format} cannot hold the character {character:?} in {text:?}")]
    Character {
        /// The format asked for.
        format: Format,
        /// The first such character.
        character: char,
        /// Where it stands.
        text: String,
    },
}
