//! The attacker to move: the zone of the position before its move.

use gridproof_game::{Move, Square};

use super::board::{Board, Side};
use super::defence::Stones;
use super::guard::{Guard, Guards};
use super::zone::Zone;

/// The zone before a move that does not complete a line, from that of the position after it.
pub(crate) fn zone_before(mv: &Move, mut after: Zone, guards: Guards) -> Zone {
    if guards.hold(Guard::AttackSquaresStayFree) {
        after.keep_free(mv.stones().iter().copied());
    }
    after
}

/// The zone before a move that completes a line; the move is on the board and is taken back.
/// Of the lines that it completes the one with the fewest new stones counts: its other
/// stones might as well lie anywhere else.
pub(crate) fn take_back_completion(board: &mut Board, mv: &Move, guards: Guards) -> Zone {
    let on_line = |line| {
        let squares = board.squares_of(line);
        let is_on = move |square: &Square| squares.contains(square);
        mv.stones().iter().copied().filter(is_on)
    };
    let lines = mv
        .stones()
        .iter()
        .flat_map(|&square| board.completed_through(Side::Attacker, square));
    let needed: Stones = match lines.min_by_key(|&line| on_line(line).count()) {
        Some(line) => on_line(line).collect(),
        // A completion that is none, in a test that breaks that guard.
        None => mv.stones().into(),
    };
    for &square in mv.stones() {
        if !needed.contains(&square) {
            board.remove(Side::Attacker, square);
        }
    }
    let mut zone = match guards.hold(Guard::CompletionLimits) {
        true => Zone::of_completion(board),
        false => Zone::boundless(board),
    };
    if guards.hold(Guard::CompletionSquaresStayFree) {
        zone.keep_free(needed.iter().copied());
    }
    for square in needed {
        board.remove(Side::Attacker, square);
    }
    zone
}
