//! How the game's types are written in facts.

use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
struct StoredMove {
    stones: Vec<u16>,
    nulls: u8,
}

impl From<&Move> for StoredMove {
    fn from(mv: &Move) -> Self {
        Self {
            stones: mv.stones().iter().map(|s| s.index() as u16).collect(),
            nulls: mv.nulls(),
        }
    }
}

impl StoredMove {
    fn read<E: Error>(self) -> Result<Move, E> {
        let stones = squares(self.stones)?;
        Move::try_new(stones, self.nulls)
            .map_err(|twice| E::custom(format!("{twice} twice in a move")))
    }
}

fn squares<E: Error>(indices: Vec<u16>) -> Result<Vec<Square>, E> {
    let square = |index: u16| {
        let index = usize::from(index);
        if index < Square::COUNT {
            Ok(Square::from_index(index))
        } else {
            Err(E::custom(format!("no square has index {index}")))
        }
    };
    indices.into_iter().map(square).collect()
}

pub mod one_move {
    use super::*;

    pub fn serialize<S: Serializer>(mv: &Move, to: S) -> Result<S::Ok, S::Error> {
        StoredMove::from(mv).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Move, D::Error> {
        StoredMove::deserialize(from)?.read()
    }
}

pub mod colour {
    use super::*;

    pub fn serialize<S: Serializer>(colour: &Colour, to: S) -> Result<S::Ok, S::Error> {
        colour.letter().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Colour, D::Error> {
        let letter = char::deserialize(from)?;
        Colour::from_letter(letter).ok_or_else(|| D::Error::custom("neither B nor W"))
    }
}

pub mod position {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct StoredPosition {
        rules: [u8; 5],
        black: Vec<u16>,
        white: Vec<u16>,
        #[serde(with = "super::colour")]
        to_move: Colour,
    }

    pub fn serialize<S: Serializer>(position: &Position, to: S) -> Result<S::Ok, S::Error> {
        let rules = position.rules();
        let stones = |colour| {
            let stones = position.stones(colour).iter();
            stones.map(|s| s.index() as u16).collect()
        };
        let stored = StoredPosition {
            rules: [
                rules.columns(),
                rules.rows(),
                rules.in_a_row(),
                rules.stones_per_turn(),
                rules.first_stones(),
            ],
            black: stones(Colour::Black),
            white: stones(Colour::White),
            to_move: position.to_move(),
        };
        stored.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Box<Position>, D::Error> {
        let stored = StoredPosition::deserialize(from)?;
        let [m, n, k, p, q] = stored.rules.map(u32::from);
        let rules = Rules::new(m, n, k, p, q).map_err(D::Error::custom)?;
        let set = |indices| Ok(squares(indices)?.into_iter().collect::<SquareSet>());
        let (black, white) = (set(stored.black)?, set(stored.white)?);
        let position = Position::of_stones(rules, &black, &white, stored.to_move);
        position.map(Box::new).map_err(D::Error::custom)
    }
}
