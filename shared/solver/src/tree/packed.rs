//! Moves in one word.

use gridproof_game::Square;
use rustc_hash::FxHashMap;

use crate::zone::Stones;

/// The stones of a move: up to two as they are, or the place of more in a table. Equal words are
/// equal moves, within one tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PackedStones(u32);

const SQUARE_BITS: u32 = 10;
const SQUARE_MASK: u32 = (1 << SQUARE_BITS) - 1;
/// Above the squares stands how many there are; this many stand for a place in the table.
const COUNT_SHIFT: u32 = 30;
const IN_TABLE: u32 = 3;
const _: () = assert!(Square::COUNT <= 1 << SQUARE_BITS);

/// Moves of three stones and more, each once.
#[derive(Debug, Default)]
pub(super) struct LongMoves {
    moves: Vec<Stones>,
    places: FxHashMap<Stones, u32>,
}

impl LongMoves {
    pub(super) fn clear(&mut self) {
        self.moves.clear();
        self.places.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    #[inline]
    pub(super) fn pack(&mut self, stones: &[Square]) -> PackedStones {
        match *stones {
            [] => PackedStones(0),
            [a] => PackedStones(1 << COUNT_SHIFT | a.index() as u32),
            [a, b] => {
                let squares = a.index() as u32 | (b.index() as u32) << SQUARE_BITS;
                PackedStones(2 << COUNT_SHIFT | squares)
            }
            _ => self.pack_long(stones),
        }
    }

    #[cold]
    fn pack_long(&mut self, stones: &[Square]) -> PackedStones {
        let moves = &mut self.moves;
        let place = *self
            .places
            .entry(Stones::from_slice(stones))
            .or_insert_with_key(|stones| {
                moves.push(stones.clone());
                moves.len() as u32 - 1
            });
        assert!(place < 1 << COUNT_SHIFT, "no memory holds so many moves");
        PackedStones(IN_TABLE << COUNT_SHIFT | place)
    }

    #[inline]
    pub(super) fn unpack(&self, packed: PackedStones) -> Stones {
        let [a, b] = packed.squares();
        match packed.0 >> COUNT_SHIFT {
            IN_TABLE => self.moves[(packed.0 & !(IN_TABLE << COUNT_SHIFT)) as usize].clone(),
            count => Stones::from_buf_and_len([a, b, a, a], count as usize),
        }
    }

    #[inline]
    pub(super) fn count(&self, packed: PackedStones) -> usize {
        match packed.0 >> COUNT_SHIFT {
            IN_TABLE => self.moves[(packed.0 & !(IN_TABLE << COUNT_SHIFT)) as usize].len(),
            count => count as usize,
        }
    }
}

impl PackedStones {
    /// Its squares, if there are two: else one of them, or both, mean nothing.
    #[inline]
    fn squares(self) -> [Square; 2] {
        let square = |bits: u32| Square::from_index((bits & SQUARE_MASK) as usize);
        [square(self.0), square(self.0 >> SQUARE_BITS)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_of_any_length_come_back_as_they_were() {
        let mut table = LongMoves::default();
        let squares: Vec<Square> = [0, 31, 512, 1023, 7].map(Square::from_index).into();
        for length in 0..=squares.len() {
            let stones = Stones::from_slice(&squares[..length]);
            let packed = table.pack(&stones);
            assert_eq!(table.unpack(packed), stones);
            assert_eq!(table.count(packed), length);
            assert_eq!(
                table.pack(&stones),
                packed,
                "the same move is the same word"
            );
        }
        assert_eq!(table.len(), 3);
    }
}
