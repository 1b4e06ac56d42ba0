//! What is assumed of records that people bring.

use gridproof_game::records::{RowsFrom, assumed_rows};

use super::output;

/// Says from where the rows of a record were counted if it could mean either.
pub(super) fn note_rows(record: &[u8]) {
    let words = match assumed_rows(record) {
        Some(RowsFrom::Top) => {
            "small letters, and no GM: rows are taken to count from the top, as SGF has it. If \
             they count from the bottom, say `gridproof convert --rows bottom` first"
        }
        Some(RowsFrom::Bottom) => {
            "capital letters: rows are taken to count from the bottom, as engines for Connect6 \
             have it. If they count from the top, say `gridproof convert --rows top` first"
        }
        None => return,
    };
    if !output::is_quiet() {
        eprintln!("note: the record could be read both ways up. Its squares are in {words}.");
    }
}
