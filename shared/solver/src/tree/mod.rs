//! The search tree: numbers, moves and zones, without the search that grows it.
//!
//! Millions of nodes are kept, so all that belongs to a node is packed: moves in one word, moves
//! and replies of all nodes side by side, zones aside.

mod index;
mod memory;
mod packed;
mod replies;

use std::rc::Rc;

use gridproof_game::Square;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::order::Order;
use crate::zone::{Stones, Zone};

use index::Index;
use memory::MemoryUse;
use packed::LongMoves;
use replies::WideNodes;

pub(crate) use packed::PackedStones;
pub(crate) use replies::{Replies, TreeAnswer, TreeReply, Wide, WideId};

/// A node of one [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(u32);

/// A proof or disproof number: the least number of leaves that must still be settled.
pub(crate) type Number = u32;
/// Never: the other number is 0.
pub(crate) const INFINITE: Number = u32::MAX;

/// Sums numbers; infinite stays infinite and nothing else becomes it.
#[inline]
pub(crate) fn sum(numbers: impl Iterator<Item = Number>) -> Number {
    let mut total: Number = 0;
    for number in numbers {
        if number == INFINITE {
            return INFINITE;
        }
        total = total.saturating_add(number).min(INFINITE - 1);
    }
    total
}

/// The largest number, and a little for each of the others. After a quiet move hundreds of
/// replies wait, nearly all of them easy, and a sum would only count them.
#[inline]
pub(crate) fn hardest(numbers: impl Iterator<Item = Number>) -> Number {
    let (mut largest, mut count): (Number, Number) = (0, 0);
    for number in numbers.filter(|&number| number > 0) {
        count += 1;
        largest = largest.max(number);
    }
    if largest == INFINITE {
        return INFINITE;
    }
    let others = count.saturating_sub(1);
    largest.saturating_add(others.div_ceil(4)).min(INFINITE - 1)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    key: u64,
    pub(crate) proof: Number,
    pub(crate) disproof: Number,
    pub(crate) kind: Kind,
    /// Of the search under this node.
    pub(crate) order: Order,
    /// Whether the tree keeps its zone: that of a proved node.
    has_zone: bool,
}

const _: () = assert!(size_of::<Node>() == 32);
const _: () = assert!(size_of::<AttackMove>() == 8 && size_of::<TreeReply>() == 8);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Attacker to move, not looked at yet.
    Leaf,
    /// Attacker to move.
    Attack(Moves),
    /// Attacker to move: these moves, one after the other, win against all blocks at once.
    Line(Line),
    /// Attacker to move: this move leads to a proved node.
    Proved { stones: PackedStones, then: NodeId },
    /// Attacker to move: this move wins, by the rules alone.
    Won {
        stones: PackedStones,
        completes: bool,
    },
    /// Defender to move. The replies stay these until one of them is proved and leaves stones
    /// over.
    Defend(Replies),
    /// Defender to move, who has more replies the more of them are proved.
    Wide(WideId),
}

/// Where a tree keeps the moves of one attack: side by side with all others, since a vector for
/// each cost more than the moves themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves {
    first: u32,
    len: u32,
}

impl Moves {
    fn range(self) -> std::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }
}

/// Where a tree keeps moves of the attacker that win one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line(Moves);

/// A move of the attacker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttackMove {
    pub(crate) stones: PackedStones,
    successor: u32,
}

const TAG_SHIFT: u32 = 30;
const UNSEEN: u32 = 0;
const FAILURE: u32 = 1;
const NODE: u32 = 2;
const LOWER_ORDER: u32 = 3;
/// What fits beside a tag.
const LARGEST: u32 = (1 << TAG_SHIFT) - 1;

/// What is known of the position after a move of the attacker.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Successor {
    /// Nobody has looked; a guess at its proof number.
    Unseen(Number),
    /// The defender completes a line, or fills the board.
    Failure,
    Node(NodeId),
    /// No move at all: the same position in a search of the next lower order.
    LowerOrder(NodeId),
}

impl AttackMove {
    pub(crate) fn new(stones: PackedStones, successor: Successor) -> Self {
        let mut mv = Self {
            stones,
            successor: 0,
        };
        mv.set_successor(successor);
        mv
    }

    #[inline]
    pub(crate) fn successor(self) -> Successor {
        let number = self.successor & LARGEST;
        match self.successor >> TAG_SHIFT {
            UNSEEN => Successor::Unseen(number),
            FAILURE => Successor::Failure,
            NODE => Successor::Node(NodeId(number)),
            _ => Successor::LowerOrder(NodeId(number)),
        }
    }

    #[inline]
    pub(crate) fn set_successor(&mut self, successor: Successor) {
        self.successor = match successor {
            Successor::Unseen(proof) => UNSEEN << TAG_SHIFT | proof.min(LARGEST),
            Successor::Failure => FAILURE << TAG_SHIFT,
            Successor::Node(NodeId(id)) => NODE << TAG_SHIFT | id,
            Successor::LowerOrder(NodeId(id)) => LOWER_ORDER << TAG_SHIFT | id,
        };
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    moves: Vec<AttackMove>,
    replies: Vec<TreeReply>,
    wide: WideNodes,
    long: LongMoves,
    index: Index,
    zones: FxHashMap<NodeId, Rc<Zone>>,
    used: MemoryUse,
}

/// A tree of more nodes gives its memory back when it is cleared: emptying its table would cost
/// small searches more than a new one.
const KEPT_NODES: usize = 1 << 14;

impl Tree {
    /// Forgets all nodes, but keeps some memory for those to come, which may take so many bytes.
    pub(crate) fn clear(&mut self, memory: usize) {
        if self.nodes.capacity() > KEPT_NODES {
            *self = Self::default();
        }
        self.nodes.clear();
        self.moves.clear();
        self.replies.clear();
        self.wide.clear();
        self.long.clear();
        self.index.clear();
        self.zones.clear();
        self.used = MemoryUse::within(memory);
    }

    /// Whether it has taken all the memory that it may have.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        let places = self
            .nodes
            .len()
            .max(self.moves.len())
            .max(self.replies.len());
        self.used.is_full() || places >= LARGEST as usize / 2
    }

    #[inline]
    pub(crate) fn pack(&mut self, stones: &[Square]) -> PackedStones {
        let before = self.long.len();
        let packed = self.long.pack(stones);
        self.used.tree += (self.long.len() - before) * memory::BYTES_PER_LONG_MOVE;
        packed
    }

    #[inline]
    pub(crate) fn stones(&self, packed: PackedStones) -> Stones {
        self.long.unpack(packed)
    }

    /// How many stones a move has.
    #[inline]
    pub(crate) fn count(&self, packed: PackedStones) -> usize {
        self.long.count(packed)
    }

    /// The replies of a new node of the defender.
    pub(crate) fn keep_replies(&mut self, replies: impl IntoIterator<Item = TreeReply>) -> Replies {
        let first = self.replies.len();
        self.replies.extend(replies);
        let len = self.replies.len() - first;
        self.used.tree += len * memory::BYTES_PER_REPLY;
        Replies {
            first: first as u32,
            len: len as u32,
        }
    }

    pub(crate) fn replies(&self, replies: Replies) -> &[TreeReply] {
        &self.replies[replies.range()]
    }

    pub(crate) fn replies_mut(&mut self, replies: Replies) -> &mut [TreeReply] {
        &mut self.replies[replies.range()]
    }

    /// Lets a node have more replies from now on.
    pub(crate) fn widen(&mut self, id: NodeId, replies: Replies) -> WideId {
        let wide = Wide::of(self.replies(replies));
        self.used.tree += memory::of_wide(wide.replies.len());
        let place = self.wide.add(wide);
        self.get_mut(id).kind = Kind::Wide(place);
        place
    }

    pub(crate) fn wide(&self, place: WideId) -> &Wide {
        self.wide.get(place)
    }

    pub(crate) fn wide_mut(&mut self, place: WideId) -> &mut Wide {
        self.wide.get_mut(place)
    }

    /// Takes a node's many replies, to work on them and then put them back.
    pub(crate) fn take_wide(&mut self, place: WideId) -> Wide {
        let wide = std::mem::take(self.wide.get_mut(place));
        self.used.tree -= memory::of_wide(wide.replies.len());
        wide
    }

    /// Puts them back.
    pub(crate) fn put_wide(&mut self, place: WideId, wide: Wide) {
        self.used.tree += memory::of_wide(wide.replies.len());
        *self.wide.get_mut(place) = wide;
    }

    /// Puts them where those of usual nodes are: all are settled.
    pub(crate) fn settle_wide(&mut self, id: NodeId, place: WideId, wide: &Wide) {
        self.wide.free(place);
        let replies = self.keep_replies(wide.replies.iter().copied());
        self.get_mut(id).kind = Kind::Defend(replies);
    }

    /// Keeps the zone of a proved node, until it is taken or all are forgotten.
    pub(crate) fn keep_zone(&mut self, id: NodeId, zone: Rc<Zone>) {
        self.used.zones += zone.bytes();
        self.get_mut(id).has_zone = true;
        let before = self.zones.insert(id, zone);
        debug_assert!(before.is_none());
    }

    /// Takes the zone from a proved node.
    pub(crate) fn take_zone(&mut self, id: NodeId) {
        if self.get(id).has_zone {
            self.get_mut(id).has_zone = false;
            let zone = self.zones.remove(&id).expect("it has one");
            self.used.zones -= zone.bytes();
        }
    }

    pub(crate) fn zone(&self, id: NodeId) -> Option<&Rc<Zone>> {
        self.get(id).has_zone.then(|| &self.zones[&id])
    }

    /// Forgets zones if they take too much.
    #[inline]
    pub(crate) fn limit_zones(&mut self) {
        if self.used.has_too_many_zones() {
            self.forget_zones();
        }
    }

    /// Forgets all zones but those of replies to positions that are still open, which are asked
    /// for again and again. Whoever wants another works it out again.
    #[cold]
    fn forget_zones(&mut self) {
        let mut zones = std::mem::take(&mut self.zones);
        self.used.zones = 0;
        for &id in zones.keys() {
            self.nodes[id.0 as usize].has_zone = false;
        }
        let mut kept = Vec::new();
        for wide in self.wide.iter() {
            for &index in &wide.proved {
                if let TreeAnswer::Node(id) = wide.replies[index as usize].answer()
                    && let Some(zone) = zones.remove(&id)
                {
                    kept.push((id, zone));
                }
            }
        }
        for (id, zone) in kept {
            self.keep_zone(id, zone);
        }
        self.used.make_room_for_zones();
    }

    pub(crate) fn keep_moves(&mut self, moves: impl IntoIterator<Item = AttackMove>) -> Moves {
        let first = self.moves.len();
        self.moves.extend(moves);
        self.used.tree += (self.moves.len() - first) * memory::BYTES_PER_MOVE;
        Moves {
            first: first as u32,
            len: (self.moves.len() - first) as u32,
        }
    }

    pub(crate) fn moves(&self, moves: Moves) -> &[AttackMove] {
        &self.moves[moves.range()]
    }

    pub(crate) fn moves_mut(&mut self, moves: Moves) -> &mut [AttackMove] {
        &mut self.moves[moves.range()]
    }

    /// The node of a position, made if it is new.
    #[inline]
    pub(crate) fn node(&mut self, key: u64, order: Order) -> NodeId {
        let before = self.nodes.len();
        let leaf = || Node {
            key,
            proof: 1,
            disproof: 1,
            kind: Kind::Leaf,
            order,
            has_zone: false,
        };
        let id = self.index.find_or_add(&mut self.nodes, leaf, key);
        self.used.tree += (self.nodes.len() - before) * memory::BYTES_PER_NODE;
        NodeId(id)
    }

    /// The node of a position, if there is one.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<NodeId> {
        self.index.find(&self.nodes, key).map(NodeId)
    }

    /// The numbers of the position after a move of the attacker.
    #[inline]
    pub(crate) fn numbers_after(&self, successor: Successor) -> (Number, Number) {
        match successor {
            Successor::Unseen(proof) => (proof, 1),
            Successor::Failure => (INFINITE, 0),
            Successor::Node(id) | Successor::LowerOrder(id) => {
                let node = self.get(id);
                (node.proof, node.disproof)
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// Marks a node proved, in this way.
    #[inline]
    pub(crate) fn settle(&mut self, id: NodeId, kind: Kind) {
        let node = self.get_mut(id);
        (node.proof, node.disproof) = (0, INFINITE);
        node.kind = kind;
    }

    pub(crate) fn keep_line(&mut self, line: &[Stones]) -> Line {
        let moves: SmallVec<[AttackMove; 8]> = line
            .iter()
            .map(|stones| AttackMove::new(self.pack(stones), Successor::Unseen(0)))
            .collect();
        Line(self.keep_moves(moves))
    }

    /// The first move of a line, and the others.
    pub(crate) fn split_line(&self, Line(line): Line) -> (PackedStones, Line) {
        assert!(line.len > 0, "the last move of a line leaves no answer");
        let rest = Moves {
            first: line.first + 1,
            len: line.len - 1,
        };
        (self.moves[line.first as usize].stones, Line(rest))
    }

    #[inline]
    pub(crate) fn is_proved(&self, id: NodeId) -> bool {
        self.get(id).proof == 0
    }
}
