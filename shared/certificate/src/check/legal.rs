//! Whether a proof may begin here, and whether a move may be played.

use gridproof_game::{Colour, Move, Square, State};

use super::Claim;
use super::board::{Board, Side};
use super::guard::{Guard, Guards};
use super::refusal::Reason;
use crate::supported::supports;

/// The start of a proof must be a position where the game goes on.
pub(crate) fn check_start(Claim { start, attacker }: &Claim) -> Result<(), Reason> {
    supports(start.rules())?;
    if start.stone_count() == 0 && start.to_move() == Colour::White {
        return Err(Reason::ImpossibleStart);
    }
    match start.state() {
        State::Open => Ok(()),
        State::Won(winner) if winner == *attacker => Err(Reason::AttackerHasWon),
        State::Won(_) => Err(Reason::DefenderHasWon),
        State::Drawn => Err(Reason::BoardFills),
    }
}

/// The attacker plays real stones, as many as the turn has.
pub(crate) fn check_attack(board: &Board, mv: &Move, guards: Guards) -> Result<(), Reason> {
    if guards.hold(Guard::AttackerPlacesItsStones) {
        if !mv.is_full() {
            return Err(Reason::NullStonesOfAttacker(mv.clone()));
        }
        check_length(board, Side::Attacker, mv)?;
    }
    check_squares(board, Side::Attacker, mv)
}

/// The defender may leave out stones.
pub(crate) fn check_reply(board: &Board, mv: &Move) -> Result<(), Reason> {
    check_length(board, Side::Defender, mv)?;
    check_squares(board, Side::Defender, mv)
}

fn check_length(board: &Board, side: Side, mv: &Move) -> Result<(), Reason> {
    let expected = board.turn_length(side).min(board.empty_count());
    if mv.len() == expected {
        return Ok(());
    }
    Err(Reason::StoneCount {
        side: board.colour(side),
        mv: mv.clone(),
        expected,
    })
}

fn check_squares(board: &Board, side: Side, mv: &Move) -> Result<(), Reason> {
    let taken = |square: &&Square| !board.is_empty_at(**square);
    match mv.stones().iter().find(taken) {
        None => Ok(()),
        Some(&square) => Err(Reason::Taken {
            side: board.colour(side),
            mv: mv.clone(),
            square,
        }),
    }
}
