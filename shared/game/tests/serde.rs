//! The stored forms: they read back, and their bytes stay as stores on disk have them.

use std::fmt::Debug;

use gridproof_game::{Colour, Move, Position, Rules, Square, Symmetry};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

mod strategies;
use strategies::{colour, mv, position, rules, square};

fn reads_back<T: Serialize + DeserializeOwned + Debug + PartialEq>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    let bytes = postcard::to_stdvec(value).unwrap();
    assert_eq!(
        &postcard::from_bytes::<T>(&bytes).unwrap(),
        value,
        "{bytes:?}"
    );
}

fn bytes<T: Serialize>(value: T) -> Vec<u8> {
    postcard::to_stdvec(&value).unwrap()
}

fn json<T: Serialize>(value: T) -> String {
    serde_json::to_string(&value).unwrap()
}

proptest! {
    #[test]
    fn all_types_read_back_from_text_and_bytes(
        colour in colour(), square in square(), mv in mv(), rules in rules(), position in position(),
    ) {
        reads_back(&colour);
        reads_back(&square);
        reads_back(&mv);
        reads_back(&rules);
        reads_back(&position);
    }

    #[test]
    fn no_bytes_break_a_reader(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
        let _ = postcard::from_bytes::<Colour>(&bytes);
        let _ = postcard::from_bytes::<Square>(&bytes);
        let _ = postcard::from_bytes::<Move>(&bytes);
        let _ = postcard::from_bytes::<Rules>(&bytes);
        let _ = postcard::from_bytes::<Symmetry>(&bytes);
        let _ = postcard::from_bytes::<Position>(&bytes);
    }
}

#[test]
fn people_read_names() {
    let mv: Move = "K11 -".parse().unwrap();
    let position = Position::start("tictactoe".parse().unwrap()).after(&"B2".parse().unwrap());
    assert_eq!(json(Colour::Black), "\"Black\"");
    assert_eq!(json(mv), "\"K11 -\"");
    assert_eq!(
        json(position),
        r#"{"rules":"Connect(3,3,3,1,1)","black":["B2"],"white":[],"to_move":"White"}"#
    );
}

#[test]
fn machines_read_a_few_bytes() {
    let at = |name: &str| name.parse::<Square>().unwrap();
    assert_eq!(bytes(Colour::White), [1, b'W']);
    assert_eq!(
        bytes(at("D5")),
        [131, 1],
        "row 4 and column 3 are index 131, in seven bits a byte"
    );
    assert_eq!(bytes(Move::new([at("D1"), at("D5")], 1)), [2, 3, 131, 1, 1]);
    assert_eq!(bytes(Rules::CONNECT6), [19, 19, 6, 2, 1]);
    assert_eq!(bytes(Symmetry::IDENTITY), [0]);
    let position = Position::start(Rules::CONNECT6).after(&Move::full([at("D1")]));
    assert_eq!(bytes(position), [19, 19, 6, 2, 1, 1, 3, 0, 1, b'W']);
}

#[test]
fn stored_values_that_break_a_rule_are_refused() {
    assert!(
        postcard::from_bytes::<Square>(&[0x80, 8]).is_err(),
        "index 1024"
    );
    assert!(
        postcard::from_bytes::<Move>(&[2, 3, 3, 0]).is_err(),
        "a square twice"
    );
    assert!(postcard::from_bytes::<Rules>(&[33, 19, 6, 2, 1]).is_err());
    assert!(postcard::from_bytes::<Symmetry>(&[8]).is_err());
    let error = serde_json::from_str::<Rules>("\"renju\"").unwrap_err();
    assert!(
        error.to_string().starts_with("\"renju\" is no game"),
        "{error}"
    );
    let two_on_one = [19, 19, 6, 2, 1, 1, 3, 1, 3, 1, b'W'];
    assert!(postcard::from_bytes::<Position>(&two_on_one).is_err());
}
