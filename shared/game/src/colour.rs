use std::fmt;
use std::str::FromStr;

use crate::excerpt;

/// A side. Black places the first stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Colour {
    /// Places q stones in the first turn.
    Black = 0,
    /// Moves second.
    White = 1,
}

impl Colour {
    /// Black, then White: the order of tables indexed by side.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// The opponent.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// 0 for Black, 1 for White: for tables indexed by side.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `B` or `W`, as records write it.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'B',
            Self::White => 'W',
        }
    }

    /// The side of a [`Colour::letter`], in either case.
    #[must_use]
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'B' | 'b' => Some(Self::Black),
            'W' | 'w' => Some(Self::White),
            _ => None,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}

/// Why a text is no side.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no colour: write black or white")]
pub struct ParseColourError(String);

impl FromStr for Colour {
    type Err = ParseColourError;

    /// `Black`, `White`, or a [`Colour::letter`]; case does not matter.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_meant = |colour: &Self| {
            let name = colour.to_string();
            text.eq_ignore_ascii_case(&name) || text.eq_ignore_ascii_case(&name[..1])
        };
        let mut both = Self::BOTH.into_iter();
        both.find(is_meant)
            .ok_or_else(|| ParseColourError(excerpt(text, 20)))
    }
}
