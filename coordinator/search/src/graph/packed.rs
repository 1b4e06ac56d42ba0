//! Moves in four bytes: there is one on every edge.

use std::collections::BTreeMap;

use gridproof_game::{Move, Square};

/// A move of at most two stones, or the number of a longer one in [`LongMoves`].
///
/// Bits 0 to 9 and 10 to 19 are squares, 20 and 21 the number of stones, 22 to 29 the number
/// of null stones; bit 31 tells that the rest is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedMove(u32);

const SQUARE: u32 = 0x3ff;
const LONG: u32 = 1 << 31;

/// Moves that do not fit: of games with more than two stones a turn, each kept once.
#[derive(Clone, Debug, Default)]
pub(super) struct LongMoves {
    moves: Vec<Move>,
    numbers: BTreeMap<Move, u32>,
}

impl LongMoves {
    pub(super) fn pack(&mut self, mv: &Move) -> PackedMove {
        self.find(mv).unwrap_or_else(|| {
            let number = self.moves.len() as u32;
            self.moves.push(mv.clone());
            self.numbers.insert(mv.clone(), number);
            PackedMove(LONG | number)
        })
    }

    /// As [`LongMoves::pack`], if the move is short or known.
    pub(super) fn find(&self, mv: &Move) -> Option<PackedMove> {
        let nulls = u32::from(mv.nulls()) << 22;
        let bits = |square: &Square| square.index() as u32;
        match mv.stones() {
            [] => Some(PackedMove(nulls)),
            [a] => Some(PackedMove(nulls | 1 << 20 | bits(a))),
            [a, b] => Some(PackedMove(nulls | 2 << 20 | bits(b) << 10 | bits(a))),
            _ => self.numbers.get(mv).map(|number| PackedMove(LONG | number)),
        }
    }

    pub(super) fn unpack(&self, packed: PackedMove) -> Move {
        let PackedMove(bits) = packed;
        if bits & LONG != 0 {
            return self.moves[(bits & !LONG) as usize].clone();
        }
        let square = |shift: u32| Square::from_index((bits >> shift & SQUARE) as usize);
        let stones = [square(0), square(10)];
        let count = (bits >> 20 & 3) as usize;
        Move::new(stones[..count].iter().copied(), (bits >> 22 & 0xff) as u8)
    }

    pub(super) fn bytes(&self) -> usize {
        3 * self.moves.capacity() * size_of::<Move>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_comes_back_from_its_packed_form() {
        let square = Square::from_index;
        let mut long = LongMoves::default();
        for mv in [
            Move::null(2),
            Move::null(255),
            Move::new([square(1023)], 1),
            Move::full([square(0)]),
            Move::full([square(1022), square(1023)]),
            Move::full([square(5), square(6), square(7)]),
            Move::new([square(5), square(6), square(8)], 4),
        ] {
            let packed = long.pack(&mv);
            assert_eq!(long.unpack(packed), mv);
            assert_eq!(long.pack(&mv), packed);
            assert_eq!(long.find(&mv), Some(packed));
        }
    }
}
