//! Masks of a line: which bits are the squares of a segment, and how many stones each holds.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shr};

use crate::shape::Shape;

/// Bits of a line, or of two lines side by side: one for each square or segment start.
pub trait LineBits:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shr<u32, Output = Self>
{
    /// No bit.
    const NONE: Self;
}

impl LineBits for u32 {
    const NONE: Self = 0;
}

/// Two lines in one word, so that one operation serves both. What a shift carries from the
/// upper into the lower lands beyond the starts of its segments.
impl LineBits for u64 {
    const NONE: Self = 0;
}

#[inline(always)]
pub(crate) fn pack(lower: u32, upper: u32) -> u64 {
    u64::from(lower) | u64::from(upper) << 32
}

#[inline(always)]
pub(crate) fn unpack(lines: u64) -> [u32; 2] {
    [lines as u32, (lines >> 32) as u32]
}

/// Enough for counts up to 32.
const PLANES: usize = 6;

/// How many stones stand in each segment of a line, for all segments at once.
///
/// Bit i of plane b is bit b of the count in the segment that starts at offset i. The counts
/// are summed with carries, like adding by hand in every column at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Windows<T = u32> {
    planes: [T; PLANES],
    used: usize,
}

impl<T: LineBits> Windows<T> {
    /// Counts the stones in every segment at once.
    #[inline(always)]
    pub fn count<S: Shape>(shape: S, stones: T) -> Self {
        let k = shape.in_a_row();
        let mut planes = [T::NONE; PLANES];
        // Counts in windows of 1, 2, 4, ... squares; those that k is the sum of make the segment.
        let mut power = [T::NONE; PLANES];
        power[0] = stones;
        let mut width = 0;
        for bit in 0..PLANES as u32 {
            if k >> bit & 1 == 1 {
                planes = sum(planes, shifted(power, width));
                width += 1 << bit;
            }
            if k >> bit > 1 {
                power = sum(power, shifted(power, 1 << bit));
            }
        }
        Self {
            planes,
            used: (u32::BITS - k.leading_zeros()) as usize,
        }
    }

    /// Segment starts whose count is at least `least`.
    #[inline(always)]
    pub fn at_least(&self, least: i32) -> T {
        if least <= 0 {
            return !T::NONE;
        }
        if least >> self.used != 0 {
            return T::NONE;
        }
        let mut enough = !T::NONE;
        for (bit, &plane) in self.planes[..self.used].iter().enumerate() {
            enough = if least >> bit & 1 == 1 {
                plane & enough
            } else {
                plane | enough
            };
        }
        enough
    }
}

#[inline(always)]
fn sum<T: LineBits>(a: [T; PLANES], b: [T; PLANES]) -> [T; PLANES] {
    let mut carry = T::NONE;
    let mut total = a;
    for (total, b) in total.iter_mut().zip(b) {
        let (a, either) = (*total, *total ^ b);
        *total = either ^ carry;
        carry = (a & b) | (either & carry);
    }
    total
}

#[inline(always)]
fn shifted<T: LineBits>(mut planes: [T; PLANES], by: u32) -> [T; PLANES] {
    for plane in &mut planes {
        *plane = *plane >> by;
    }
    planes
}

/// The lowest bits, up to all 32.
#[inline(always)]
pub(crate) const fn lowest(count: u32) -> u32 {
    if count == 32 {
        u32::MAX
    } else {
        (1 << count) - 1
    }
}

/// Starts of the segments that contain an offset, before clipping to the line.
#[inline(always)]
pub fn covering<S: Shape>(shape: S, offset: u8) -> u32 {
    let k = shape.in_a_row();
    ((u64::from(lowest(k)) << offset) >> (k - 1)) as u32
}

/// The squares of a segment, as offsets on its line.
#[inline(always)]
pub(crate) fn cells<S: Shape>(shape: S, start: u32) -> u32 {
    lowest(shape.in_a_row()) << start
}

/// The offsets that lie in every one of some segments of a line (`segments` not empty).
#[inline(always)]
pub(crate) fn common_cells<S: Shape>(shape: S, segments: u32) -> u32 {
    debug_assert!(segments != 0);
    let first = segments.trailing_zeros();
    let last = 31 - segments.leading_zeros();
    cells(shape, first) & cells(shape, last)
}

/// The offsets that lie in any of some segments of a line.
#[inline(always)]
pub fn all_cells<S: Shape>(shape: S, segments: u32) -> u32 {
    let mut covered = segments;
    let mut reach = 1;
    let k = shape.in_a_row();
    while reach < k {
        let step = reach.min(k - reach);
        covered |= covered << step;
        reach += step;
    }
    covered
}

/// The offsets of a mask, lowest first.
#[inline(always)]
pub fn offsets(mut mask: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let offset = mask.trailing_zeros() as u8;
            mask &= mask - 1;
            offset
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{AnyShape, Connect6};
    use gridproof_game::Rules;

    fn slow_count(k: u32, stones: u32, start: u32) -> u32 {
        (start..start + k)
            .filter(|&i| i < 32 && stones >> i & 1 == 1)
            .count() as u32
    }

    #[test]
    fn counts_equal_counting_one_by_one() {
        for k in [1, 2, 3, 5, 6, 7, 8, 15, 31, 32] {
            let shape = AnyShape::of(&Rules::new(32, 32, k, 2, 1).unwrap()).unwrap();
            for seed in 0..200u32 {
                let stones = seed.wrapping_mul(0x9e37_79b9) ^ seed.rotate_left(13);
                let windows = Windows::count(shape, stones);
                for start in 0..=32 - k {
                    let count = slow_count(k, stones, start);
                    for least in 0..=k + 2 {
                        let found = windows.at_least(least as i32) >> start & 1 == 1;
                        assert_eq!(found, count >= least, "k {k} stones {stones:b} at {start}");
                    }
                }
            }
        }
    }

    #[test]
    fn covering_and_cells_are_each_others_mirror() {
        for offset in 0..32u8 {
            for start in 0..=26 {
                let inside = cells(Connect6, start) >> offset & 1 == 1;
                assert_eq!(covering(Connect6, offset) >> start & 1 == 1, inside);
            }
        }
        assert_eq!(common_cells(Connect6, 0b101), 0b11_1100);
        assert_eq!(all_cells(Connect6, 0b101), 0xff);
    }
}
