//! Replies of one defender's node whose answers have been checked.

use std::borrow::Cow;

use gridproof_game::{Move, Square};

use super::board::Board;
use super::defence::Stones;
use super::guard::{Guard, Guards};
use super::refusal::Reason;
use super::zone::{Harm, Zone};
use crate::stats::NodeStats;

/// A reply that loses.
#[derive(Debug)]
pub(crate) struct CheckedReply {
    pub(crate) stones: Stones,
    pub(crate) zone: ReplyZone,
    pub(crate) stats: NodeStats,
}

/// The zone of the position after a reply.
#[derive(Debug)]
pub(crate) enum ReplyZone {
    Own(Zone),
    /// That of an earlier reply with a zone of its own, once this reply's further stones lie
    /// on the board.
    Like {
        reply: usize,
        extra: Stones,
    },
}

impl CheckedReply {
    /// A reply that the proof of an earlier one answers.
    pub(crate) fn replayed(
        board: &Board,
        earlier: &[Self],
        mv: &Move,
        like: u32,
        guards: Guards,
    ) -> Result<Self, Reason> {
        let origin = match earlier.get(like as usize).map(|reply| &reply.zone) {
            Some(ReplyZone::Own(_)) => like as usize,
            // What two replays allow, one does: its stones are among those of both.
            Some(ReplyZone::Like { reply, .. }) => *reply,
            None => {
                let mv = mv.clone();
                return Err(Reason::LikeNothing { mv, like });
            }
        };
        let model = &earlier[origin];
        let is_new = |square: &Square| !model.stones.contains(square);
        let extra: Stones = mv.stones().iter().copied().filter(is_new).collect();
        let model_move = || {
            let nulls = mv.len() - model.stones.len();
            Move::new(model.stones.iter().copied(), nulls as u8)
        };
        match model.own_zone().excuses(board, &extra) {
            Err(Harm::OnMustStayFree(square)) if guards.hold(Guard::ReplayKeepsSquaresFree) => {
                return Err(Reason::ReplayBlocked {
                    mv: mv.clone(),
                    like: model_move(),
                    square,
                });
            }
            Err(Harm::TooManyOn(segment)) if guards.hold(Guard::ReplayKeepsLimits) => {
                let squares = board.squares_of(segment);
                return Err(Reason::ReplayTooClose {
                    mv: mv.clone(),
                    like: model_move(),
                    from: squares[0],
                    to: squares[squares.len() - 1],
                });
            }
            _ => {}
        }
        Ok(Self {
            stones: mv.stones().into(),
            zone: ReplyZone::Like {
                reply: origin,
                extra,
            },
            stats: model.stats,
        })
    }

    /// The zone after this reply, which is one of `replies`.
    pub(crate) fn zone<'a>(
        &'a self,
        board: &Board,
        replies: &'a [Self],
        guards: Guards,
    ) -> Cow<'a, Zone> {
        match &self.zone {
            ReplyZone::Own(zone) => Cow::Borrowed(zone),
            ReplyZone::Like { reply, extra } => {
                let model = replies[*reply].own_zone();
                match guards.hold(Guard::ReplayLowersLimits) {
                    true => Cow::Owned(model.with_stones(board, extra)),
                    false => Cow::Borrowed(model),
                }
            }
        }
    }

    fn own_zone(&self) -> &Zone {
        match &self.zone {
            ReplyZone::Own(zone) => zone,
            ReplyZone::Like { .. } => unreachable!("replays go back to a proof in one step"),
        }
    }

    /// About what it takes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let zone = match &self.zone {
            ReplyZone::Own(zone) => zone.limits().len(),
            ReplyZone::Like { .. } => 0,
        };
        (size_of::<Self>() + zone) as u64
    }
}

/// Replies by their stones.
pub(crate) struct ReplyIndex<'a> {
    replies: &'a [CheckedReply],
    by_stones: Vec<usize>,
}

impl<'a> ReplyIndex<'a> {
    pub(crate) fn new(replies: &'a [CheckedReply]) -> Self {
        let mut by_stones: Vec<usize> = (0..replies.len()).collect();
        by_stones.sort_unstable_by_key(|&reply| &replies[reply].stones);
        Self { replies, by_stones }
    }

    pub(crate) fn listed_twice(&self) -> Option<&'a CheckedReply> {
        let same = |pair: &&[usize]| self.replies[pair[0]].stones == self.replies[pair[1]].stones;
        let pair = self.by_stones.windows(2).find(same)?;
        Some(&self.replies[pair[0]])
    }

    pub(crate) fn find(&self, stones: &[Square]) -> Option<usize> {
        self.by_stones
            .binary_search_by(|&reply| self.replies[reply].stones.as_slice().cmp(stones))
            .ok()
            .map(|place| self.by_stones[place])
    }
}
