//! How the types are stored: as their text in formats that people read, and in others as
//! numbers, a square by its index. Both are checked as they are read.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::colour::Colour;
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;
use crate::set::SquareSet;
use crate::square::Square;
use crate::symmetry::Symmetry;

/// Writes text where people read it, else what `bytes` makes of the value.
fn write<T: Display, B: Serialize, S: Serializer>(
    value: &T,
    bytes: impl FnOnce() -> B,
    to: S,
) -> Result<S::Ok, S::Error> {
    if to.is_human_readable() {
        to.collect_str(value)
    } else {
        bytes().serialize(to)
    }
}

/// Reads what [`write`] has written.
fn read<'de, T, B, E, D>(from: D, bytes: impl FnOnce(B) -> Result<T, E>) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    B: Deserialize<'de>,
    E: Display,
    D: Deserializer<'de>,
{
    if from.is_human_readable() {
        String::deserialize(from)?.parse().map_err(Error::custom)
    } else {
        bytes(B::deserialize(from)?).map_err(Error::custom)
    }
}

impl Serialize for Colour {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(self, || self.letter(), to)
    }
}

impl<'de> Deserialize<'de> for Colour {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, |letter| {
            Self::from_letter(letter).ok_or("neither B nor W")
        })
    }
}

impl Serialize for Square {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(self, || self.index() as u16, to)
    }
}

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, |index: u16| {
            let known = usize::from(index) < Self::COUNT;
            known
                .then(|| Self::from_index(index.into()))
                .ok_or_else(|| format!("no square has index {index}"))
        })
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(self, || (self.stones(), self.nulls()), to)
    }
}

impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, |(stones, nulls): (Vec<Square>, u8)| {
            Self::try_new(stones, nulls).map_err(|twice| format!("{twice} twice in a move"))
        })
    }
}

impl Serialize for Rules {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write(self, || self.numbers(), to)
    }
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, |numbers: [u8; 5]| {
            let [m, n, k, p, q] = numbers.map(u32::from);
            Self::new(m, n, k, p, q)
        })
    }
}

/// A symmetry has no name: it is a number in all formats.
impl Serialize for Symmetry {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.index().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Symmetry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let index = u8::deserialize(from)?;
        // A square board has all symmetries; whether another has this one is the user's to say.
        Self::from_index(&Rules::CONNECT6, index)
            .ok_or_else(|| Error::custom(format!("no symmetry has number {index}")))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Position")]
struct StoredPosition {
    rules: Rules,
    black: Vec<Square>,
    white: Vec<Square>,
    to_move: Colour,
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let stored = StoredPosition {
            rules: *self.rules(),
            black: self.stones(Colour::Black).iter().collect(),
            white: self.stones(Colour::White).iter().collect(),
            to_move: self.to_move(),
        };
        stored.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let stored = StoredPosition::deserialize(from)?;
        let set = |squares: Vec<Square>| squares.into_iter().collect::<SquareSet>();
        let (black, white) = (set(stored.black), set(stored.white));
        Self::of_stones(stored.rules, &black, &white, stored.to_move).map_err(Error::custom)
    }
}
