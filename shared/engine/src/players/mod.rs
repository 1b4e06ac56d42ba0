//! Players of whole games.

mod beam;
mod connection_types;
mod connections;
mod defensive;
mod effort;
mod engine;
mod one_ply;
mod spec;

pub use beam::Beam;
pub use effort::{Effort, EffortError, Limit};
pub use engine::EnginePlayer;
pub use spec::{PlayerSpec, PlayerSpecError};

use std::time::Duration;

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules, State};
use gridproof_solver::Budget;
use gridproof_threats::{Shape, ThreatBoard};

use crate::adapter::AdapterError;
use crate::search::Line;

/// Chooses moves in a game. The whole game is given, for some follow the last move.
pub trait Player: std::fmt::Debug + Send {
    /// What score tables call it.
    fn name(&self) -> String;

    /// A legal move for the side to move.
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError>;

    /// As [`Player::choose`], and `report` is told the best line now and then, with the nodes so
    /// far, by players that search.
    fn choose_telling(
        &mut self,
        game: &Game,
        budget: &mut Budget<'_>,
        _report: &mut dyn FnMut(&Line, u64),
    ) -> Result<Move, PlayerError> {
        self.choose(game, budget)
    }

    /// Who chose the last move: itself, or somebody that it asks first, such as a book.
    fn author(&self) -> String {
        self.name()
    }

    /// From now on a move may take about this long by the clock. Players that do not think long
    /// pass over it.
    fn take_time(&mut self, _time: Duration) {}

    /// What it thinks of the move that it chose last, if it thinks in scores.
    fn opinion(&self) -> Option<Opinion> {
        None
    }
}

/// How good a player thinks its move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// To the side that moved; 400 is won 73 times in 100.
    pub score: i32,
    /// Turns that were looked ahead.
    pub depth: usize,
}

/// Why a player has no move.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// A side has completed a line.
    #[error("the game is over: {0} has won")]
    Won(Colour),
    /// No square is empty.
    #[error("the game is over: the board is full")]
    Drawn,
    /// It does not know what to play.
    #[error("the player finds no move")]
    NoMove,
    /// It needs two stones a turn.
    #[error("the player does not play {0}: it needs two stones a turn")]
    Rules(Rules),
    /// The budget was cancelled.
    #[error("the search was cancelled")]
    Cancelled,
    /// Another program gave no move.
    #[error("the other engine failed")]
    Other(#[from] AdapterError),
}

fn check_open(position: &Position) -> Result<(), PlayerError> {
    match position.state() {
        State::Won(colour) => Err(PlayerError::Won(colour)),
        State::Drawn => Err(PlayerError::Drawn),
        State::Open => Ok(()),
    }
}

/// A move that completes a line; stones it does not need go anywhere.
fn completing_move<S: Shape>(board: &ThreatBoard<S>, position: &Position) -> Option<Move> {
    let stones = board.completing_stones(position.to_move())?;
    let taken = stones.iter().copied().collect();
    let free = position.empties().difference(&taken);
    let fillers = free.iter().take(position.move_len() - stones.len());
    Some(Move::full(stones.into_iter().chain(fillers)))
}
