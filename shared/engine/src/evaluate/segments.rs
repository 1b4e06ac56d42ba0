//! Open segments by how many stones they lack, and what that makes a stone worth.

use gridproof_game::{Colour, Direction, Square};
use gridproof_threats::{LineRef, Shape, ThreatBoard, Windows, windows::covering};

/// Something for each number of stones that an open segment still lacks: 0 to 5.
pub(crate) type ByMissing<T> = [T; 6];

/// Weighs segments of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Potential {
    pub(crate) own: ByMissing<i32>,
    pub(crate) blocked: ByMissing<i32>,
    /// What the same segment counts on rows and columns, and on diagonals.
    pub(crate) straight: i32,
    pub(crate) diagonal: i32,
}

impl Potential {
    /// What a stone on an empty square adds for its side and takes from the other.
    pub(crate) fn gain<S: Shape>(
        &self,
        board: &ThreatBoard<S>,
        square: Square,
        colour: Colour,
    ) -> i32 {
        let lines = board.geometry().on_lines(square);
        lines
            .iter()
            .map(|&at| self.gain_on(board, at, colour, 0))
            .sum()
    }

    /// What a stone gains on one line where `before` are stones of its side placed before it.
    pub(crate) fn gain_on<S: Shape>(
        &self,
        board: &ThreatBoard<S>,
        at: LineRef,
        colour: Colour,
        before: u32,
    ) -> i32 {
        let shape = board.shape();
        let through = covering(shape, at.offset);
        let own = board.stones_on(at.line, colour) | before;
        let open = board.open_on(at.line, colour) & through;
        let theirs = board.stones_on(at.line, colour.other());
        let spoilt = match before {
            0 => 0,
            _ => Windows::count(shape, before).at_least(1),
        };
        let taken = board.open_on(at.line, colour.other()) & through & !spoilt;
        let worth = raise(shape, own, open, &self.own) + worth(shape, theirs, taken, &self.blocked);
        match board.geometry().direction(at.line) {
            Direction::East | Direction::North => self.straight * worth,
            Direction::NorthEast | Direction::SouthEast => self.diagonal * worth,
        }
    }
}

/// What segments are worth by the stones they lack.
pub(super) fn worth<S: Shape>(
    shape: S,
    stones: u32,
    segments: u32,
    by_missing: &ByMissing<i32>,
) -> i32 {
    if segments == 0 {
        return 0;
    }
    let counts = count(shape, stones, segments);
    counts
        .iter()
        .zip(by_missing)
        .map(|(n, weight)| n * weight)
        .sum()
}

/// What segments gain when each gets one more stone.
fn raise<S: Shape>(shape: S, stones: u32, segments: u32, by_missing: &ByMissing<i32>) -> i32 {
    if segments == 0 {
        return 0;
    }
    let gain = |missing: usize| by_missing[missing - 1] - by_missing.get(missing).unwrap_or(&0);
    let k = shape.in_a_row() as usize;
    if stones == 0 {
        let each = if k <= by_missing.len() { gain(k) } else { 0 };
        return segments.count_ones() as i32 * each;
    }
    let windows = Windows::count(shape, stones);
    let mut fuller = windows.at_least(k as i32) & segments;
    let mut sum = 0;
    for missing in 1..=by_missing.len() {
        let enough = windows.at_least(k as i32 - missing as i32) & segments;
        sum += (enough & !fuller).count_ones() as i32 * gain(missing);
        fuller = enough;
    }
    sum
}

/// Of some segments of a line, how many lack how many stones.
pub(crate) fn count<S: Shape>(shape: S, stones: u32, segments: u32) -> ByMissing<i32> {
    let mut counts = ByMissing::default();
    let k = shape.in_a_row() as i32;
    if stones == 0 {
        if let Some(number) = counts.get_mut(k as usize) {
            *number = segments.count_ones() as i32;
        }
        return counts;
    }
    let windows = Windows::count(shape, stones);
    let mut fuller = 0;
    for (missing, number) in (0..).zip(&mut counts) {
        let enough = windows.at_least(k - missing) & segments;
        *number = (enough & !fuller).count_ones() as i32;
        fuller = enough;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_game::Rules;
    use gridproof_threats::AnyShape;
    use rand::{Rng as _, SeedableRng as _, rngs::StdRng};

    const WEIGHTS: ByMissing<i32> = [400, 200, 120, 18, 8, 1];

    #[test]
    fn a_raise_is_what_segments_are_worth_after_less_what_they_were_before() {
        let mut random = StdRng::seed_from_u64(6);
        for k in [4, 5, 6, 7, 9] {
            let shape = AnyShape::of(&Rules::new(19, 19, k, 2, 1).unwrap()).unwrap();
            for _ in 0..2_000 {
                let offset: u8 = random.random_range(0..19);
                let stones = random.random::<u32>() & random.random::<u32>() & 0x7_ffff;
                let stones = stones & !(1 << offset);
                let line = (1 << (20 - k)) - 1;
                let segments = random.random::<u32>() & covering(shape, offset) & line;
                let after = worth(shape, stones | 1 << offset, segments, &WEIGHTS);
                let before = worth(shape, stones, segments, &WEIGHTS);
                let raise = raise(shape, stones, segments, &WEIGHTS);
                assert_eq!(raise, after - before, "{k} {stones:b} {segments:b}");
            }
        }
    }
}
