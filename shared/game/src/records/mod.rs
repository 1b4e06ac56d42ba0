//! Game records: the formats met in the field, read and written.
//!
//! [`read`] finds out the format; a record that breaks a rule is refused with the line, the
//! column and the rule. A turn that wins may stop short of its p stones, for some programs
//! stop there: null stones fill it up. The order of a turn's stones is not kept, because a
//! [`Move`](crate::Move) has none.

mod ccgc;
mod engine;
mod error;
mod game;
mod little_golem;
mod pairs;
mod replay;
mod sgf;
mod stone_sgf;
mod stones;
mod text;
mod tree;

use std::fmt;
use std::str::FromStr;

pub use error::{NullStones, Place, Reason, RecordError, WriteError};
pub use game::{Game, Headers, Outcome};
pub use pairs::RowsFrom;
pub use tree::{GameTree, TreeNode, read_tree};

use crate::excerpt;
use crate::openings::{Opening, OpeningError};
use crate::rules::Rules;
use crate::square::Square;
use error::Fault;

/// A way to write games down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// SGF as LittleGolem writes it, `;W[j9l11]`.
    LittleGolem,
    /// SGF as other programs read it, one stone a node, `;W[il];W[hk]`.
    StoneSgf,
    /// Text of the Chinese computer games championship, `;W(J,10);W(J,11)`.
    Ccgc,
    /// Commands to an engine, `white IHHI`.
    Engine,
    /// A plain list of stones, `j10,k11,i11`.
    Stones,
}

/// What reads as the name of no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no record format: choose littlegolem, sgf, ccgc, engine or stones")]
pub struct UnknownFormatName(String);

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [
        Self::LittleGolem,
        Self::StoneSgf,
        Self::Ccgc,
        Self::Engine,
        Self::Stones,
    ];

    /// The name that commands know the format by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LittleGolem => "littlegolem",
            Self::StoneSgf => "sgf",
            Self::Ccgc => "ccgc",
            Self::Engine => "engine",
            Self::Stones => "stones",
        }
    }

    /// The format that a record's beginning shows; `None` if it is like none.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let text = text::decode(bytes);
        let start = text.trim_start();
        let word = start.split_whitespace().next()?;
        match start.chars().next()? {
            '(' | ';' => Some(detect_sgf(start)),
            '{' => Some(Self::Ccgc),
            _ if engine::is_command(word) => Some(Self::Engine),
            '-' => Some(Self::Stones),
            _ if stones::begins_with_rules(start) => Some(Self::Stones),
            _ => {
                let first = word.split(',').next()?;
                Square::is_meant_by(first).then_some(Self::Stones)
            }
        }
    }

    /// Reads a record of this format.
    pub fn read(self, bytes: &[u8]) -> Result<Game, RecordError> {
        let text = match self {
            Self::LittleGolem | Self::StoneSgf => text::decode_sgf(bytes),
            Self::Ccgc => text::decode_ccgc(bytes),
            Self::Engine | Self::Stones => text::decode(bytes),
        };
        let game = match self {
            Self::LittleGolem => little_golem::read(&text),
            Self::StoneSgf => stone_sgf::read(&text, None),
            Self::Ccgc => ccgc::read(&text),
            Self::Engine => engine::read(&text),
            Self::Stones => stones::read(&text),
        };
        game.map_err(|fault| place(&text, fault))
    }

    /// Writes a game in this format. Rules and moves are kept or the game is refused;
    /// headers are dropped where the format has none.
    pub fn write(self, game: &Game) -> Result<Vec<u8>, WriteError> {
        self.write_with(game, &[])
    }

    /// As [`Format::write`], with a comment beside each turn that has one. Only
    /// [`Format::LittleGolem`] keeps them.
    pub fn write_with(
        self,
        game: &Game,
        comments: &[Option<String>],
    ) -> Result<Vec<u8>, WriteError> {
        match self {
            Self::LittleGolem => Ok(little_golem::write(game, comments)),
            Self::StoneSgf => Ok(stone_sgf::write(game)),
            Self::Ccgc => ccgc::write(game),
            Self::Engine => engine::write(game),
            Self::Stones => Ok(stones::write(game)),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormatName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| UnknownFormatName(excerpt(text, 20)))
    }
}

/// Reads a record of whatever format it shows.
pub fn read(bytes: &[u8]) -> Result<Game, RecordError> {
    let format = Format::detect(bytes).ok_or_else(|| {
        let text = text::decode(bytes);
        let start = text.len() - text.trim_start().len();
        let reason = match text.trim_start() {
            "" => Reason::Empty,
            _ => Reason::UnknownFormat,
        };
        place(&text, reason.at(start))
    })?;
    format.read(bytes)
}

/// From where rows are taken to count in a record that could mean either side of the board;
/// `None` if it says so itself, or if it makes no difference.
#[must_use]
pub fn assumed_rows(bytes: &[u8]) -> Option<RowsFrom> {
    match Format::detect(bytes)? {
        Format::StoneSgf => stone_sgf::assumed_rows(&text::decode_sgf(bytes)),
        _ => None,
    }
}

/// Reads a record whose letter pairs, if it has any, count rows from this side.
pub fn read_with_rows(bytes: &[u8], rows: RowsFrom) -> Result<Game, RecordError> {
    if Format::detect(bytes) != Some(Format::StoneSgf) {
        return read(bytes);
    }
    let text = text::decode_sgf(bytes);
    stone_sgf::read(&text, Some(rows)).map_err(|fault| place(&text, fault))
}

/// As [`read`], where a stone list that names no rules is of these, and nothing is the start.
pub(crate) fn read_of(usual: Rules, bytes: &[u8]) -> Result<Game, RecordError> {
    let text = text::decode(bytes);
    match Format::detect(bytes) {
        Some(Format::Stones) => stones::read_of(usual, &text).map_err(|fault| place(&text, fault)),
        None if text.trim().is_empty() => Ok(Game::new(usual)),
        _ => read(bytes),
    }
}

/// Reads an opening's name and the stone list that may follow; `None` if none is meant.
pub(crate) fn read_opening(text: &str) -> Option<Result<Game, RecordError>> {
    let start = text.len() - text.trim_start().len();
    let name = text[start..].split_whitespace().next()?;
    let game = match Opening::read(name) {
        Ok(opening) => {
            let rest = text::Cursor::starting_at(text, start + name.len());
            stones::read_on(opening.game(), rest)
        }
        Err((at, OpeningError::Square(error))) => Err(Reason::Square(error).at(start + at)),
        Err((at, OpeningError::Play(error))) => Err(Reason::Play(error).at(start + at)),
        Err((_, OpeningError::Name(_))) => return None,
    };
    Some(game.map_err(|fault| place(text, fault)))
}

/// The two SGFs differ in how they name squares: the first move tells.
fn detect_sgf(text: &str) -> Format {
    let is_pair =
        |value: &str| value.len() == 2 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    match sgf::first_move(text) {
        Some(value) if value.trim().is_empty() || is_pair(value.trim()) => Format::StoneSgf,
        _ => Format::LittleGolem,
    }
}

/// Refuses what formats made for Connect6 alone cannot say.
fn only_connect6(format: Format, game: &Game) -> Result<(), WriteError> {
    let rules = *game.rules();
    if rules != Rules::CONNECT6 {
        return Err(WriteError::Rules { format, rules });
    }
    match game.turns().find(|turn| turn.nulls > 0) {
        Some(turn) => Err(WriteError::NullStone {
            format,
            turn: turn.number,
        }),
        None => Ok(()),
    }
}

fn place(text: &str, fault: Fault) -> RecordError {
    RecordError {
        place: text::place_of(text, fault.at),
        reason: fault.reason,
    }
}
