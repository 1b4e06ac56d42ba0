//! The defender's moves in a tree.

use std::ops::Range;

use super::packed::PackedStones;
use super::{LARGEST, NodeId, TAG_SHIFT};

/// A defender's move that must be settled: its stones, and the node that answers it if there is
/// one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeReply {
    pub(crate) stones: PackedStones,
    answer: PackedAnswer,
}

/// A [`TreeAnswer`] in one word.
#[derive(Clone, Copy, Debug)]
struct PackedAnswer(u32);

const UNSEEN: u32 = 0;
const NODE: u32 = 1;
const LIKE: u32 = 2;

/// What is known of the position after a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeAnswer {
    /// Nobody has looked.
    Unseen,
    Node(NodeId),
    /// The zone of this other reply excuses this one.
    Like(u32),
}

impl TreeReply {
    pub(crate) fn unseen(stones: PackedStones) -> Self {
        Self {
            stones,
            answer: PackedAnswer(UNSEEN << TAG_SHIFT),
        }
    }

    #[inline]
    pub(crate) fn answer(self) -> TreeAnswer {
        let number = self.answer.0 & LARGEST;
        match self.answer.0 >> TAG_SHIFT {
            UNSEEN => TreeAnswer::Unseen,
            NODE => TreeAnswer::Node(NodeId(number)),
            _ => TreeAnswer::Like(number),
        }
    }

    #[inline]
    pub(crate) fn set_answer(&mut self, answer: TreeAnswer) {
        self.answer = PackedAnswer(match answer {
            TreeAnswer::Unseen => UNSEEN << TAG_SHIFT,
            TreeAnswer::Node(NodeId(node)) => NODE << TAG_SHIFT | node,
            TreeAnswer::Like(index) => LIKE << TAG_SHIFT | index,
        });
    }
}

/// Where a tree keeps the replies of a node, none of which is ever added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replies {
    pub(super) first: u32,
    pub(super) len: u32,
}

impl Replies {
    pub(super) fn range(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }
}

/// Where a tree keeps a [`Wide`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideId(u32);

/// The replies of an open node that may grow to hundreds, sorted by what is known of them, so
/// that a visit looks at those alone that may change.
#[derive(Debug, Default)]
pub(crate) struct Wide {
    /// All of them. What is said of replies elsewhere are their places here.
    pub(crate) replies: Vec<TreeReply>,
    /// Open, with nodes.
    pub(crate) seen: Vec<u32>,
    /// Open, without nodes.
    pub(crate) unseen: Vec<u32>,
    /// Proved by nodes of their own, in the order in which that was noticed.
    pub(crate) proved: Vec<u32>,
    /// How many of the proved have been asked which others they excuse.
    pub(crate) asked: usize,
}

impl Wide {
    pub(crate) fn of(replies: &[TreeReply]) -> Self {
        let mut wide = Self::default();
        for reply in replies {
            wide.add(reply.stones, reply.answer());
        }
        wide
    }

    /// Whether a move is among the replies.
    pub(crate) fn has(&self, stones: PackedStones) -> bool {
        // Some at a time, which the compiler compares side by side.
        let mut chunks = self.replies.chunks(16);
        chunks.any(|chunk| {
            let same = chunk.iter().map(|reply| reply.stones == stones);
            same.fold(false, |any, same| any | same)
        })
    }

    pub(crate) fn add(&mut self, stones: PackedStones, answer: TreeAnswer) {
        let index = self.replies.len() as u32;
        match answer {
            TreeAnswer::Unseen => self.unseen.push(index),
            TreeAnswer::Node(_) => self.seen.push(index),
            TreeAnswer::Like(_) => {}
        }
        let mut reply = TreeReply::unseen(stones);
        reply.set_answer(answer);
        self.replies.push(reply);
    }

    /// Takes note of the node that answers a reply nobody had looked at.
    pub(crate) fn see(&mut self, index: u32, answer: TreeAnswer) {
        self.replies[index as usize].set_answer(answer);
        let place = self.unseen.iter().position(|&other| other == index);
        self.unseen.remove(place.expect("nobody had looked at it"));
        self.seen.push(index);
    }

    /// Takes note of the replies whose nodes are proved by now.
    pub(crate) fn note_proved(&mut self, is_proved: impl Fn(NodeId) -> bool) {
        let (replies, proved) = (&self.replies, &mut self.proved);
        self.seen.retain(|&index| {
            let is_open = match replies[index as usize].answer() {
                TreeAnswer::Node(node) => !is_proved(node),
                TreeAnswer::Unseen | TreeAnswer::Like(_) => unreachable!("it has a node"),
            };
            if !is_open {
                proved.push(index);
            }
            is_open
        });
    }

    /// Settles open replies that a proved one excuses.
    pub(crate) fn settle_open(&mut self, like: u32, mut excused: impl FnMut(PackedStones) -> bool) {
        let replies = &mut self.replies;
        let mut stays = |index: &u32| {
            let reply = &mut replies[*index as usize];
            let is_excused = excused(reply.stones);
            if is_excused {
                reply.set_answer(TreeAnswer::Like(like));
            }
            !is_excused
        };
        self.seen.retain(&mut stays);
        self.unseen.retain(stays);
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.seen.is_empty() && self.unseen.is_empty()
    }
}

/// The open nodes with many replies.
#[derive(Debug, Default)]
pub(super) struct WideNodes {
    all: Vec<Wide>,
    free: Vec<u32>,
}

impl WideNodes {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.free.clear();
    }

    pub(super) fn add(&mut self, wide: Wide) -> WideId {
        if let Some(place) = self.free.pop() {
            self.all[place as usize] = wide;
            return WideId(place);
        }
        self.all.push(wide);
        WideId(self.all.len() as u32 - 1)
    }

    /// Lets another have the place of one that was taken.
    pub(super) fn free(&mut self, id: WideId) {
        self.free.push(id.0);
    }

    pub(super) fn get(&self, id: WideId) -> &Wide {
        &self.all[id.0 as usize]
    }

    pub(super) fn get_mut(&mut self, id: WideId) -> &mut Wide {
        &mut self.all[id.0 as usize]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Wide> {
        self.all.iter()
    }
}
