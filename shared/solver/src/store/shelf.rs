//! Where a store keeps a proof: by the attacker's stones, however the board is turned.

use gridproof_game::{Colour, Position, Rules, SquareSet, Symmetry};
use smallvec::SmallVec;

/// How a position is turned to lie as its shelf does.
pub(super) type Way = Symmetry;

/// What proofs have in common that may fit the same positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shelf {
    rules: Rules,
    attacker: Colour,
    to_move: Colour,
    /// The attacker's, in the least of their images.
    stones: SquareSet,
}

impl Shelf {
    /// The shelf of a position, and all the ways that lead there: more than one where the
    /// attacker's stones are symmetric.
    pub(super) fn of(position: &Position, attacker: Colour) -> (Self, SmallVec<[Way; 8]>) {
        let rules = *position.rules();
        let image = |way: Way| way.apply_to_set(&rules, position.stones(attacker));
        let least = Symmetry::all(&rules).map(image).min();
        let stones = least.expect("every board has the identity");
        let leads_there = |way: &Way| image(*way) == stones;
        let ways = Symmetry::all(&rules).filter(leads_there).collect();
        let shelf = Self {
            rules,
            attacker,
            to_move: position.to_move(),
            stones,
        };
        (shelf, ways)
    }
}
