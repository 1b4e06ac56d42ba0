//! What a type shows, it reads back.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use gridproof_game::{Colour, Move, ParseMoveError, Rules, Square};
use proptest::prelude::*;

mod strategies;
use strategies::{colour, mv, rules, square};

fn reads_back<T: Display + FromStr<Err: Debug> + Debug + PartialEq>(value: &T) {
    for text in [
        value.to_string(),
        value.to_string().to_lowercase(),
        value.to_string().to_uppercase(),
    ] {
        assert_eq!(&text.parse::<T>().unwrap(), value, "{text}");
    }
}

proptest! {
    #[test]
    fn colours_squares_moves_and_rules_read_back(
        colour in colour(), square in square(), mv in mv(), rules in rules(),
    ) {
        reads_back(&colour);
        reads_back(&square);
        reads_back(&mv);
        reads_back(&rules);
    }

    #[test]
    fn no_text_breaks_a_parser_and_what_is_read_reads_back(text in "\\PC{0,12}|[A-Sa-s0-9, -]{0,12}") {
        if let Ok(colour) = text.parse::<Colour>() { reads_back(&colour) }
        if let Ok(square) = text.parse::<Square>() { reads_back(&square) }
        if let Ok(mv) = text.parse::<Move>() { reads_back(&mv) }
        if let Ok(rules) = text.parse::<Rules>() { reads_back(&rules) }
    }
}

#[test]
fn a_move_takes_stones_in_any_order_with_spaces_or_commas() {
    let mv: Move = "K11 L10".parse().unwrap();
    for text in ["l10,k11", " L10 , K11 ", "K11\nL10"] {
        assert_eq!(text.parse(), Ok(mv.clone()), "{text}");
    }
    assert_eq!("- k11".parse::<Move>().unwrap().to_string(), "K11 -");
}

#[test]
fn what_is_no_move_or_colour_is_refused_with_what_to_write() {
    let refusal = |text: &str| text.parse::<Move>().unwrap_err().to_string();
    assert_eq!(
        refusal("k11,k11"),
        "K11 is named twice: a move takes each square once"
    );
    let words = "like J10, or - for a null stone";
    assert!(
        refusal("k11 pass").ends_with(words),
        "{}",
        refusal("k11 pass")
    );
    assert_eq!(
        "- ".repeat(256).parse::<Move>(),
        Err(ParseMoveError::Nulls(256))
    );
    let error = "red".parse::<Colour>().unwrap_err().to_string();
    assert_eq!(error, "\"red\" is no colour: write black or white");
    assert_eq!("w".parse(), Ok(Colour::White));
    assert!("".parse::<Colour>().is_err());
}
