//! The defender's replies: what a verifier is told of them, and what it tells.

use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::Move;

use crate::zone::Zone;

/// How one defender's move was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyStatus {
    /// By a proof of its own.
    Searched,
    /// By the zone of an earlier reply, without a search.
    Excused,
    /// Not settled: the attacker may or may not win.
    Open,
}

/// Told what a verifier learns, as soon as it is known.
pub trait Findings {
    /// A reply was settled, or found to be open.
    fn reply(&mut self, mv: &Move, status: ReplyStatus);
}

/// For those who only want the end result.
impl Findings for () {
    fn reply(&mut self, _: &Move, _: ReplyStatus) {}
}

/// How many replies were settled in each way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerifierCounts {
    /// With proofs of their own.
    pub searched: u64,
    /// By zones of others.
    pub excused: u64,
    /// Not settled.
    pub open: u64,
}

/// A defender's move and the proof that the attacker wins after it.
#[derive(Clone, Debug)]
pub struct ProvedReply {
    /// Full, semi-null or null.
    pub mv: Move,
    /// Of the position after the move.
    pub proof: Arc<Proof>,
}

/// A defender's move and the zone of a proof that the attacker wins after it.
#[derive(Clone, Debug)]
pub struct ReplyZone {
    /// Full, semi-null or null.
    pub mv: Move,
    /// Of the position after the move.
    pub zone: Arc<Zone>,
}

/// Replies that a verifier need not search.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownReplies<'a> {
    /// Replies with their proofs.
    pub answered: &'a [ProvedReply],
    /// Replies that others search: they stay open unless a zone excuses them.
    pub open: &'a [Move],
}

/// A reply as it stands in a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedReply {
    /// Full, semi-null or null.
    pub mv: Move,
    /// The number of the earlier reply whose proof answers this one too; `None` if it has a
    /// proof of its own.
    pub like: Option<u32>,
}
