//! A player that judges by Connection types alone, to measure what they tell: the better of
//! its pairs of good half-moves, one ply deep.

use gridproof_game::records::Game;
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::Budget;
use gridproof_threats::patterns::Catalogue;
use gridproof_threats::{AnyBoard, Shape, ThreatBoard, with_board};

use super::connection_types::ConnectionTypes;
use super::{Player, PlayerError};
use crate::candidates::candidates;
use crate::evaluate::connection_worth;
use crate::weights::PLAY;

/// One ply by the types of the pattern-based model.
#[derive(Debug)]
pub(super) struct Connections {
    board: AnyBoard,
    types: ConnectionTypes,
}

impl Connections {
    /// A player of a game with two stones a turn.
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            board: AnyBoard::of_rules(rules),
            types: ConnectionTypes::of(&rules),
        }
    }
}

/// `board` holds the stones of `position`.
fn pick<S: Shape>(
    board: &mut ThreatBoard<S>,
    position: &Position,
    catalogue: &Catalogue,
) -> Option<Move> {
    let us = position.to_move();
    if let Some(mv) = super::completing_move(board, position) {
        return Some(mv);
    }
    let length = position.move_len();
    let list = candidates(board, us, length, PLAY.potential, PLAY.width_in_danger);
    let judged = list.into_iter().map(|candidate| {
        board.place_all(candidate.mv.stones(), us);
        let worth = connection_worth(board, us, catalogue);
        board.undo_all(candidate.mv.stones().len());
        (worth, candidate.mv)
    });
    // The first of equals: the list is sorted by the worth of its stones.
    judged
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, mv)| mv)
}

impl Player for Connections {
    fn name(&self) -> String {
        "connections".to_owned()
    }

    fn choose(&mut self, game: &Game, _: &mut Budget<'_>) -> Result<Move, PlayerError> {
        let position = game.position();
        super::check_open(position)?;
        let catalogue = self
            .types
            .catalogue()
            .ok_or(PlayerError::Rules(*position.rules()))?;
        self.board.update(position);
        let mv = with_board!(&mut self.board, |board| pick(board, position, catalogue));
        mv.ok_or(PlayerError::NoMove)
    }
}
