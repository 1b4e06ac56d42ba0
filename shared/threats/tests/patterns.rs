//! The catalogue of Connections against a slow reading of the paper's definitions, and the
//! counts that those imply.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gridproof_game::{Colour, Rules, Square};
use gridproof_threats::patterns::{Catalogue, Connection, ConnectionType};
use gridproof_threats::{AnyShape, Geometry, ThreatBoard};
use proptest::prelude::*;

use ConnectionType::*;

fn connection(length: u8, stones: u32) -> Connection {
    Connection {
        start: 0,
        length,
        stones,
    }
}

/// A shape as text: `x` for a stone, `.` for an empty square.
fn shape(text: &str) -> Connection {
    let stones = text.chars().zip(0..).filter(|(c, _)| *c == 'x');
    connection(
        text.len() as u8,
        stones.fold(0, |mask, (_, i)| mask | 1 << i),
    )
}

/// All shapes of the lengths that the catalogue of Connect6 has.
fn all_shapes(lengths: std::ops::RangeInclusive<u8>) -> impl Iterator<Item = Connection> {
    lengths.flat_map(|length| (0..1 << length).map(move |stones| connection(length, stones)))
}

/// The paper's definitions word by word, on an array of squares.
mod slow {
    use super::*;

    fn windows(squares: &[bool], k: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let stones = |window: &[bool]| window.iter().filter(|stone| **stone).count();
        squares.windows(k).map(stones).enumerate()
    }

    fn best(squares: &[bool], k: usize) -> usize {
        windows(squares, k).map(|(_, stones)| stones).max().unwrap()
    }

    /// The sliding window method: a window with too few empty squares that holds no mark is
    /// a threat, and its rightmost empty square is marked.
    fn threats(squares: &[bool], k: usize) -> usize {
        let mut marked = vec![false; squares.len()];
        let mut threats = 0;
        for (start, stones) in windows(squares, k) {
            let window = start..start + k;
            if stones >= k - 2 && !marked[window.clone()].contains(&true) {
                threats += 1;
                let rightmost = window.rev().find(|i| !squares[*i]).unwrap();
                marked[rightmost] = true;
            }
        }
        threats
    }

    fn with_one_more(squares: &[bool]) -> impl Iterator<Item = Vec<bool>> + '_ {
        let empties = (0..squares.len()).filter(|i| !squares[*i]);
        empties.map(|i| {
            let mut more = squares.to_vec();
            more[i] = true;
            more
        })
    }

    fn live(squares: &[bool], k: usize, missing: usize) -> bool {
        best(squares, k) == k - missing && threats(squares, k) == 2
    }

    pub(super) fn classify(squares: &[bool], k: usize) -> ConnectionType {
        let one_more = |test: &dyn Fn(&[bool]) -> bool| with_one_more(squares).any(|s| test(&s));
        let two_more = |test: &dyn Fn(&[bool]) -> bool| {
            with_one_more(squares).any(|s| with_one_more(&s).any(|s| test(&s)))
        };
        match k - best(squares, k) {
            0 => Win,
            1 => match threats(squares, k) {
                1 => Dead5,
                2 => Live5,
                _ => DefinitelyWin,
            },
            2 => match threats(squares, k) {
                1 if one_more(&|s| live(s, k, 1)) => Sleep4,
                1 => Dead4,
                2 => Live4,
                _ => DefinitelyWin,
            },
            3 if one_more(&|s| live(s, k, 2)) => Live3,
            3 if two_more(&|s| live(s, k, 1)) => Sleep3,
            3 => Dead3,
            4 if two_more(&|s| live(s, k, 2)) => Live2,
            _ => Other,
        }
    }

    pub(super) fn type_of(connection: &Connection, k: usize) -> ConnectionType {
        let squares: Vec<bool> = (0..connection.length)
            .map(|i| connection.stones >> i & 1 == 1)
            .collect();
        classify(&squares, k)
    }
}

#[test]
fn every_short_connection_has_the_type_that_the_definitions_give() {
    let catalogue = Catalogue::connect6();
    for connection in all_shapes(6..=12) {
        let expected = slow::type_of(&connection, 6);
        assert_eq!(catalogue.type_of(&connection), expected, "{connection:?}");
    }
}

#[test]
fn the_definitions_carry_over_to_other_rows_with_two_stones_a_turn() {
    for k in [4, 5, 7] {
        let rules = Rules::new(11, 11, k, 2, 1).unwrap();
        let catalogue = Catalogue::new(&rules).unwrap();
        for connection in all_shapes(k as u8..=10) {
            let expected = slow::type_of(&connection, k as usize);
            assert_eq!(catalogue.type_of(&connection), expected, "{connection:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_long_connection_has_the_type_that_the_definitions_give(
        length in 13u8..=32,
        stones: u32,
        fewer: u32,
        fewest: u32,
    ) {
        let catalogue = Catalogue::connect6();
        for stones in [stones & fewer, stones & fewer & fewest] {
            let connection = connection(length, stones & (u32::MAX >> (32 - length)));
            prop_assert_eq!(catalogue.type_of(&connection), slow::type_of(&connection, 6));
        }
    }
}

/// Section 3.1: 2^6 + 2^7 + ... + 2^19 = 2^20 - 2^6.
#[test]
fn the_catalogue_of_connect6_has_1_048_512_entries() {
    assert_eq!(Catalogue::connect6().len(), 1_048_512);
}

#[test]
fn the_types_of_all_shapes_number_as_the_table_in_the_documentation_says() {
    let catalogue = Catalogue::connect6();
    let mut counts = BTreeMap::new();
    for connection in all_shapes(6..=19) {
        *counts.entry(catalogue.type_of(&connection)).or_insert(0) += 1;
    }
    let expected = [
        (Other, 5_239),
        (Live2, 14_425),
        (Dead3, 4_892),
        (Sleep3, 52_379),
        (Live3, 86_913),
        (Dead4, 31_764),
        (Sleep4, 170_036),
        (Live4, 149_319),
        (Dead5, 45_952),
        (Live5, 181_781),
        (DefinitelyWin, 192_916),
        (Win, 112_896),
    ];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
}

/// Of the strings of n bits, those without six ones in a row follow the sum of the six before.
#[test]
fn shapes_that_have_won_number_as_runs_in_strings_do() {
    let catalogue = Catalogue::connect6();
    let mut without: Vec<u32> = vec![1, 2, 4, 8, 16, 32];
    for length in 6..=19u8 {
        let next = without.iter().rev().take(6).sum();
        without.push(next);
        let won = (0..1 << length)
            .filter(|stones| catalogue.type_of(&connection(length, *stones)) == Win)
            .count() as u32;
        assert_eq!(won, (1 << length) - next);
    }
}

#[test]
fn a_stone_more_promotes_as_the_table_in_the_documentation_says_and_never_demotes() {
    let catalogue = Catalogue::connect6();
    let mut promotions: BTreeSet<(ConnectionType, ConnectionType)> = BTreeSet::new();
    for connection in all_shapes(6..=16) {
        let now = catalogue.type_of(&connection);
        for offset in (0..connection.length).filter(|i| connection.stones >> i & 1 == 0) {
            let then = catalogue.type_of(&connection.with_stone(offset));
            assert!(then >= now);
            if then > now {
                promotions.insert((now, then));
            }
        }
    }
    let expected = [
        (Other, vec![Live2, Dead3, Sleep3]),
        (Live2, vec![Dead3, Sleep3, Live3]),
        (Dead3, vec![Sleep3, Live3, Dead4]),
        (Sleep3, vec![Live3, Dead4, Sleep4]),
        (Live3, vec![Dead4, Sleep4, Live4]),
        (Dead4, vec![Sleep4, Live4, Dead5, DefinitelyWin]),
        (Sleep4, vec![Live4, Dead5, Live5, DefinitelyWin]),
        (Live4, vec![Live5, DefinitelyWin]),
        (Dead5, vec![Live5, DefinitelyWin, Win]),
        (Live5, vec![DefinitelyWin, Win]),
        (DefinitelyWin, vec![Win]),
    ];
    let expected: BTreeSet<_> = expected
        .into_iter()
        .flat_map(|(from, to)| to.into_iter().map(move |to| (from, to)))
        .collect();
    assert_eq!(promotions, expected);
}

/// The two rules that the paper reads off its Figure 3.
#[test]
fn dead_is_worse_than_sleeping_is_worse_than_live_and_more_stones_are_better() {
    assert!(Dead3 < Sleep3 && Sleep3 < Live3 && Dead4 < Sleep4 && Sleep4 < Live4);
    assert!(Dead5 < Live5 && Live2 < Live3 && Live3 < Live4 && Live4 < Live5);
    assert!(Dead3 < Dead4 && Dead4 < Dead5 && Sleep3 < Sleep4);
    assert!(ConnectionType::ALL.is_sorted());
}

#[test]
fn a_connection_is_worth_the_same_from_both_ends() {
    let catalogue = Catalogue::connect6();
    for connection in all_shapes(6..=16) {
        let mut reversed = connection;
        reversed.stones = connection.stones.reverse_bits() >> (32 - connection.length);
        assert_eq!(catalogue.type_of(&connection), catalogue.type_of(&reversed));
    }
}

#[test]
fn patterns_have_the_types_they_are_known_by() {
    let catalogue = Catalogue::connect6();
    for (text, kind) in [
        (".xxxxxx.", Win),
        ("..xxxx.xxxx..", DefinitelyWin),
        (".xxxxx.", Live5),
        ("..xxxxx", Dead5),
        ("..xxxx..", Live4),
        (".xxxx..", Sleep4),
        ("xxxx..", Dead4),
        ("..xxx...", Live3),
        ("..xxx..", Sleep3),
        ("xxx...", Dead3),
        ("...xx...", Live2),
        ("xx....", Other),
        ("......", Other),
        ("x...xx..xx", Dead4),
    ] {
        assert_eq!(catalogue.type_of(&shape(text)), kind, "{text}");
    }
}

#[test]
fn a_game_with_another_number_of_stones_a_turn_is_refused_with_the_reason() {
    let go_moku = Rules::new(15, 15, 5, 1, 1).unwrap();
    let refusal = Catalogue::new(&go_moku).unwrap_err().to_string();
    assert!(
        refusal.contains("two stones a turn") && refusal.contains("Connect(15,15,5,1,1) has 1")
    );
}

#[test]
fn no_connection_is_too_short_or_too_long_to_ask_about() {
    let catalogue = Catalogue::new(&Rules::new(9, 9, 6, 2, 1).unwrap()).unwrap();
    assert_eq!(catalogue.type_of(&shape("xxx")), Other);
    assert_eq!(catalogue.type_of(&shape("..xxxx.............")), Live4);
    assert!(
        Catalogue::new(&Rules::new(5, 5, 6, 2, 1).unwrap())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn the_lines_of_a_board_fall_into_connections_of_both_sides() {
    let rules = Rules::new(11, 8, 5, 2, 1).unwrap();
    let mut board = ThreatBoard::<AnyShape>::new(Arc::new(Geometry::new(rules))).unwrap();
    let count = |board: &ThreatBoard<AnyShape>, colour| -> usize {
        let lines = board.geometry().lines();
        lines
            .map(|line| board.connections(line, colour).count())
            .sum()
    };
    let empty = count(&board, Colour::Black);
    assert_eq!(empty, board.geometry().line_count());
    // In the middle of a row of 11 a stone leaves two Connections of five, and on the other
    // lines through it, of eight squares, none or one.
    board.place(Square::new(5, 3), Colour::Black);
    assert_eq!(count(&board, Colour::Black), empty);
    assert_eq!(count(&board, Colour::White), empty + 1 - 3);
}

#[test]
fn a_row_longer_than_any_line_is_never_won() {
    let full = connection(32, u32::MAX);
    for (k, kind) in [(32, Win), (33, Other), (40, Other)] {
        let catalogue = Catalogue::new(&Rules::new(32, 32, k, 2, 1).unwrap()).unwrap();
        assert_eq!(catalogue.type_of(&full), kind, "k = {k}");
    }
}
