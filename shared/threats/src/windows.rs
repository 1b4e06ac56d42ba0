use crate::shape::Shape;

/// How many stones stand in each segment of a line, for all segments at once.
///
/// Bit i of plane b is bit b of the count in the segment that starts at offset i. The counts
/// are summed with carries, like adding by hand in every column at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    planes: [u32; 6],
    used: usize,
}

impl Windows {
    #[inline(always)]
    pub fn count<S: Shape>(shape: S, stones: u32) -> Self {
        let k = shape.in_a_row();
        let used = (u32::BITS - k.leading_zeros()) as usize;
        let mut planes = [0; 6];
        for shift in 0..k {
            let mut carry = stones >> shift;
            for plane in &mut planes[..used] {
                let sum = *plane ^ carry;
                carry &= *plane;
                *plane = sum;
            }
        }
        Self { planes, used }
    }

    /// Segment starts whose count is at least `least`.
    #[inline(always)]
    pub fn at_least(&self, least: i32) -> u32 {
        if least <= 0 {
            return !0;
        }
        let mut enough = !0;
        for (bit, plane) in self.planes[..self.used].iter().enumerate() {
            enough = if least >> bit & 1 == 1 {
                plane & enough
            } else {
                plane | enough
            };
        }
        if least >> self.used == 0 { enough } else { 0 }
    }
}

/// Starts of the segments that contain an offset, before clipping to the line.
#[inline(always)]
pub fn covering<S: Shape>(shape: S, offset: u8) -> u32 {
    let k = shape.in_a_row();
    let run = if k == 32 { u32::MAX } else { (1 << k) - 1 };
    ((u64::from(run) << offset) >> (k - 1)) as u32
}

/// The squares of a segment, as offsets on its line.
#[inline(always)]
pub fn cells<S: Shape>(shape: S, start: u32) -> u32 {
    let k = shape.in_a_row();
    let run = if k == 32 { u32::MAX } else { (1 << k) - 1 };
    run << start
}

/// The offsets that lie in every one of some segments of a line (`segments` not empty).
#[inline(always)]
pub fn common_cells<S: Shape>(shape: S, segments: u32) -> u32 {
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
