//! Keys for positions: one fixed random word per stone, the same on every machine.

use crate::colour::Colour;
use crate::square::Square;

const fn split_mix(seed: u64) -> u64 {
    let mut z = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x1234_5678_9abc_def1);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

static STONES: [[u64; Square::COUNT]; 2] = {
    let mut table = [[0; Square::COUNT]; 2];
    let mut i = 0;
    while i < Square::COUNT {
        table[0][i] = split_mix(2 * i as u64 + 1);
        table[1][i] = split_mix(2 * i as u64 + 2);
        i += 1;
    }
    table
};

/// Taken into a position's key when White is to move.
pub const WHITE_TO_MOVE: u64 = split_mix(0);

/// Taken into a position's key for each stone.
#[must_use]
#[inline]
pub fn stone(colour: Colour, square: Square) -> u64 {
    STONES[colour.index()][square.index()]
}
