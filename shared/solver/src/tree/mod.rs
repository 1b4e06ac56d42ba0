//! The search tree: numbers, moves and zones, without the search that grows it.

mod memory;

use std::ops::Range;
use std::rc::Rc;

use gridproof_certificate::{Answer, BuildError, ProofBuilder, ProofId, Reply};
use gridproof_game::Move;
use rustc_hash::FxHashMap;

use crate::order::Order;
use crate::zone::{Stones, Zone};

use memory::MemoryUse;

/// A node of one [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(u32);

/// A proof or disproof number: the least number of leaves that must still be settled.
pub(crate) type Number = u32;
/// Never: the other number is 0.
pub(crate) const INFINITE: Number = u32::MAX;

/// Sums numbers; infinite stays infinite and nothing else becomes it.
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
pub(crate) fn hardest(numbers: impl Iterator<Item = Number>) -> Number {
    let (mut largest, mut others): (Number, Number) = (0, 0);
    for number in numbers.filter(|&number| number > 0) {
        others += Number::from(largest > 0);
        largest = largest.max(number);
    }
    if largest == INFINITE {
        return INFINITE;
    }
    largest.saturating_add(others.div_ceil(4)).min(INFINITE - 1)
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) proof: Number,
    pub(crate) disproof: Number,
    /// Of a proved node.
    pub(crate) zone: Option<Rc<Zone>>,
    pub(crate) kind: Kind,
    /// Of the search under this node.
    pub(crate) order: Order,
}

impl Node {
    /// A position with the attacker to move that nobody has looked at.
    pub(crate) const fn leaf(order: Order) -> Self {
        Self {
            proof: 1,
            disproof: 1,
            zone: None,
            kind: Kind::Leaf,
            order,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Attacker to move, not looked at yet.
    Leaf,
    /// Attacker to move.
    Attack { moves: Moves },
    /// Attacker to move: this move wins, by the rules alone.
    Won { stones: Stones, completes: bool },
    /// Defender to move.
    Defend {
        replies: Vec<TreeReply>,
        /// How many replies were proved when their zones were last asked to excuse others.
        excused: usize,
    },
}

/// Where a tree keeps the moves of one attack: side by side with all others, since a vector for
/// each cost more than the moves themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves {
    first: u32,
    len: u32,
}

impl Moves {
    fn range(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.len as usize
    }

    /// One of them alone.
    pub(crate) fn only(self, index: usize) -> Self {
        debug_assert!(index < self.len as usize);
        Self {
            first: self.first + index as u32,
            len: 1,
        }
    }
}

/// A move of the attacker.
#[derive(Clone, Debug)]
pub(crate) struct AttackMove {
    pub(crate) stones: Stones,
    pub(crate) successor: Successor,
}

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

/// A defender's move that must be settled.
#[derive(Clone, Debug)]
pub(crate) struct TreeReply {
    pub(crate) stones: Stones,
    pub(crate) answer: TreeAnswer,
    /// What the defender can still add to this partial move has been worked out.
    pub(crate) extended: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TreeAnswer {
    Node(NodeId),
    /// The zone of this other reply excuses this one.
    Like(u32),
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    moves: Vec<AttackMove>,
    by_key: FxHashMap<u64, NodeId>,
    /// Nodes that have zones, and some that had.
    with_zones: Vec<NodeId>,
    used: MemoryUse,
}

/// A tree of more nodes gives its memory back when it is cleared: emptying its table would cost
/// small searches more than a new one.
const KEPT_NODES: usize = 1 << 14;

impl Tree {
    /// Forgets all nodes, but keeps some memory for those to come, which may take so many bytes.
    pub(crate) fn clear(&mut self, memory: usize) {
        if self.by_key.capacity() > KEPT_NODES {
            *self = Self::default();
        }
        self.nodes.clear();
        self.moves.clear();
        self.by_key.clear();
        self.with_zones.clear();
        self.used = MemoryUse::within(memory);
    }

    /// Whether it has taken all the memory that it may have.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.used.is_full()
    }

    /// Takes note of replies that were added to a defender's node.
    pub(crate) fn count_replies(&mut self, count: usize) {
        self.used.tree += count * memory::BYTES_PER_REPLY;
    }

    /// Keeps the zone of a proved node, until it is taken or all are forgotten.
    pub(crate) fn keep_zone(&mut self, id: NodeId, zone: Rc<Zone>) {
        self.used.zones += zone.bytes();
        self.get_mut(id).zone = Some(zone);
        self.with_zones.push(id);
    }

    /// Takes the zone from a proved node.
    pub(crate) fn take_zone(&mut self, id: NodeId) {
        if let Some(zone) = self.get_mut(id).zone.take() {
            self.used.zones -= zone.bytes();
        }
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
        let mut kept = Vec::new();
        for node in self.nodes.iter().filter(|node| node.proof > 0) {
            if let Kind::Defend { replies, .. } = &node.kind {
                kept.extend(replies.iter().filter_map(|reply| match reply.answer {
                    TreeAnswer::Node(id) => Some((id, self.get(id).zone.clone()?)),
                    TreeAnswer::Like(_) => None,
                }));
            }
        }
        for id in std::mem::take(&mut self.with_zones) {
            self.take_zone(id);
        }
        for (id, zone) in kept {
            if self.get(id).zone.is_none() {
                self.keep_zone(id, zone);
            }
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
    pub(crate) fn node(&mut self, key: u64, new: impl FnOnce() -> Node) -> NodeId {
        *self.by_key.entry(key).or_insert_with(|| {
            self.nodes.push(new());
            self.used.tree += memory::BYTES_PER_NODE;
            NodeId(self.nodes.len() as u32 - 1)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The numbers of the position after a move of the attacker.
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

    /// The move that proves an attack, and where it leads. These are the moves of a proved node,
    /// of which only that one is left: see `Search::attack`.
    pub(crate) fn proved_move(&self, moves: Moves) -> (&Stones, NodeId) {
        let proved = self.moves(moves).iter().find_map(|mv| match mv.successor {
            Successor::Node(child) if self.get(child).proof == 0 => Some((&mv.stones, child)),
            _ => None,
        });
        proved.expect("a proved attack has a proved move")
    }

    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// Writes the proof of a proved node. `length` is the number of stones in a defender's
    /// full move; `Move`s of the attacker are always whole.
    pub(crate) fn write(
        &self,
        id: NodeId,
        length: u8,
        builder: &mut ProofBuilder,
        written: &mut FxHashMap<NodeId, ProofId>,
    ) -> Result<ProofId, BuildError> {
        if let Some(&done) = written.get(&id) {
            return Ok(done);
        }
        let node = self.get(id);
        debug_assert_eq!(node.proof, 0);
        let made = match &node.kind {
            Kind::Leaf => unreachable!("a leaf is not proved"),
            Kind::Won { stones, completes } => {
                let then = if *completes {
                    None
                } else {
                    Some(builder.defend(Vec::new())?)
                };
                builder.attack(Move::full(stones.iter().copied()), then)?
            }
            Kind::Attack { moves } => {
                let (stones, child) = self.proved_move(*moves);
                let then = self.write(child, length, builder, written)?;
                builder.attack(Move::full(stones.iter().copied()), Some(then))?
            }
            Kind::Defend { replies, .. } => {
                let mut list = Vec::with_capacity(replies.len());
                let mv = |reply: &TreeReply| {
                    let nulls = length - reply.stones.len() as u8;
                    Move::new(reply.stones.iter().copied(), nulls)
                };
                // Replies with proofs come first, since others may only be like earlier ones.
                let mut places = vec![0; replies.len()];
                for (place, reply) in places.iter_mut().zip(replies) {
                    if let TreeAnswer::Node(node) = reply.answer {
                        *place = list.len() as u32;
                        let answer = Answer::Proof(self.write(node, length, builder, written)?);
                        list.push(Reply {
                            mv: mv(reply),
                            answer,
                        });
                    }
                }
                for reply in replies {
                    if let TreeAnswer::Like(index) = reply.answer {
                        let answer = Answer::LikeReply(places[index as usize]);
                        list.push(Reply {
                            mv: mv(reply),
                            answer,
                        });
                    }
                }
                builder.defend(list)?
            }
        };
        written.insert(id, made);
        Ok(made)
    }
}
