//! Open segments by how many stones they lack, and what that makes a stone worth.

use gridproof_game::{Colour, Direction, Square};
use gridproof_threats::{LineId, Shape, ThreatBoard, Windows, windows::covering};

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
        let shape = board.shape();
        board
            .geometry()
            .on_lines(square)
            .iter()
            .zip(Direction::ALL)
            .map(|(at, direction)| {
                let through = covering(shape, at.offset);
                let own = board.stones_on(at.line, colour);
                let open = board.open_on(at.line, colour) & through;
                let more = own | 1 << at.offset;
                let theirs = board.stones_on(at.line, colour.other());
                let taken = board.open_on(at.line, colour.other()) & through;
                let worth = worth(shape, more, open, &self.own)
                    - worth(shape, own, open, &self.own)
                    + worth(shape, theirs, taken, &self.blocked);
                match direction {
                    Direction::East | Direction::North => self.straight * worth,
                    Direction::NorthEast | Direction::SouthEast => self.diagonal * worth,
                }
            })
            .sum()
    }
}

/// The worth of all open segments of a side.
pub(crate) fn side_worth<S: Shape>(
    board: &ThreatBoard<S>,
    colour: Colour,
    by_missing: &ByMissing<i32>,
) -> i32 {
    let of_line = |line: LineId| {
        let (stones, open) = (board.stones_on(line, colour), board.open_on(line, colour));
        worth(board.shape(), stones, open, by_missing)
    };
    board.geometry().lines().map(of_line).sum()
}

fn worth<S: Shape>(shape: S, stones: u32, segments: u32, by_missing: &ByMissing<i32>) -> i32 {
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

/// Of some segments of a line, how many lack how many stones.
pub(crate) fn count<S: Shape>(shape: S, stones: u32, segments: u32) -> ByMissing<i32> {
    let windows = Windows::count(shape, stones);
    let k = shape.in_a_row() as i32;
    let mut fuller = 0;
    let mut counts = ByMissing::default();
    for (missing, number) in (0..).zip(&mut counts) {
        let enough = windows.at_least(k - missing) & segments;
        *number = (enough & !fuller).count_ones() as i32;
        fuller = enough;
    }
    counts
}
