use crate::rules::Rules;
use crate::square::Square;

/// The four ways a row of stones can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Direction {
    /// From left to right.
    East = 0,
    /// From bottom to top.
    North = 1,
    /// From the bottom left to the top right.
    NorthEast = 2,
    /// From the top left to the bottom right.
    SouthEast = 3,
}

impl Direction {
    /// All four, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::East, Self::North, Self::NorthEast, Self::SouthEast];

    /// Change of (column, row) at each step.
    #[must_use]
    pub const fn step(self) -> (i8, i8) {
        match self {
            Self::East => (1, 0),
            Self::North => (0, 1),
            Self::NorthEast => (1, 1),
            Self::SouthEast => (1, -1),
        }
    }
}

/// A whole line of the board, long enough to hold a winning row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How it runs.
    pub direction: Direction,
    /// From its first square on, in its direction.
    pub squares: Vec<Square>,
}

impl Line {
    /// The line's segments: every k consecutive squares.
    pub fn segments(&self, rules: &Rules) -> impl Iterator<Item = &[Square]> {
        self.squares.windows(usize::from(rules.in_a_row()))
    }
}

/// All lines of at least k squares, direction by direction.
#[must_use]
pub fn lines(rules: &Rules) -> Vec<Line> {
    let mut found = Vec::new();
    for direction in Direction::ALL {
        for start in rules.squares() {
            let on_board = |square: &Square| rules.contains(*square);
            if start
                .step(direction.step(), -1)
                .is_some_and(|before| on_board(&before))
            {
                continue;
            }
            let squares: Vec<_> = (0..)
                .map_while(|i| start.step(direction.step(), i).filter(on_board))
                .collect();
            if squares.len() >= usize::from(rules.in_a_row()) {
                found.push(Line { direction, squares });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proposition 4 of the pattern-based-incremental-model paper counts the lines.
    #[test]
    fn lines_number_as_the_paper_says() {
        for (m, n, k) in [(19, 19, 6), (9, 9, 6), (15, 15, 5), (12, 9, 5)] {
            let rules = Rules::new(m, n, k, 2, 1).unwrap();
            assert_eq!(lines(&rules).len() as u32, 3 * (m + n) - 4 * k + 2);
        }
    }

    #[test]
    fn connect6_has_924_segments() {
        let rules = Rules::CONNECT6;
        let count: usize = lines(&rules)
            .iter()
            .map(|line| line.segments(&rules).count())
            .sum();
        assert_eq!(count, 924);
    }
}
