//! Moves in answers and orders, read against the position that they are played in.

use gridproof_game::{Colour, Move, Position, State};

use crate::fact::Child;
use crate::key::NodeKey;
use crate::numbers::Status;
use crate::stats::IgnoreReason;

pub(super) enum Reply {
    /// The defender completes a line or fills the board: no attacker wins after that.
    EndsTheGame,
    Leads(Child),
}

pub(super) fn reply(
    position: &Position,
    mv: &Move,
    attacker: Colour,
) -> Result<Reply, IgnoreReason> {
    let mut next = position.clone();
    match next.play(mv) {
        Err(_) => Err(IgnoreReason::IllegalMove),
        Ok(State::Won(_) | State::Drawn) => Ok(Reply::EndsTheGame),
        Ok(State::Open) => {
            let status = Status::of_open_reply(mv);
            Ok(Reply::Leads(child(&next, mv, attacker, status)))
        }
    }
}

/// A move of the side to move, who is the attacker.
pub(super) fn attack(
    position: &Position,
    mv: &Move,
    status: Status,
) -> Result<Child, IgnoreReason> {
    let mut next = position.clone();
    if !mv.is_full() {
        return Err(IgnoreReason::IllegalMove);
    }
    match next.play(mv) {
        Err(_) => Err(IgnoreReason::IllegalMove),
        Ok(State::Won(_) | State::Drawn) => Err(IgnoreReason::EndsTheGame),
        Ok(State::Open) => Ok(child(&next, mv, position.to_move(), status)),
    }
}

fn child(after: &Position, mv: &Move, attacker: Colour, status: Status) -> Child {
    let (key, _, symmetry) = NodeKey::of(after, attacker);
    Child {
        mv: mv.clone(),
        key,
        symmetry: symmetry.index(),
        status,
    }
}
