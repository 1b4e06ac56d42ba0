//! The shapes that a side's first three stones make.

use gridproof_game::{Move, Position};

use crate::candidates::squared_distance;
use crate::weights;

/// The squares of the distances between three stones: of the two new ones from the old one, the
/// nearer first, and of the new ones from each other. However it is turned, a shape has the same.
pub(crate) type OpeningShape = [u32; 3];

/// How promising a move is by the shape that it makes with the one stone that its side has, less
/// being better. Without that, no ranking knows much yet. None if the side has more stones.
pub(crate) fn by_opening_shape(position: &Position) -> Option<impl Fn(&Move) -> usize> {
    let own = position.stones(position.to_move());
    let old = own.iter().next().filter(|_| own.len() == 1)?;
    Some(move |mv: &Move| {
        let place = match *mv.stones() {
            [a, b] => {
                let (from_a, from_b) = (squared_distance(old, a), squared_distance(old, b));
                let shape = [
                    from_a.min(from_b),
                    from_a.max(from_b),
                    squared_distance(a, b),
                ];
                weights::OPENING_SHAPES
                    .iter()
                    .position(|known| *known == shape)
            }
            _ => None,
        };
        place.unwrap_or(weights::OPENING_SHAPES.len())
    })
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Colour, Square, read_game};

    use super::*;

    fn position(moves: &str) -> Position {
        let game = read_game(moves.as_bytes()).expect("a game");
        game.position().clone()
    }

    fn place(stones: &str) -> usize {
        let before = position("j10 m10,m12");
        let after = position(&format!("j10 m10,m12 {stones}"));
        let is_new = |stone: &Square| before.stones(Colour::Black).iter().all(|old| old != *stone);
        let new: Vec<Square> = after.stones(Colour::Black).iter().filter(is_new).collect();
        by_opening_shape(&before).expect("one stone")(&Move::full(new))
    }

    #[test]
    fn shapes_are_known_however_they_are_turned() {
        for bent in ["i11,j12", "l10,k11", "k9,l10", "j8,i9"] {
            assert_eq!(place(bent), 0, "{bent}");
        }
        for corner in ["j9,i10", "k10,j11"] {
            assert_eq!(place(corner), 1, "{corner}");
        }
        assert_eq!(place("k9,k10"), 2);
        assert_eq!(place("k9,k11"), 3);
        assert_eq!(place("k10,l10"), 4, "in a row");
    }

    #[test]
    fn a_side_with_more_stones_is_ranked_without() {
        assert!(by_opening_shape(&position("j10 k9,l8 i11,j12 a1,a2")).is_none());
    }
}
