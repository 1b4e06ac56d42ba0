//! Squares as two letters, column and row from the bottom: `JJ` is the centre.

use gridproof_game::{Move, Rules, Square};

/// A move's squares run together: `IIKK`.
pub(crate) fn write_move(mv: &Move) -> String {
    mv.stones()
        .iter()
        .flat_map(|&square| pair(square))
        .collect()
}

/// The two letters of a square of a board up to 26 wide.
fn pair(square: Square) -> [char; 2] {
    [square.column(), square.row()].map(|number| char::from(b'A' + number))
}

/// Reads squares run together; `None` if they are no squares of the board or come twice.
pub(crate) fn read_move(text: &str, rules: &Rules) -> Option<Move> {
    let bytes = text.as_bytes();
    if bytes.is_empty() || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let squares: Option<Vec<Square>> = bytes
        .chunks_exact(2)
        .map(|pair| square([pair[0], pair[1]], rules))
        .collect();
    Move::try_new(squares?, 0).ok()
}

fn square(pair: [u8; 2], rules: &Rules) -> Option<Square> {
    let [column, row] = pair.map(|byte| byte.to_ascii_uppercase());
    let number = |byte: u8| byte.is_ascii_uppercase().then(|| byte - b'A');
    let square = Square::new(number(column)?, number(row)?);
    rules.contains(square).then_some(square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_read_back_from_their_letters() {
        let rules = Rules::CONNECT6;
        let mv = Move::full(["I9", "K11"].map(|name| name.parse().unwrap()));
        assert_eq!(write_move(&mv), "IIKK");
        assert_eq!(read_move("iikk", &rules), Some(mv));
        for text in ["", "I", "IIK", "IIII", "TT", "I1", "éé"] {
            assert_eq!(read_move(text, &rules), None, "{text}");
        }
    }
}
