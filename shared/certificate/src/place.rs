//! Squares numbered densely, row by row from the bottom, for files and packed sets.

use gridproof_game::{Rules, Square};

pub(crate) fn place_of(rules: &Rules, square: Square) -> usize {
    usize::from(square.row()) * usize::from(rules.columns()) + usize::from(square.column())
}

pub(crate) fn square_at(rules: &Rules, place: u64) -> Option<Square> {
    let place = usize::try_from(place)
        .ok()
        .filter(|place| *place < rules.area())?;
    let columns = usize::from(rules.columns());
    Some(Square::new(
        (place % columns) as u8,
        (place / columns) as u8,
    ))
}
