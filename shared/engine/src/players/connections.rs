//! A player that judges by Connection types alone, to measure what they tell: the better of
//! its pairs of good half-moves, one ply deep.

use std::sync::Arc;

use gridproof_game::records::Game;
use gridproof_game::{Move, Position, Rules};
use gridproof_solver::Budget;
use gridproof_threats::patterns::Catalogue;
use gridproof_threats::{AnyShape, Connect6, Geometry, Shape, ThreatBoard};

use super::types::Types;
use super::{Player, PlayerError};
use crate::candidates::candidates;
use crate::evaluate::connection_worth;
use crate::weights::PLAY;

/// One ply by the types of the pattern-based model.
#[derive(Debug)]
pub struct Connections {
    geometry: Arc<Geometry>,
    types: Types,
}

impl Connections {
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            geometry: Arc::new(Geometry::new(rules)),
            types: Types::of(&rules),
        }
    }

    fn pick<S: Shape>(&self, position: &Position, catalogue: &Catalogue) -> Option<Move> {
        let us = position.to_move();
        let mut board = ThreatBoard::<S>::of_position(Arc::clone(&self.geometry), position)
            .expect("the shape was chosen by the rules");
        if let Some(mv) = super::completing_move(&board, position) {
            return Some(mv);
        }
        let length = position.move_len();
        let list = candidates(&mut board, us, length, PLAY.potential, PLAY.width_in_danger);
        let judged = list.into_iter().map(|candidate| {
            board.place_all(candidate.mv.stones(), us);
            let worth = connection_worth(&board, us, catalogue);
            board.undo_all(candidate.mv.stones().len());
            (worth, candidate.mv)
        });
        // The first of equals: the list is sorted by the worth of its stones.
        judged
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, mv)| mv)
    }
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
        let mv = if Connect6::of(position.rules()).is_some() {
            self.pick::<Connect6>(position, catalogue)
        } else {
            self.pick::<AnyShape>(position, catalogue)
        };
        mv.ok_or(PlayerError::NoMove)
    }
}
