//! The proof itself: a graph of positions without a single zone in it.

use gridproof_game::{Colour, Move, Position, Symmetry};

/// A node of one [`Proof`]. Children come before their parents, so that no proof can
/// argue in a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProofId(pub(crate) u32);

impl ProofId {
    /// Its number, from 0: for tables of one entry a node.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the proof says about one position. A node belongs to exactly one position: two
/// parents may share it only when both lead to the same stones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The attacker to move: it plays `mv`.
    Attack {
        /// The attacker's move.
        mv: Move,
        /// A `Defend` node; `None` when `mv` completes a line.
        then: Option<ProofId>,
    },
    /// The defender to move. None of the replies that leave a threat open need be here,
    /// nor those that the zones of the others excuse; with more threats than the defender
    /// has stones there need not be any.
    Defend {
        /// The moves that are answered.
        replies: Vec<Reply>,
    },
}

/// A defender's move and what answers it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reply {
    /// A full, a semi-null or the null move, with its null stones counted.
    pub mv: Move,
    /// What answers it.
    pub answer: Answer,
}

/// Why a defender's move loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The attacker wins from here: an `Attack` node.
    Proof(ProofId),
    /// The proof of an earlier reply of the same node answers this one too, by replay. The
    /// number counts the node's replies from 0, and that reply has a proof of its own.
    LikeReply(u32),
}

/// A proof that `attacker` wins from `start`. That it is one remains to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    pub(crate) start: Position,
    pub(crate) attacker: Colour,
    /// The root is the last, and every other node is a child of a later one.
    pub(crate) nodes: Vec<Node>,
}

impl Proof {
    /// The position that is won.
    #[must_use]
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The side that wins.
    #[must_use]
    pub const fn attacker(&self) -> Colour {
        self.attacker
    }

    /// The node of the start.
    #[must_use]
    pub fn root(&self) -> ProofId {
        ProofId(self.nodes.len() as u32 - 1)
    }

    /// # Panics
    /// If the id is another proof's and this one has fewer nodes.
    #[must_use]
    pub fn node(&self, id: ProofId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes with their ids, children before parents, the root last.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (ProofId, &Node)> + ExactSizeIterator {
        self.nodes
            .iter()
            .enumerate()
            .map(|(i, node)| (ProofId(i as u32), node))
    }

    /// The number of nodes, those of both sides. There is always a root.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no proof is empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The attacker's first move, when it is the attacker who is to move.
    #[must_use]
    pub fn first_move(&self) -> Option<&Move> {
        match self.node(self.root()) {
            Node::Attack { mv, .. } => Some(mv),
            Node::Defend { .. } => None,
        }
    }

    /// The same proof on the board turned or mirrored.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        let rules = *self.start.rules();
        let image = |mv: &Move| mv.map(|square| symmetry.apply(&rules, square));
        let nodes = self.nodes.iter().map(|node| match node {
            Node::Attack { mv, then } => Node::Attack {
                mv: image(mv),
                then: *then,
            },
            Node::Defend { replies } => Node::Defend {
                replies: replies
                    .iter()
                    .map(|reply| Reply {
                        mv: image(&reply.mv),
                        answer: reply.answer,
                    })
                    .collect(),
            },
        });
        Self {
            start: self.start.transformed(symmetry),
            attacker: self.attacker,
            nodes: nodes.collect(),
        }
    }
}

impl Node {
    /// The nodes that this one rests on.
    pub fn children(&self) -> impl Iterator<Item = ProofId> {
        let (then, replies) = match self {
            Self::Attack { then, .. } => (*then, &[][..]),
            Self::Defend { replies } => (None, &replies[..]),
        };
        then.into_iter()
            .chain(replies.iter().filter_map(|reply| match reply.answer {
                Answer::Proof(id) => Some(id),
                Answer::LikeReply(_) => None,
            }))
    }
}

impl Reply {
    /// The node that answers this reply, which is one of `replies`: its own, or that of the
    /// reply it is like.
    pub(crate) fn proof_among(&self, replies: &[Self]) -> Option<ProofId> {
        match self.answer {
            Answer::Proof(id) => Some(id),
            Answer::LikeReply(like) => match replies.get(like as usize)?.answer {
                Answer::Proof(id) => Some(id),
                Answer::LikeReply(_) => None,
            },
        }
    }
}
