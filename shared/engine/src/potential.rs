//! What stones are worth before anybody looks ahead: the open segments they stand on.

use gridproof_game::{Colour, Square};
use gridproof_threats::{Shape, ThreatBoard, Windows, windows::covering};

/// Worth of an open segment by the number of stones it still lacks.
pub(crate) type ByMissing = [i32; 6];

/// Weighs segments of both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Potential {
    pub(crate) own: ByMissing,
    pub(crate) blocked: ByMissing,
}

impl Potential {
    /// What a stone on an empty square adds for its side and takes from the other.
    pub(crate) fn gain<S: Shape>(
        &self,
        board: &ThreatBoard<S>,
        square: Square,
        colour: Colour,
    ) -> i32 {
        let shape = board.shape();
        board
            .geometry()
            .on_lines(square)
            .iter()
            .map(|at| {
                let through = covering(shape, at.offset);
                let own = board.stones_on(at.line, colour);
                let open = board.open_on(at.line, colour) & through;
                let more = own | 1 << at.offset;
                let theirs = board.stones_on(at.line, colour.other());
                let taken = board.open_on(at.line, colour.other()) & through;
                worth(shape, more, open, &self.own) - worth(shape, own, open, &self.own)
                    + worth(shape, theirs, taken, &self.blocked)
            })
            .sum()
    }
}

/// The worth of some segments of a line.
pub(crate) fn worth<S: Shape>(shape: S, stones: u32, segments: u32, by_missing: &ByMissing) -> i32 {
    if segments == 0 {
        return 0;
    }
    let windows = Windows::count(shape, stones);
    let k = shape.in_a_row() as i32;
    let mut fuller = 0;
    let mut sum = 0;
    for (missing, weight) in (0..).zip(by_missing) {
        let enough = windows.at_least(k - missing) & segments;
        sum += weight * (enough & !fuller).count_ones() as i32;
        fuller = enough;
    }
    sum
}
