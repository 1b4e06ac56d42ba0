use gridproof_game::{Colour, Move, Square};

use crate::supported::UnsupportedRules;

/// Why a proof is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum HoldRefusal {
    #[error("the game is over at the start: there is nothing to hold")]
    Over,
    #[error("the proof is empty")]
    Empty,
    #[error("node {0} is not part of the proof: nothing leads there")]
    Unreached(usize),
    #[error("node {node} links to {link}, which must be an earlier one")]
    Link { node: usize, link: u32 },
    #[error("two ways lead to node {0} from different positions")]
    OtherPosition(usize),
    #[error("node {node} is a turn of {expected}, and {found} is to move, {position}")]
    WrongSide {
        node: usize,
        expected: Colour,
        found: Colour,
        position: String,
    },
    #[error("node {node}: {mv} is no legal move, {position}")]
    Illegal {
        node: usize,
        mv: Move,
        position: String,
    },
    #[error("node {node}: {mv} does not complete a line, {position}")]
    CompletesNothing {
        node: usize,
        mv: Move,
        position: String,
    },
    #[error("node {node}: the proof goes on after {mv} has completed a line")]
    GoesOnAfterCompletion { node: usize, mv: Move },
    #[error("node {node}: the opponent completes a line with {mv}, {position}")]
    OpponentWins {
        node: usize,
        mv: Move,
        position: String,
    },
    #[error("node {node}: the opponent's move {mv} is not answered, {position}")]
    Unanswered {
        node: usize,
        mv: Move,
        position: String,
    },
    #[error("node {node}: the opponent's move {mv} is listed twice")]
    ListedTwice { node: usize, mv: Move },
    #[error("node {node}: {square} belongs to two groups, or is no empty square of the board")]
    GroupSquare { node: usize, square: Square },
    #[error("node {node}: a group of {found} squares, and {needed} are needed")]
    GroupSize {
        node: usize,
        found: usize,
        needed: usize,
    },
    #[error("node {node}: no group lies on {from} to {to}, {position}")]
    Unpaired {
        node: usize,
        from: Square,
        to: Square,
        position: String,
    },
    #[error("node {0}: no pairing can begin before a first turn of more stones than a usual one")]
    FirstTurn(usize),
    #[error(transparent)]
    Unsupported(#[from] UnsupportedRules),
}
