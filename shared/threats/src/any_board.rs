use std::sync::Arc;

use gridproof_game::{Position, Rules};

use crate::board::ThreatBoard;
use crate::geometry::Geometry;
use crate::shape::{AnyShape, Connect6};

/// The board of a game whose shape is known at run time alone. This is the one place that
/// chooses between shapes; [`with_board!`](crate::with_board) gives the board its type back.
#[derive(Clone, Debug)]
pub enum AnyBoard {
    /// With k = 6 and p = 2 known to the compiler.
    Connect6(ThreatBoard<Connect6>),
    /// With k and p read from the rules.
    Other(ThreatBoard<AnyShape>),
}

/// Evaluates an expression with the [`ThreatBoard`] of an [`AnyBoard`], which may be owned or
/// borrowed. The expression is compiled once for each shape, so generic code stays as fast as
/// if the shape had been written out.
///
/// ```
/// # use std::sync::Arc;
/// # use gridproof_game::{Colour, Rules};
/// use gridproof_threats::{AnyBoard, Geometry, Shape, ThreatBoard, with_board};
///
/// fn threats<S: Shape>(board: &ThreatBoard<S>, colour: Colour) -> usize {
///     board.threat_segments(colour).count()
/// }
///
/// let board = AnyBoard::new(Arc::new(Geometry::new(Rules::CONNECT6)));
/// assert_eq!(with_board!(&board, |board| threats(board, Colour::Black)), 0);
/// ```
#[macro_export]
macro_rules! with_board {
    ($any:expr, |$board:pat_param| $body:expr) => {
        match $any {
            $crate::AnyBoard::Connect6($board) => $body,
            $crate::AnyBoard::Other($board) => $body,
        }
    };
}

impl AnyBoard {
    /// An empty board.
    #[must_use]
    pub fn new(geometry: Arc<Geometry>) -> Self {
        match ThreatBoard::new(Arc::clone(&geometry)) {
            Some(board) => Self::Connect6(board),
            None => Self::Other(ThreatBoard::new(geometry).expect("any rules have this shape")),
        }
    }

    /// An empty board of a game.
    #[must_use]
    pub fn of_rules(rules: Rules) -> Self {
        Self::new(Arc::new(Geometry::new(rules)))
    }

    /// A board with the stones of a position. They cannot be undone.
    #[must_use]
    pub fn of_position(geometry: Arc<Geometry>, position: &Position) -> Self {
        let mut board = Self::new(geometry);
        board.update(position);
        board
    }

    /// See [`ThreatBoard::update`].
    pub fn update(&mut self, position: &Position) {
        with_board!(self, |board| board.update(position));
    }
}
