//! What goes into an engine, and what comes out.

use gridproof_game::{Colour, Move, PlayError, Position, Rules};
use gridproof_solver::Win;

/// What is asked of an engine. How long it may take is the business of the budget that is
/// handed over beside it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The side to move is the one that looks for a win.
    pub position: &'a Position,
    /// Moves that are not wanted, for they were suggested before. Their mirror images are
    /// left out as well, where the position has a mirror image of its own.
    pub excluded: &'a [Move],
    /// What is worth looking for.
    pub goal: Goal,
}

/// What is worth looking for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A win or nothing: the whole budget goes into the search for one. Of 1,950 positions that
    /// fell to the solver nine tenths did so with a third of the nodes; and of 1,970 that
    /// resisted it, and were not proved later, 1,530 were never returned to, so that ranking
    /// their moves was for nothing.
    Win,
    /// A win, or the best moves. The engine decides how many it names: ranking them is what
    /// costs.
    Moves,
}

/// What an engine found out about a position.
#[derive(Clone, Debug)]
pub enum SearchResult {
    /// The side to move wins, and this proves it.
    Won(Box<Win>),
    /// The best moves that are not excluded, best first; at least one.
    Moves(Vec<Suggestion>),
    /// Every move worth a try is excluded.
    NoMoves,
    /// No win was found, and nothing else was asked for.
    Unknown,
}

/// A move, and what is thought of the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The move.
    pub mv: Move,
    /// How good it looks.
    pub status: Status,
}

/// How good a position looks to the side that has just moved. An opinion only: nothing is proved
/// by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// That side wins, as far as a short look can tell.
    AlmostWon,
    /// It stands much better.
    Strong3,
    /// It stands better.
    Strong2,
    /// It stands a little better.
    Strong1,
    /// Nobody has anything at hand.
    Quiet,
    /// Both have something at hand.
    Unclear,
    /// The other side wins, as far as a short look can tell.
    AlmostLost,
}

/// Why an engine has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// A side has completed a line.
    #[error("the game is over: {0} has won")]
    Won(Colour),
    /// No square is empty.
    #[error("the game is over: the board is full")]
    Drawn,
    /// An excluded move breaks the rules.
    #[error("the excluded move {mv} is no legal move here: {reason}")]
    Excluded {
        /// The move.
        mv: Move,
        /// Which rule it breaks.
        reason: PlayError,
    },
    /// An excluded move places null stones.
    #[error("the excluded move {0} places null stones: name moves that can be played")]
    ExcludedNull(Move),
    /// The position is of another game.
    #[error("this engine plays {ours}, not {theirs}: start another for that game")]
    Rules {
        /// The engine's game.
        ours: Rules,
        /// The position's game.
        theirs: Rules,
    },
    /// The budget was cancelled.
    #[error("the search was cancelled")]
    Cancelled,
}
