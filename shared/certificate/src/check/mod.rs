//! The checker: reads a proof node by node, searches for nothing, believes nobody.
//!
//! # What is proved
//!
//! A = attacker, D = defender, p = stones a turn, n = stones D places this turn, e = empty
//! squares of a segment. D-active: without a stone of A. A *threat* is a segment without a
//! stone of D in which A misses at most p.
//!
//! For each node with position P the checker works out a [`Zone`] (M, L) and holds that
//! (1) *A wins P with any further D stones φ, if φ∩M = ∅ and |φ∩G| < L(G) for all G.* So A
//! wins P itself (φ = ∅). It rests on (2) *dominance: if A wins P, it wins with more stones
//! of A and fewer of D*, because A plays on as if they were as in P: a D stone on a square
//! that A thinks taken is a null stone to A; a move A has already made is free. (2) also
//! says that null stones never help D, and that fewer than n of them do not either.
//!
//! The rules keep (3) *L(G) <= e for each D-active segment of P, or M∩G ≠ ∅*: so D has no
//! complete line in P + φ.
//!
//! * **A completes a line with m.** M = the stones of m on that line, L(G) = e counted with
//!   these stones. By (3) D has not won before, and the squares are free.
//! * **A plays m.** The child's zone, and the squares of m into M. They are free in P + φ;
//!   segments that m takes from D have no limit and contain a square of M.
//! * **D to move.** D must miss more than n stones in each of its segments, and there must be
//!   more than n empty squares, or else D completes a line or fills the board.
//!   A D move d that hits all threats contains an inclusion-minimal set h that does; each such
//!   h, with n - |h| null stones, must be answered. When m is answered and the zone Z of
//!   P + m does not excuse some d ⊇ m, then d \ m contains a minimal set X that Z does not
//!   excuse, and m ∪ X must be answered, as a set of its own. Sets grow, so this ends in an
//!   answered m ⊆ d with d \ m excused by its Z. With u = n - |m|, Z adds to the node's zone its M, and
//!   L(G) = max(1, Z.L(G) - u). Then φ ∪ (d \ m) is excused by Z too: if Z.L(G) > u, at most
//!   Z.L(G) - u - 1 stones of φ and u of d are on G; otherwise none of φ. So A wins.
//!   A D move that leaves a threat open, with φ around: the empty squares of all threats are
//!   in M, so A completes it; and L(G) <= max(1, e - n), where e > n, keeps D from completing
//!   a line first.
//! * **m answered like s**, another reply of the same node, with the zone Z of P + s: let
//!   x = m \ s. If Z excuses x, A wins P + s + x by (1) and P + m by (2). Its zone is Z with
//!   L(G) lowered by |x∩G|.
//!
//! One corollary is worth knowing: a proof of P, node by node, is also accepted at P + φ, as
//! long as the stones that a completing move places beside its line find their squares free.
//!
//! The turn of q stones on the empty board is the one place where more stones on the board
//! change how many a side may place. It can only be the start of a game, hence of a proof; and
//! White to move there, whose null move would make it Black's first turn, is refused.

mod attack;
mod board;
mod checker;
mod defence;
mod guard;
mod legal;
mod refusal;
mod reply;
mod shared;
mod zone;

/// For the tests that build proofs by the checker's own rules.
#[cfg(test)]
pub(crate) mod testing {
    pub(crate) use super::attack::{take_back_completion, zone_before};
    pub(crate) use super::defence::Defence;
    pub(crate) use super::guard::Guard;
    pub(crate) use super::reply::{CheckedReply, ReplyZone};
}

use std::convert::Infallible;

use gridproof_game::{Colour, Move, Position, SquareSet};

pub(crate) use board::{Board, Side};
pub use checker::EventChecker;
pub(crate) use checker::{CheckError, CheckedNode, Unneeded, check_events, check_noting};
pub(crate) use guard::Guards;
pub use refusal::{Reason, Refusal};
pub use zone::Zone;

use crate::proof::Proof;
use crate::walk::Walk;

/// What a proof claims: that the attacker wins from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Where the game stands.
    pub start: Position,
    /// The side that is to win.
    pub attacker: Colour,
}

/// How much the checker may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// Bytes of zones held at one time.
    pub memory: u64,
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self { memory: 3 << 30 }
    }
}

/// A claim that has been checked: it is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What was claimed.
    pub claim: Claim,
    /// The attacker's winning move, when it is the attacker who is to move.
    pub first_move: Option<Move>,
    /// Nodes of both sides; one that several parents share counts once.
    pub nodes: u64,
    /// Moves on the longest way, the last one included.
    pub depth: u32,
    /// The strategy's order r in Λr.
    pub lambda: u32,
    /// Defender's moves with a proof of their own where the attacker threatens nothing; the
    /// null moves are not counted.
    pub explicit_moves: u64,
    /// The zone at the start.
    pub zone: Zone,
}

impl Checked {
    /// Whether the zone says that the attacker wins with these further defender's stones too.
    /// It never does for squares that are taken or off the board.
    #[must_use]
    pub fn excuses(&self, stones: &SquareSet) -> bool {
        let board = Board::new(&self.claim.start, self.claim.attacker);
        let stones: Vec<_> = stones.iter().collect();
        stones.iter().all(|square| board.is_empty_at(*square))
            && self.zone.excuses(&board, &stones).is_ok()
    }
}

/// Checks a proof in memory.
pub fn check(proof: &Proof) -> Result<Checked, Box<Refusal>> {
    check_within(proof, CheckLimits::default())
}

/// The same within limits.
pub(crate) fn check_within(proof: &Proof, limits: CheckLimits) -> Result<Checked, Box<Refusal>> {
    check_all(proof, limits, Guards::default())
}

#[cfg(test)]
pub(crate) fn check_with(proof: &Proof, guards: Guards) -> Result<Checked, Box<Refusal>> {
    check_all(proof, CheckLimits::default(), guards)
}

fn check_all(proof: &Proof, limits: CheckLimits, guards: Guards) -> Result<Checked, Box<Refusal>> {
    let claim = Claim {
        start: proof.start().clone(),
        attacker: proof.attacker(),
    };
    let result = check_events(claim, &mut Walk::new(proof), limits, guards);
    result.map_err(|error: CheckError<Infallible>| match error {
        CheckError::Refused(refusal) => refusal,
        CheckError::Source(never) => match never {},
    })
}
