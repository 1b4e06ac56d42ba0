use std::sync::Arc;

use gridproof_game::{Colour, Position, Rules};
use gridproof_threats::{AnyShape, Connect6, Geometry, Shape, ThreatBoard};

/// The game's board, kept from move to move: making it anew costs as much as judging moves.
#[derive(Clone, Debug)]
pub(super) enum Board {
    Connect6(ThreatBoard<Connect6>),
    Any(ThreatBoard<AnyShape>),
}

impl Board {
    pub(super) fn new(rules: Rules) -> Self {
        let geometry = Arc::new(Geometry::new(rules));
        match ThreatBoard::new(Arc::clone(&geometry)) {
            Some(board) => Self::Connect6(board),
            None => Self::Any(ThreatBoard::new(geometry).expect("any rules have this shape")),
        }
    }

    /// Takes over a position.
    pub(super) fn follow(&mut self, position: &Position) {
        match self {
            Self::Connect6(board) => follow(board, position),
            Self::Any(board) => follow(board, position),
        }
    }
}

/// Places the stones that a position has more than the board; if it has others, anew.
fn follow<S: Shape>(board: &mut ThreatBoard<S>, position: &Position) {
    let is_later = Colour::BOTH
        .into_iter()
        .all(|colour| board.stones(colour).is_subset(position.stones(colour)));
    if !is_later {
        board.undo_all(board.depth());
    }
    for colour in Colour::BOTH {
        let more = position.stones(colour).difference(board.stones(colour));
        for square in more.iter() {
            board.place(square, colour);
        }
    }
}
