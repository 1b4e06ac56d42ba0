use std::fmt;

use gridproof_game::{Colour, Move, Square};

use crate::event::{GrammarError, SharedId};
use crate::supported::UnsupportedRules;

/// A proof that does not hold, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The moves from the start to the node at fault.
    pub path: Vec<Move>,
    /// The side that makes the first of them.
    pub first: Colour,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong with a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Reason {
    #[error("the defender's move {0} is not answered")]
    Unanswered(Move),
    #[error("the defender wins by {0}")]
    DefenderWins(Move),
    #[error("the defender has already completed a line")]
    DefenderHasWon,
    #[error("the attacker has already completed a line: nothing is left to prove")]
    AttackerHasWon,
    #[error("the defender fills the board and nobody wins")]
    BoardFills,
    #[error("{side} cannot play {mv}: {square} is not an empty square of the board")]
    Taken {
        side: Colour,
        mv: Move,
        square: Square,
    },
    #[error("{side} cannot play {mv}: it places {expected} stones this turn, null stones counted")]
    StoneCount {
        side: Colour,
        mv: Move,
        expected: usize,
    },
    #[error("the attacker plays {0}: it may not leave out a stone")]
    NullStonesOfAttacker(Move),
    #[error("the attacker's {0} is said to complete a line and does not")]
    CompletesNothing(Move),
    #[error("the attacker's {0} completes a line and yet the proof goes on")]
    GoesOnAfterCompletion(Move),
    #[error("the defender's move {0} is listed twice")]
    ListedTwice(Move),
    #[error(
        "the defender's move {mv} is said to be answered like reply {like}: there is no earlier reply of that number"
    )]
    LikeNothing { mv: Move, like: u32 },
    #[error(
        "the defender's move {mv} is said to be answered like {like}, but {square} must stay free there"
    )]
    ReplayBlocked {
        mv: Move,
        like: Move,
        square: Square,
    },
    #[error(
        "the defender's move {mv} is said to be answered like {like}, but puts too many stones on {from} to {to}"
    )]
    ReplayTooClose {
        mv: Move,
        like: Move,
        from: Square,
        to: Square,
    },
    #[error("shared node {} is named before it is proved, or more often than announced", .0.0)]
    UnknownShared(SharedId),
    #[error("shared node {} was proved for another position", .0.0)]
    OtherPosition(SharedId),
    #[error("a shared node is named less often than announced")]
    SharedTooSeldom,
    #[error("no game begins with White to move on an empty board")]
    ImpossibleStart,
    #[error(transparent)]
    Unsupported(#[from] UnsupportedRules),
    #[error("checking needs more than the {0} bytes that it may keep in memory; allow it more")]
    OutOfMemory(u64),
    #[error("the proof is malformed: {0}")]
    Malformed(#[from] GrammarError),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return write!(f, "at the start: {}", self.reason);
        }
        let mut colour = self.first;
        let names: Vec<_> = self
            .path
            .iter()
            .map(|mv| {
                let name = format!("{}: {mv}", colour.letter());
                colour = colour.other();
                name
            })
            .collect();
        write!(f, "after {}: {}", names.join(", "), self.reason)
    }
}

impl std::error::Error for Refusal {}
