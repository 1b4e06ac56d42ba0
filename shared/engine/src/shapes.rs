//! The shapes that a side's first three stones make.

use gridproof_game::{Move, Position};

use crate::weights;

/// The columns and rows from one square to another.
pub(crate) type Offset = (i16, i16);

/// How promising a move is by the shape that it makes with the one stone that its side has, less
/// being better. Without that, no ranking knows much yet. None if the side has more stones.
pub(crate) fn by_shape(position: &Position) -> Option<impl Fn(&Move) -> usize> {
    let own = position.stones(position.to_move());
    let alone = own.iter().next().filter(|_| own.len() == 1)?;
    Some(move |mv: &Move| {
        let offsets = mv.stones().iter().map(|stone| {
            let along = |to: u8, from: u8| i16::from(to) - i16::from(from);
            (
                along(stone.column(), alone.column()),
                along(stone.row(), alone.row()),
            )
        });
        let shape = turned_alike(&offsets.collect::<Vec<_>>());
        let place = weights::SHAPES
            .iter()
            .position(|known| turned_alike(known) == shape);
        place.unwrap_or(weights::SHAPES.len())
    })
}

/// The same for all shapes that turn or mirror into each other.
fn turned_alike(offsets: &[Offset]) -> Vec<Offset> {
    let images = (0..8).map(|image: u8| {
        let turned = offsets.iter().map(|&(column, row)| {
            let column = if image & 1 == 0 { column } else { -column };
            let row = if image & 2 == 0 { row } else { -row };
            if image & 4 == 0 {
                (column, row)
            } else {
                (row, column)
            }
        });
        let mut turned: Vec<Offset> = turned.collect();
        turned.sort_unstable();
        turned
    });
    images.min().expect("there are eight")
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Colour, PositionInput, Square};

    use super::*;

    fn position(moves: &str) -> Position {
        let input: PositionInput = moves.parse().expect("moves");
        let game = input.read(std::io::empty()).expect("a game");
        game.position().clone()
    }

    fn place(stones: &str) -> usize {
        let before = position("j10 m10,m12");
        let after = position(&format!("j10 m10,m12 {stones}"));
        let is_new = |stone: &Square| before.stones(Colour::Black).iter().all(|old| old != *stone);
        let new: Vec<Square> = after.stones(Colour::Black).iter().filter(is_new).collect();
        by_shape(&before).expect("one stone")(&Move::full(new))
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
        assert!(by_shape(&position("j10 k9,l8 i11,j12 a1,a2")).is_none());
    }
}
