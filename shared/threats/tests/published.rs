//! Facts printed in the theses on Connect6, on the board. Their figures are not at hand, so
//! the rows are ours and the statements theirs.

use std::collections::BTreeSet;
use std::sync::Arc;

use gridproof_game::{Colour, Rules, Square};
use gridproof_threats::{Connect6, Geometry, ThreatBoard};

/// A board with a row of Black's stones `x` and White's `o` from column D on, in row 10.
fn row(text: &str) -> ThreatBoard<Connect6> {
    let mut board = ThreatBoard::new(Arc::new(Geometry::new(Rules::CONNECT6))).unwrap();
    for (stone, i) in text.chars().zip(0..) {
        match stone {
            'x' => board.place(at(i), Colour::Black),
            'o' => board.place(at(i), Colour::White),
            _ => {}
        }
    }
    board
}

fn at(i: u8) -> Square {
    Square::new(3 + i, 9)
}

/// The minimal blocks of a row, as places in its text.
fn blocks(text: &str) -> BTreeSet<Vec<u8>> {
    let place = |square: &Square| square.column() - 3;
    row(text)
        .minimal_blocks(Colour::Black)
        .iter()
        .map(|set| set.iter().map(place).collect())
        .collect()
}

fn sets<const N: usize>(sets: [&[u8]; N]) -> BTreeSet<Vec<u8>> {
    sets.into_iter().map(<[u8]>::to_vec).collect()
}

fn threats(text: &str) -> Option<u32> {
    row(text).threat_number(Colour::Black)
}

/// Lin's thesis, 1.2, and the defence thesis, 4.1: t threats are those that t stones block.
#[test]
fn line_patterns_have_one_two_and_three_threats() {
    for text in ["oxxxx...", "..xx.xx..o", "ox.xxx.o", "oxxxxx.o"] {
        assert_eq!(threats(text), Some(1), "{text}");
    }
    for text in ["..xxxx..", ".xxxxx.", "..x.xxx.x.."] {
        assert_eq!(threats(text), Some(2), "{text}");
    }
    for text in ["..xxxx.xxxx..", ".xxxx..xxxx.", "xxx.xx..xx.xxx"] {
        assert_eq!(threats(text), Some(3), "{text}");
    }
    assert_eq!(threats("oxxx.....o"), Some(0));
}

/// Lin's thesis, 1.2: a segment with four or five stones of a side alone is a threat, and who
/// fills it wins.
#[test]
fn an_active_segment_with_four_or_five_stones_is_a_threat() {
    for (text, is_threat) in [
        ("oxxxx..o", true),
        ("ox.xxxxo", true),
        ("oxxx...o", false),
        ("oxxxx.oo", false),
    ] {
        let board = row(text);
        assert_eq!(board.can_complete(Colour::Black), is_threat, "{text}");
        assert!(!board.can_complete(Colour::White));
    }
    let won = row("xxxxxx");
    assert!(won.has_completed(Colour::Black));
    assert_eq!(won.threat_number(Colour::Black), None);
}

/// Lin's thesis, Figure 2: A alone is a normal critical defence, B with C a relaxed one, and
/// A with B is none, as B could be left out.
#[test]
fn one_threat_may_have_a_normal_and_a_relaxed_defence() {
    // B = 1, A = 4, C = 7.
    assert_eq!(blocks("o.xx.xx.o"), sets([&[4], &[1, 7]]));
}

/// Lin's thesis, 1.2: without a threat the null move is the only critical defence.
#[test]
fn without_a_threat_nothing_is_what_blocks() {
    assert_eq!(blocks("..xxx..."), sets([&[]]));
}

/// The defence thesis, Figures 4.2 and 4.4: a live four has two threats, and playing all
/// defences at once takes four stones.
#[test]
fn a_live_four_is_defended_on_four_squares() {
    let blocks = blocks("..xxxx..");
    assert_eq!(blocks, sets([&[1, 6], &[1, 7], &[0, 6]]));
    let squares: BTreeSet<u8> = blocks.into_iter().flatten().collect();
    assert_eq!(squares, BTreeSet::from([0, 1, 6, 7]));
}

/// The defence thesis, Figure 4.5: a live five is blocked next to the stones on both sides;
/// the squares farther out are no defence with any other.
#[test]
fn a_live_five_has_no_defence_farther_out() {
    assert_eq!(blocks("..xxxxx.."), sets([&[1, 7]]));
}

/// The defence thesis, on Figure 4.6: a dead four has one threat, and the square between the
/// white stone and the black ones, though a window marks it, defends nothing alone.
#[test]
fn a_dead_four_is_defended_on_its_open_side() {
    assert_eq!(threats("o.xxxx.."), Some(1));
    assert_eq!(blocks("o.xxxx.."), sets([&[6], &[1, 7]]));
}

/// The defence thesis, 4.1: a double threat takes both stones of the defender, and three
/// threats win.
#[test]
fn three_threats_cannot_be_blocked() {
    assert!(blocks("..xxxx.xxxx..").is_empty());
    assert!(blocks("..xxxx..").iter().all(|set| set.len() == 2));
}

/// Lin's thesis, 1.2: one player clearly wins by a move with at least three threats. Two threes
/// with three squares between become such with two stones, and with no single one.
#[test]
fn a_triple_threat_move_leaves_nothing_that_blocks() {
    let board = row("..xxx...xxx..");
    let attacks = board.attacks(Colour::Black, 3);
    let between = [at(5), at(7)];
    assert!(attacks.iter().any(|attack| attack.stones[..] == between));
    for attack in &attacks {
        assert_eq!((attack.stones.len(), attack.threats), (2, 3));
        let blocks = board.minimal_blocks_after(Colour::Black, &attack.stones);
        assert!(blocks.is_empty(), "{attack:?}");
    }
}
