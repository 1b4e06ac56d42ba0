//! Proofs that a side does not lose: it *holds* the position. Both sides hold a draw.
//!
//! # What is proved
//!
//! H = holder, O = opponent, p = stones a turn. A proof is a graph of positions, each with a
//! strategy for H. The checker goes through it once, parents before children, and holds that *H
//! does not lose the position of any node*:
//!
//! * **H to move** ([`HoldNode::Hold`]). H plays the move that is named. If it completes a line,
//!   H has won; otherwise H holds the position after it.
//! * **O to move** ([`HoldNode::Oppose`]). O must not be able to complete a line this turn. Every
//!   legal move of O is answered by a node, or leaves open a segment that H completes in its next
//!   turn.
//! * **A pairing** ([`HoldNode::Pairing`]), whoever is to move. Disjoint groups of p + 1 or more
//!   empty squares are named, and each segment without a stone of H contains a whole group. Then
//!   H holds: after each of its turns, each group is empty of O or has a stone of H. O takes at
//!   most p squares a turn, so it fills no group, and it touches at most p of them; H puts a
//!   stone on what is left of each of these. A segment of O would contain a whole group, so O
//!   never completes one. Further stones of H go anywhere: more stones of H on groups do no harm.
//!   With p = 1 these are the pairs of Hales and Jewett. A full board without a line of O needs
//!   no groups at all.
//!
//! A link to a node may turn or mirror the board: the node's position is the image, which H holds
//! if and only if it holds the original.
//!
//! The turn of q stones on the empty board could touch more groups than H has stones. So no
//! pairing begins there if q is more than p.

mod check;
mod file;
mod refusal;

pub use check::{HoldChecked, check_hold};
pub use file::{
    HoldCheckedFile, HoldFileRefusal, check_hold_file, is_hold_file, read_hold, save_hold,
    write_hold,
};
pub use refusal::HoldRefusal;

use gridproof_game::{Colour, Move, Position, Square, Symmetry};

/// Another node of the same proof, and the symmetry that takes the position at hand to that
/// node's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HoldLink {
    /// The node's place in [`HoldProof::nodes`]: earlier than that of the node that links to it.
    pub node: u32,
    /// How the board is turned on the way.
    pub symmetry: Symmetry,
}

/// What a proof says about one position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HoldNode {
    /// The holder to move.
    Hold {
        /// What it plays.
        mv: Move,
        /// The position after it; `None` when it completes a line.
        then: Option<HoldLink>,
    },
    /// The opponent to move.
    Oppose {
        /// Moves and what answers them: all that leave the holder no line to complete at once.
        replies: Vec<(Move, HoldLink)>,
    },
    /// Groups of squares of which the opponent never gets a whole one.
    Pairing {
        /// Disjoint, each of more squares than the opponent has stones in a turn.
        groups: Vec<Vec<Square>>,
    },
}

/// A proof that a side does not lose. That it is one remains to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldProof {
    /// Where the game stands.
    pub start: Position,
    /// The side that does not lose.
    pub holder: Colour,
    /// Children before parents; the last is that of the start.
    pub nodes: Vec<HoldNode>,
}

impl HoldNode {
    /// The nodes that this one rests on.
    pub fn links(&self) -> impl Iterator<Item = HoldLink> + '_ {
        let (then, replies) = match self {
            Self::Hold { then, .. } => (*then, &[][..]),
            Self::Oppose { replies } => (None, &replies[..]),
            Self::Pairing { .. } => (None, &[][..]),
        };
        then.into_iter()
            .chain(replies.iter().map(|(_, link)| *link))
    }
}
