//! Lines side by side.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shr};

use crate::windows::LineBits;

/// How many lines [`Lanes`] hold.
pub const LANES: usize = 4;

/// Lines side by side, which the compiler serves with a few vector operations.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(pub [u32; LANES]);

impl LineBits for Lanes {
    const NONE: Self = Self([0; LANES]);
}

macro_rules! lane_by_lane {
    ($($operation:ident $method:ident $operator:tt,)*) => {$(
        impl $operation for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut lanes = self.0;
                for (lane, other) in lanes.iter_mut().zip(other.0) {
                    *lane $operator other;
                }
                Self(lanes)
            }
        }
    )*};
}

lane_by_lane! {
    BitAnd bitand &=,
    BitOr bitor |=,
    BitXor bitxor ^=,
}

impl Not for Lanes {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        let mut lanes = self.0;
        for lane in &mut lanes {
            *lane = !*lane;
        }
        Self(lanes)
    }
}

impl Shr<u32> for Lanes {
    type Output = Self;

    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        let mut lanes = self.0;
        for lane in &mut lanes {
            *lane >>= by;
        }
        Self(lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Connect6;
    use crate::windows::Windows;

    #[test]
    fn each_lane_counts_as_it_would_alone() {
        let lines = [0b1011_0110, 0x7_ffff, 0, 0b101_0101_0101];
        let together = Windows::count(Connect6, Lanes(lines));
        for least in -1..=7 {
            let alone = lines.map(|line| Windows::count(Connect6, line).at_least(least));
            assert_eq!(together.at_least(least).0, alone, "at least {least}");
        }
    }
}
