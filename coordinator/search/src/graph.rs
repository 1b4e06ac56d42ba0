//! The AND/OR graph: nodes by position, edges by move, no cycles.

use std::collections::BTreeMap;

use gridproof_game::{Colour, Move, Position, Symmetry};
use hashbrown::HashTable;

use super::ids::{NodeId, WorkerId};
use super::job::JobKind;
use super::key::NodeKey;
use super::node::{Edge, EdgeState, Flags, Link, Node};
use super::numbers::Status;
use super::packed::LongMoves;

#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    index: HashTable<u32>,
    long_moves: LongMoves,
    /// Positions that were given, from which all others follow by moves.
    positions: BTreeMap<NodeId, Position>,
}

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeId(pub(super) usize);

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub(super) fn contains(&self, id: NodeId) -> bool {
        id.index() < self.nodes.len()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(super) fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0]
    }

    pub(super) fn edge_mut(&mut self, id: EdgeId) -> &mut Edge {
        &mut self.edges[id.0]
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edges.len()).map(EdgeId)
    }

    pub(super) fn parent_of(&self, edge: EdgeId) -> NodeId {
        target(self.edge(edge).parent)
    }

    pub(super) fn child_of(&self, edge: EdgeId) -> NodeId {
        target(self.edge(edge).child)
    }

    pub(super) fn by_key(&self, key: NodeKey) -> Option<NodeId> {
        let nodes = &self.nodes;
        let found = self
            .index
            .find(key.0[0], |&at| nodes[at as usize].key == key);
        found.map(|&at| NodeId(at))
    }

    pub(super) fn attacker(&self, id: NodeId) -> Colour {
        if self.node(id).flags.has(Flags::WHITE_ATTACKS) {
            Colour::White
        } else {
            Colour::Black
        }
    }

    /// The node of a position that is given in canonical form, new or known.
    pub(super) fn plant(&mut self, key: NodeKey, canonical: Position, attacker: Colour) -> NodeId {
        let kind = if canonical.to_move() == attacker {
            JobKind::Engine
        } else {
            JobKind::Verifier
        };
        let rank = Node::rank_of(canonical.stone_count(), kind);
        let id = self
            .by_key(key)
            .unwrap_or_else(|| self.insert(Node::new(key, rank, Status::Unclear)));
        let node = self.node_mut(id);
        node.flags.set(Flags::KNOWN_POSITION);
        if attacker == Colour::White {
            node.flags.set(Flags::WHITE_ATTACKS);
        }
        if canonical.rules().columns() != canonical.rules().rows() {
            node.flags.set(Flags::OBLONG);
        }
        self.positions.insert(id, canonical);
        id
    }

    fn insert(&mut self, node: Node) -> NodeId {
        let at = u32::try_from(self.nodes.len()).expect("memory ends before the numbers do");
        let hash = node.key.0[0];
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.index
            .insert_unique(hash, at, |&at| nodes[at as usize].key.0[0]);
        NodeId(at)
    }

    /// Leads a move from a node to the node with a key, which is made if it is new.
    pub(super) fn link(
        &mut self,
        parent: NodeId,
        mv: &Move,
        to: NodeKey,
        symmetry: u8,
        status: Status,
        by: WorkerId,
    ) -> EdgeId {
        let child = self.by_key(to).unwrap_or_else(|| {
            let parent = self.node(parent);
            let rank = parent.rank_of_child(mv.stones().len());
            let mut node = Node::new(to, rank, status);
            node.flags = parent.flags.only(Flags::INHERITED);
            self.insert(node)
        });
        assert!(
            self.node(child).rank > self.node(parent).rank,
            "moves lead on, never back"
        );
        let id = self.edges.len();
        let last = self.node(parent).last_child;
        let next_child = last
            .get()
            .map_or(Link::to(id), |last| self.edges[last].next_child);
        self.edges.push(Edge {
            parent: Link::to(parent.index()),
            child: Link::to(child.index()),
            next_child,
            next_parent: self.node(child).a_parent,
            mv: self.long_moves.pack(mv),
            by,
            symmetry,
            state: EdgeState::Live,
        });
        if let Some(last) = last.get() {
            self.edges[last].next_child = Link::to(id);
        }
        self.node_mut(parent).last_child = Link::to(id);
        self.node_mut(child).a_parent = Link::to(id);
        EdgeId(id)
    }

    /// A node's edges to its children, in the order in which they came.
    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        let last = self.node(id).last_child.get();
        let mut next = last.and_then(|last| self.edges[last].next_child.get());
        std::iter::from_fn(move || {
            let edge = next?;
            next = if Some(edge) == last {
                None
            } else {
                self.edges[edge].next_child.get()
            };
            Some(EdgeId(edge))
        })
    }

    /// Those of them that count: neither excused nor withdrawn.
    pub(super) fn live_children(&self, id: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        let is_live = |edge: &EdgeId| self.edge(*edge).state == EdgeState::Live;
        self.children(id).filter(is_live)
    }

    /// A node's edges from its parents, the newest first.
    pub(super) fn parents(&self, id: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        let mut next = self.node(id).a_parent.get();
        std::iter::from_fn(move || {
            let edge = next?;
            next = self.edges[edge].next_parent.get();
            Some(EdgeId(edge))
        })
    }

    /// The edge of a move, in the node's orientation. A withdrawn one counts as none.
    pub(super) fn child_by_move(&self, id: NodeId, mv: &Move) -> Option<EdgeId> {
        let packed = self.long_moves.find(mv)?;
        self.children(id).find(|&edge| {
            let edge = self.edge(edge);
            edge.mv == packed && edge.state != EdgeState::Dead
        })
    }

    pub(super) fn move_of(&self, edge: EdgeId) -> Move {
        self.long_moves.unpack(self.edge(edge).mv)
    }

    /// The symmetry from the position after the edge's move to the child's orientation.
    pub(super) fn symmetry_of(&self, edge: EdgeId, position: &Position) -> Symmetry {
        Symmetry::from_index(position.rules(), self.edge(edge).symmetry)
            .expect("symmetries are checked when facts come in")
    }

    /// A node's position in canonical form: moves are played from the nearest position that
    /// was given, since keeping all of them would take more memory than all else.
    pub(super) fn position(&self, id: NodeId) -> Position {
        let mut way = Vec::new();
        let mut at = id;
        while !self.node(at).flags.has(Flags::KNOWN_POSITION) {
            let edge = self.node(at).a_parent.get().map(EdgeId);
            let edge = edge.expect("only given positions have no parent");
            way.push((edge, Symmetry::IDENTITY));
            at = self.parent_of(edge);
        }
        let start = &self.positions[&at];
        // All in the orientation of the end, so that no position on the way is turned.
        let mut to_end = Symmetry::IDENTITY;
        for (edge, symmetry) in &mut way {
            to_end = self.symmetry_of(*edge, start).then(to_end);
            *symmetry = to_end;
        }
        let mut position = start.transformed(to_end);
        for &(edge, symmetry) in way.iter().rev() {
            let turned = |square| symmetry.apply(start.rules(), square);
            let mv = self.move_of(edge).map(turned);
            let played = position.play(&mv);
            played.expect("moves are checked when they come in");
        }
        position
    }

    /// Memory that nodes and edges take, spare room included.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.index.allocation_size()
            + self.long_moves.bytes()
    }
}

fn target(link: Link) -> NodeId {
    let index = link.get().expect("an edge has two ends");
    NodeId(index as u32)
}
