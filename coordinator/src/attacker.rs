use gridproof_game::{Colour, Opening, Position};

/// The side to be proved winning where nobody says which. Named openings are Black's to win;
/// elsewhere it is the side to move that may have found something.
#[must_use]
pub fn default_attacker(position: &Position) -> Colour {
    match Opening::of(position) {
        Some(_) => Colour::Black,
        None => position.to_move(),
    }
}
