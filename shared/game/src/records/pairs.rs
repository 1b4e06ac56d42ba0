//! Squares as two letters, column and row, `JJ` or `jj` the centre of a board of 19.

use std::fmt;

use super::error::Reason;
use crate::excerpt;
use crate::rules::Rules;
use crate::square::{STRIDE, Square};

/// From which side of the board a record counts its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowsFrom {
    /// As SGF has it: small letters, `aa` at the top left.
    Top,
    /// As engines for Connect6 have it: capital letters, `AA` at the bottom left.
    Bottom,
}

impl fmt::Display for RowsFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Top => "top",
            Self::Bottom => "bottom",
        })
    }
}

const LETTERS: u8 = 26;

pub(super) fn name(square: Square) -> String {
    [square.column(), square.row()]
        .into_iter()
        .map(letter)
        .collect()
}

fn letter(number: u8) -> char {
    char::from(match number {
        0..LETTERS => b'A' + number,
        _ => b'a' + number - LETTERS,
    })
}

/// The square of two letters; it need not be on the board. On boards that have no use for
/// small letters, case does not matter.
pub(super) fn square(pair: &str, rules: &Rules) -> Option<Square> {
    let number = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' if !case_counts(rules) => Some(byte - b'a'),
        b'a'..=b'z' => Some(byte - b'a' + LETTERS).filter(|n| u16::from(*n) < STRIDE),
        _ => None,
    };
    match pair.as_bytes() {
        &[column, row] => Some(Square::new(number(column)?, number(row)?)),
        _ => None,
    }
}

/// As SGF names a square: rows from the top, small letters, and capitals after z.
pub(super) fn sgf_name(square: Square, rules: &Rules) -> String {
    let row_from_top = rules.rows() - 1 - square.row();
    [square.column(), row_from_top]
        .into_iter()
        .map(|number| {
            char::from(match number {
                0..LETTERS => b'a' + number,
                _ => b'A' + number - LETTERS,
            })
        })
        .collect()
}

/// The square of two letters of an SGF record. Counted from the bottom it need not be on the
/// board; counted from the top it is, or there is none.
pub(super) fn sgf_square(pair: &str, rules: &Rules, rows: RowsFrom) -> Option<Square> {
    if rows == RowsFrom::Bottom {
        return square(pair, rules);
    }
    let number = |byte: u8| match byte {
        b'a'..=b'z' => Some(byte - b'a'),
        b'A'..=b'Z' => Some(byte - b'A' + LETTERS),
        _ => None,
    };
    match pair.as_bytes() {
        &[column, row] => {
            let row = rules.rows().checked_sub(number(row)? + 1)?;
            let column = number(column)?;
            (column < rules.columns()).then(|| Square::new(column, row))
        }
        _ => None,
    }
}

/// Whether capital letters and small ones name different columns and rows of a board.
pub(super) fn case_counts(rules: &Rules) -> bool {
    rules.columns().max(rules.rows()) > LETTERS
}

pub(super) fn refusal(text: &str) -> Reason {
    Reason::Pair(excerpt(text, 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_reads_back_from_its_letters() {
        let large = Rules::new(32, 27, 6, 2, 1).unwrap();
        for square in large.squares() {
            assert_eq!(super::square(&name(square), &large), Some(square));
        }
        for square in Rules::CONNECT6.squares() {
            let small = name(square).to_lowercase();
            assert_eq!(super::square(&small, &Rules::CONNECT6), Some(square));
        }
    }

    #[test]
    fn every_square_reads_back_from_its_sgf_name() {
        let large = Rules::new(32, 27, 6, 2, 1).unwrap();
        for rules in [large, Rules::CONNECT6, Rules::new(9, 5, 4, 2, 1).unwrap()] {
            for square in rules.squares() {
                let name = sgf_name(square, &rules);
                assert_eq!(sgf_square(&name, &rules, RowsFrom::Top), Some(square));
            }
        }
        let square = |pair| sgf_square(pair, &Rules::CONNECT6, RowsFrom::Top);
        assert_eq!(square("aa"), "A19".parse().ok());
        assert_eq!(square("is"), "I1".parse().ok());
        assert_eq!(square("at"), None);
        assert_eq!(square("ta"), None);
    }

    #[test]
    fn letters_name_the_column_then_the_row_from_the_bottom() {
        let square = |pair| square(pair, &Rules::CONNECT6);
        assert_eq!(square("JJ"), "J10".parse().ok());
        assert_eq!(square("IH"), "I8".parse().ok());
        assert_eq!(square("J"), None);
        assert_eq!(square("J9"), None);
        assert_eq!(square("é"), None);
    }
}
