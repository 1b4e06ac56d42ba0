//! Squares as two letters, column and row, `JJ` the centre of a board of 19.

use super::error::Reason;
use crate::excerpt;
use crate::rules::Rules;
use crate::square::{STRIDE, Square};

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
    let case_counts = rules.columns().max(rules.rows()) > LETTERS;
    let number = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' if !case_counts => Some(byte - b'a'),
        b'a'..=b'z' => Some(byte - b'a' + LETTERS).filter(|n| u16::from(*n) < STRIDE),
        _ => None,
    };
    match pair.as_bytes() {
        &[column, row] => Some(Square::new(number(column)?, number(row)?)),
        _ => None,
    }
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
    fn letters_name_the_column_then_the_row_from_the_bottom() {
        let square = |pair| square(pair, &Rules::CONNECT6);
        assert_eq!(square("JJ"), "J10".parse().ok());
        assert_eq!(square("IH"), "I8".parse().ok());
        assert_eq!(square("J"), None);
        assert_eq!(square("J9"), None);
        assert_eq!(square("é"), None);
    }
}
