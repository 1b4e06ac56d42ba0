//! What searches and verifiers answer.

use gridproof_certificate::{Proof, UnsupportedRules};
use gridproof_game::{Colour, Move, Rules};
use gridproof_threats::TooManyAttacks;

use crate::order::Order;
use crate::verifier::{ProvedReply, VerifierCounts};
use crate::zone::Zone;

/// A won position.
#[derive(Clone, Debug)]
pub struct Win {
    /// The proof, for the checker to confirm.
    pub proof: Proof,
    /// The zone of the position.
    pub zone: Zone,
    /// The order of the search that found it.
    pub order: Order,
}

/// What a search says of a position with the attacker to move.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The attacker wins.
    Won(Box<Win>),
    /// The attacker has no win of the order asked for: every move was tried.
    NoWin,
    /// The budget or the memory ran out, or moves were left out.
    Unknown,
}

/// What is known of a position with the defender to move. `P` is what comes with a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<P = Box<Win>> {
    /// The attacker wins: every reply is answered.
    Proved(P),
    /// The defender completes a line at once, or fills the board.
    DefenderHolds,
    /// The defender's moves that could not be settled: null, semi-null or full.
    Open(Vec<Move>),
}

impl<P> Verdict<P> {
    pub(crate) fn map<Q>(self, proved: impl FnOnce(P) -> Q) -> Verdict<Q> {
        match self {
            Self::Proved(proof) => Verdict::Proved(proved(proof)),
            Self::DefenderHolds => Verdict::DefenderHolds,
            Self::Open(moves) => Verdict::Open(moves),
        }
    }
}

/// The end of a verifier run.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Whether the attacker wins.
    pub verdict: Verdict,
    /// How the replies were settled.
    pub counts: VerifierCounts,
    /// Whether every reply was looked at. If not, some open replies are not listed.
    pub all_replies_examined: bool,
    /// The replies that have proofs of their own, whatever the verdict.
    pub answered: Vec<ProvedReply>,
}

/// Why a position cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SolveError {
    #[error("the game is over: {0} has won")]
    Won(Colour),
    #[error("the game is over: the board is full")]
    Drawn,
    #[error("{rules} has {expected} stones in its first turn: searches start after it")]
    FirstTurn { rules: Rules, expected: u8 },
    #[error("the proof given for the reply {0} is of another position")]
    OtherPosition(Move),
    #[error(transparent)]
    Unsupported(#[from] UnsupportedRules),
    #[error(transparent)]
    TooManyAttacks(#[from] TooManyAttacks),
}
