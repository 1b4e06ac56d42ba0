//! Those who play whole games.

mod beam;
mod board;
mod connections;
mod defensive;
mod spec;
mod strong;
mod types;

pub use beam::Beam;
pub use connections::Connections;
pub use defensive::Defensive;
pub use spec::{PlayerSpec, PlayerSpecError};
pub use strong::Strong;

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules, State};
use gridproof_solver::Budget;
use gridproof_threats::{Shape, ThreatBoard};

use crate::adapter::AdapterError;

/// Chooses moves in a game. The whole game is given, for some follow the last move.
pub trait Player: std::fmt::Debug + Send {
    /// What score tables call it.
    fn name(&self) -> String;

    /// A legal move for the side to move.
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError>;
}

/// Why a player has no move.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    #[error("the game is over: {0} has won")]
    Won(Colour),
    #[error("the game is over: the board is full")]
    Drawn,
    #[error("the player finds no move")]
    NoMove,
    #[error("the player does not play {0}: it needs two stones a turn")]
    Rules(Rules),
    #[error("the search was cancelled")]
    Cancelled,
    #[error("the other engine failed: {0}")]
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
