use std::fmt;
use std::str::FromStr;

use crate::excerpt;

/// Squares are numbered row by row with this stride whatever the board's width, so that a
/// square means the same place on every board and prints without knowing the rules.
pub const STRIDE: u16 = 32;

/// A place on the board: column from the left, row from the bottom, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u16);

impl Square {
    /// One more than the largest [`Square::index`].
    pub const COUNT: usize = (STRIDE * STRIDE) as usize;

    /// The square at a column and a row, each below [`STRIDE`].
    #[must_use]
    #[inline]
    pub const fn new(column: u8, row: u8) -> Self {
        assert!((column as u16) < STRIDE && (row as u16) < STRIDE);
        Self(row as u16 * STRIDE + column as u16)
    }

    /// The square of an [`Square::index`], which must be below [`Square::COUNT`].
    #[must_use]
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        assert!(index < Self::COUNT);
        Self(index as u16)
    }

    /// A number of its own, the same on every board: for tables indexed by square.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From 0, left to right.
    #[must_use]
    #[inline]
    pub const fn column(self) -> u8 {
        (self.0 % STRIDE) as u8
    }

    /// From 0, bottom to top.
    #[must_use]
    #[inline]
    pub const fn row(self) -> u8 {
        (self.0 / STRIDE) as u8
    }

    /// The square `steps` further along a direction; `None` off the 32x32 grid.
    #[must_use]
    pub fn step(self, (dc, dr): (i8, i8), steps: i8) -> Option<Self> {
        let column = i16::from(self.column()) + i16::from(dc) * i16::from(steps);
        let row = i16::from(self.row()) + i16::from(dr) * i16::from(steps);
        let fits = |x: i16| (0..STRIDE as i16).contains(&x);
        (fits(column) && fits(row)).then(|| Self::new(column as u8, row as u8))
    }

    /// Whether a text is meant as a square's name, be there such a square or not.
    pub(crate) fn is_meant_by(text: &str) -> bool {
        let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.len() < text.len()
            && (1..=2).contains(&letters.len())
            && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    }

    /// A column's name: A..Z with I, then AA, AB, ... for boards wider than 26.
    #[must_use]
    pub fn column_name(column: u8) -> String {
        let letter = char::from(b'A' + column % 26);
        if column < 26 {
            letter.to_string()
        } else {
            format!("A{letter}")
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!(
            "{}{}",
            Self::column_name(self.column()),
            self.row() + 1
        ))
    }
}

/// Why a text is no square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no square: write a column letter and a row number counted from the bottom, like J10"
)]
pub struct ParseSquareError(String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || ParseSquareError(excerpt(text, 20));
        let digits = text.find(|c: char| c.is_ascii_digit()).ok_or_else(refuse)?;
        let (letters, number) = text.split_at(digits);
        let column = match letters.as_bytes() {
            [c] if c.is_ascii_alphabetic() => c.to_ascii_uppercase() - b'A',
            [b'A' | b'a', c] if c.is_ascii_alphabetic() => 26 + (c.to_ascii_uppercase() - b'A'),
            _ => return Err(refuse()),
        };
        if number.len() > 2 || !number.bytes().all(|b| b.is_ascii_digit()) {
            return Err(refuse());
        }
        let row: u8 = number.parse().map_err(|_| refuse())?;
        if row == 0 || u16::from(row) > STRIDE || u16::from(column) >= STRIDE {
            return Err(refuse());
        }
        Ok(Self::new(column, row - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_reads_back_from_its_name() {
        for index in 0..Square::COUNT {
            let square = Square::from_index(index);
            assert_eq!(square.to_string().parse(), Ok(square));
        }
    }

    #[test]
    fn the_centre_of_a_go_board_is_j10() {
        assert_eq!(Square::new(9, 9).to_string(), "J10");
        assert_eq!("j10".parse(), Ok(Square::new(9, 9)));
    }

    #[test]
    fn what_is_no_square_is_refused() {
        for text in [
            "", "J", "10", "J0", "J33", "AG1", "J1O", "J010", "JJ", "é1", "J-1", "J+1",
        ] {
            assert!(
                text.parse::<Square>().is_err(),
                "{text} was taken for a square"
            );
        }
    }
}
