//! Any value of the types of a game.
#![allow(dead_code, reason = "each test program uses its part of this module")]

use gridproof_game::{Colour, MAX_SIDE, Move, Position, Rules, Square, SquareSet};
use proptest::collection::btree_set;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn colour() -> impl Strategy<Value = Colour> {
    select(&Colour::BOTH[..])
}

pub(crate) fn square() -> impl Strategy<Value = Square> {
    (0..Square::COUNT).prop_map(Square::from_index)
}

pub(crate) fn mv() -> impl Strategy<Value = Move> {
    (btree_set(square(), 0..6), 0..=4u8).prop_map(|(stones, nulls)| Move::new(stones, nulls))
}

pub(crate) fn rules() -> impl Strategy<Value = Rules> {
    let side = 1..=u32::from(MAX_SIDE);
    let number = 1..=255u32;
    (side.clone(), side, number.clone(), number.clone(), number)
        .prop_map(|(m, n, k, p, q)| Rules::new(m, n, k, p, q).expect("numbers in range"))
}

/// Stones of both sides at random; none where both would have won.
pub(crate) fn position() -> impl Strategy<Value = Position> {
    let stones = btree_set((square(), colour()), 0..40);
    (rules(), stones, colour()).prop_map(|(rules, stones, to_move)| {
        let mut sets = [SquareSet::EMPTY; 2];
        for (square, colour) in stones {
            let other = sets[colour.other().index()];
            if rules.contains(square) && !other.contains(square) {
                sets[colour.index()].insert(square);
            }
        }
        let [black, white] = &sets;
        Position::of_stones(rules, black, white, to_move)
            .unwrap_or_else(|_| Position::start(rules).with_to_move(to_move))
    })
}
