use crate::rules::Rules;
use crate::set::SquareSet;
use crate::square::Square;

/// A way to turn or mirror the board onto itself: 8 on a square board, 4 otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symmetry(u8);

const FLIP_COLUMNS: u8 = 1;
const FLIP_ROWS: u8 = 2;
/// Columns and rows change places, before any flip.
const SWAP: u8 = 4;

impl Symmetry {
    /// Leaves every square where it is.
    pub const IDENTITY: Self = Self(0);

    /// All symmetries of a board, the identity first.
    pub fn all(rules: &Rules) -> impl Iterator<Item = Self> + use<> {
        let count = if rules.columns() == rules.rows() {
            8
        } else {
            4
        };
        (0..count).map(Self)
    }

    /// Where this symmetry of the board takes a square.
    #[must_use]
    pub fn apply(self, rules: &Rules, square: Square) -> Square {
        debug_assert!(rules.contains(square));
        let (mut column, mut row) = (square.column(), square.row());
        if self.0 & SWAP != 0 {
            debug_assert_eq!(rules.columns(), rules.rows());
            (column, row) = (row, column);
        }
        if self.0 & FLIP_COLUMNS != 0 {
            column = rules.columns() - 1 - column;
        }
        if self.0 & FLIP_ROWS != 0 {
            row = rules.rows() - 1 - row;
        }
        Square::new(column, row)
    }

    /// Where this symmetry of the board takes all squares of a set.
    #[must_use]
    pub fn apply_to_set(self, rules: &Rules, set: &SquareSet) -> SquareSet {
        let mut image = *set;
        if self.0 & SWAP != 0 {
            image = image.transposed();
        }
        if self.0 & FLIP_COLUMNS != 0 {
            image = image.with_columns_flipped(rules.columns());
        }
        if self.0 & FLIP_ROWS != 0 {
            image = image.with_rows_flipped(rules.rows());
        }
        image
    }

    /// This symmetry, and after it another.
    #[must_use]
    pub const fn then(self, next: Self) -> Self {
        let flips = self.0 & (FLIP_COLUMNS | FLIP_ROWS);
        // A swap that comes after a flip of columns makes a flip of rows of it.
        let flips = if next.0 & SWAP == 0 {
            flips
        } else {
            (flips & FLIP_COLUMNS) << 1 | (flips & FLIP_ROWS) >> 1
        };
        Self(self.0 & SWAP ^ flips ^ next.0)
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // With a swap, the flip of columns done last undoes as a flip of rows.
        match self.0 {
            5 => Self(6),
            6 => Self(5),
            own_inverse => Self(own_inverse),
        }
    }

    /// A number from 0 to 7 that stands for this symmetry in files and messages.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The symmetry of an [`Symmetry::index`]; `None` if the board does not have it.
    #[must_use]
    pub fn from_index(rules: &Rules, index: u8) -> Option<Self> {
        Self::all(rules).find(|symmetry| symmetry.0 == index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_are_distinct_and_their_inverses_undo_them() {
        for (m, n, count) in [(5, 5, 8), (5, 4, 4)] {
            let rules = Rules::new(m, n, 4, 2, 1).unwrap();
            let mut images = Vec::new();
            for symmetry in Symmetry::all(&rules) {
                let image: Vec<_> = rules.squares().map(|s| symmetry.apply(&rules, s)).collect();
                for (square, &there) in rules.squares().zip(&image) {
                    assert!(rules.contains(there));
                    assert_eq!(symmetry.inverse().apply(&rules, there), square);
                }
                assert!(!images.contains(&image));
                images.push(image);
            }
            assert_eq!(images.len(), count);
        }
    }

    #[test]
    fn two_symmetries_one_after_the_other_are_one_and_sets_go_where_squares_go() {
        for (m, n) in [(5, 5), (5, 4), (32, 32)] {
            let rules = Rules::new(m, n, 4, 2, 1).unwrap();
            let some: SquareSet = rules.squares().step_by(3).collect();
            for first in Symmetry::all(&rules) {
                let image: SquareSet = some.iter().map(|s| first.apply(&rules, s)).collect();
                assert_eq!(first.apply_to_set(&rules, &some), image);
                for next in Symmetry::all(&rules) {
                    let both = |s| next.apply(&rules, first.apply(&rules, s));
                    let one = |s| first.then(next).apply(&rules, s);
                    assert!(rules.squares().all(|s| both(s) == one(s)));
                }
            }
        }
    }
}
