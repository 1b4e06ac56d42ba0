//! The game's types on the wire. Whatever comes from there is checked as it is read.

use gridproof_game::{Colour, Move, Position, Rules, RulesError, SetupError, Square, SquareSet};

use crate::v1;

/// Why a message makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    #[error("the field `{0}` is missing")]
    Missing(&'static str),
    #[error("{0} is no square of {1}")]
    Square(u32, Rules),
    #[error("{0} is named twice in a move")]
    Twice(Square),
    #[error("a move of {0} stones: no game has so many")]
    TooManyStones(usize),
    #[error("{0} is no colour")]
    Colour(i32),
    #[error("{0} is no status")]
    Status(i32),
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Position(#[from] SetupError),
}

fn place_of(rules: &Rules, square: Square) -> u32 {
    u32::from(square.row()) * u32::from(rules.columns()) + u32::from(square.column())
}

fn square_at(rules: &Rules, place: u32) -> Result<Square, WireError> {
    if place as usize >= rules.area() {
        return Err(WireError::Square(place, *rules));
    }
    let columns = u32::from(rules.columns());
    Ok(Square::new(
        (place % columns) as u8,
        (place / columns) as u8,
    ))
}

#[must_use]
pub const fn colour_to_wire(colour: Colour) -> v1::Colour {
    match colour {
        Colour::Black => v1::Colour::Black,
        Colour::White => v1::Colour::White,
    }
}

/// `None` where the sender left it open.
pub fn colour_from_wire(colour: i32) -> Result<Option<Colour>, WireError> {
    match v1::Colour::try_from(colour) {
        Ok(v1::Colour::Black) => Ok(Some(Colour::Black)),
        Ok(v1::Colour::White) => Ok(Some(Colour::White)),
        Ok(v1::Colour::Unspecified) => Ok(None),
        Err(_) => Err(WireError::Colour(colour)),
    }
}

impl From<&Rules> for v1::Rules {
    fn from(rules: &Rules) -> Self {
        Self {
            m: rules.columns().into(),
            n: rules.rows().into(),
            k: rules.in_a_row().into(),
            p: rules.stones_per_turn().into(),
            q: rules.first_stones().into(),
        }
    }
}

impl TryFrom<v1::Rules> for Rules {
    type Error = WireError;

    fn try_from(rules: v1::Rules) -> Result<Self, WireError> {
        let v1::Rules { m, n, k, p, q } = rules;
        Ok(Self::new(m, n, k, p, q)?)
    }
}

impl From<&Position> for v1::Position {
    fn from(position: &Position) -> Self {
        let rules = position.rules();
        let places = |colour| {
            let stones = position.stones(colour).iter();
            stones.map(|square| place_of(rules, square)).collect()
        };
        Self {
            rules: Some(rules.into()),
            black: places(Colour::Black),
            white: places(Colour::White),
            to_move: colour_to_wire(position.to_move()).into(),
        }
    }
}

impl TryFrom<&v1::Position> for Position {
    type Error = WireError;

    fn try_from(position: &v1::Position) -> Result<Self, WireError> {
        let rules = Rules::try_from(position.rules.ok_or(WireError::Missing("rules"))?)?;
        let set = |places: &[u32]| -> Result<SquareSet, WireError> {
            places.iter().map(|&p| square_at(&rules, p)).collect()
        };
        let to_move = colour_from_wire(position.to_move)?.ok_or(WireError::Missing("to_move"))?;
        let (black, white) = (set(&position.black)?, set(&position.white)?);
        Ok(Self::of_stones(rules, &black, &white, to_move)?)
    }
}

impl v1::Move {
    #[must_use]
    pub fn of(rules: &Rules, mv: &Move) -> Self {
        let stones = mv.stones().iter();
        Self {
            stones: stones.map(|&square| place_of(rules, square)).collect(),
            nulls: mv.nulls().into(),
        }
    }

    /// The move on a board of these rules. Whether it is legal is for the position to say.
    pub fn read(&self, rules: &Rules) -> Result<Move, WireError> {
        let count = self.stones.len().saturating_add(self.nulls as usize);
        let nulls = u8::try_from(self.nulls).map_err(|_| WireError::TooManyStones(count))?;
        if count > rules.area() {
            return Err(WireError::TooManyStones(count));
        }
        let stones: Result<Vec<_>, _> = self.stones.iter().map(|&p| square_at(rules, p)).collect();
        Move::try_new(stones?, nulls).map_err(WireError::Twice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_game::Opening;

    #[test]
    fn positions_and_moves_come_back_as_they_went() {
        for name in Opening::KNOWN {
            let position = name.parse::<Opening>().unwrap().position();
            let wire = v1::Position::from(&position);
            assert_eq!(Position::try_from(&wire), Ok(position.clone()));
            let rules = position.rules();
            for mv in [
                Move::null(2),
                Move::new([Square::new(18, 18)], 1),
                Move::full([Square::new(0, 0), Square::new(18, 0)]),
            ] {
                assert_eq!(v1::Move::of(rules, &mv).read(rules), Ok(mv));
            }
        }
    }

    #[test]
    fn squares_are_numbered_row_by_row_from_the_bottom_left() {
        let wire = v1::Position::from(&Opening::Connect623.position());
        assert_eq!(wire.black, [9 * 19 + 9, 9 * 19 + 11, 10 * 19 + 10]);
    }

    #[test]
    fn nonsense_is_refused_and_never_panics() {
        let rules = Rules::CONNECT6;
        let mv = |stones: &[u32], nulls| v1::Move {
            stones: stones.to_vec(),
            nulls,
        };
        assert_eq!(
            mv(&[361], 0).read(&rules),
            Err(WireError::Square(361, rules))
        );
        assert_eq!(
            mv(&[u32::MAX], 0).read(&rules),
            Err(WireError::Square(u32::MAX, rules))
        );
        assert!(matches!(
            mv(&[5, 5], 0).read(&rules),
            Err(WireError::Twice(_))
        ));
        assert!(matches!(
            mv(&[], u32::MAX).read(&rules),
            Err(WireError::TooManyStones(_))
        ));
        let empty = v1::Position::default();
        assert_eq!(Position::try_from(&empty), Err(WireError::Missing("rules")));
        let no_game = v1::Rules {
            m: 0,
            n: 99,
            k: 1,
            p: 0,
            q: 7,
        };
        assert!(Rules::try_from(no_game).is_err());
        let mut both = v1::Position::from(&Opening::Connect623.position());
        both.white = both.black.clone();
        assert!(matches!(
            Position::try_from(&both),
            Err(WireError::Position(_))
        ));
        assert_eq!(colour_from_wire(3), Err(WireError::Colour(3)));
    }
}
