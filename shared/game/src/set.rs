use crate::square::{STRIDE, Square};

/// A set of squares: one word a row, so that rows are masked and united at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SquareSet([u32; STRIDE as usize]);

impl SquareSet {
    /// No square.
    pub const EMPTY: Self = Self([0; STRIDE as usize]);

    /// Whether a square is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(&self, square: Square) -> bool {
        self.0[square.row() as usize] >> square.column() & 1 == 1
    }

    /// Adds a square, if it is not there yet.
    #[inline]
    pub fn insert(&mut self, square: Square) {
        self.0[usize::from(square.row())] |= 1 << square.column();
    }

    /// Takes a square away, if it is there.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0[usize::from(square.row())] &= !(1 << square.column());
    }

    /// Whether no square is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&row| row == 0)
    }

    /// The number of squares.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|row| row.count_ones() as usize).sum()
    }

    /// Adds all squares of another set.
    #[inline]
    pub fn unite(&mut self, other: &Self) {
        for (row, more) in self.0.iter_mut().zip(&other.0) {
            *row |= more;
        }
    }

    /// The squares of either set.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        self.unite(other);
        self
    }

    /// The squares of both sets.
    #[must_use]
    pub fn intersection(mut self, other: &Self) -> Self {
        for (row, mask) in self.0.iter_mut().zip(&other.0) {
            *row &= mask;
        }
        self
    }

    /// The squares that the other set does not have.
    #[must_use]
    pub fn difference(mut self, other: &Self) -> Self {
        for (row, mask) in self.0.iter_mut().zip(&other.0) {
            *row &= !mask;
        }
        self
    }

    /// Whether the other set has all of these squares.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0
            .iter()
            .zip(&other.0)
            .all(|(row, mask)| row & !mask == 0)
    }

    /// Columns and rows change places.
    pub(crate) fn transposed(&self) -> Self {
        let swapped = |square: Square| Square::new(square.row(), square.column());
        self.iter().map(swapped).collect()
    }

    /// The first of so many columns becomes the last.
    pub(crate) fn with_columns_flipped(&self, columns: u8) -> Self {
        let beyond = u32::from(STRIDE) - u32::from(columns);
        Self(self.0.map(|row| row.reverse_bits() >> beyond))
    }

    /// The first of so many rows becomes the last.
    pub(crate) fn with_rows_flipped(mut self, rows: u8) -> Self {
        self.0[..usize::from(rows)].reverse();
        self
    }

    /// Squares in order: bottom row first, left to right.
    pub fn iter(&self) -> impl Iterator<Item = Square> + '_ {
        self.0.iter().zip(0u8..).flat_map(|(&bits, row)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let column = left.trailing_zeros() as u8;
                    left &= left - 1;
                    Square::new(column, row)
                })
            })
        })
    }
}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut set = Self::EMPTY;
        set.extend(squares);
        set
    }
}

impl Extend<Square> for SquareSet {
    fn extend<I: IntoIterator<Item = Square>>(&mut self, squares: I) {
        for square in squares {
            self.insert(square);
        }
    }
}
