//! The AND/OR graph: nodes by position, edges by move, no cycles; and its proof numbers.
//!
//! Whoever changes it calls a method that says what happened. The graph notes which nodes must be
//! worked out again, and [`Graph::propagate`] does that.

mod best;
mod check;
mod edge;
mod evaluate;
mod facts;
mod node;
mod packed;
mod propagate;
mod rebuild;
mod settle;
mod withdraw;

use std::collections::BTreeMap;

use gridproof_game::{Colour, Move, Position, Symmetry};
use hashbrown::HashTable;

pub use check::BrokenInvariant;
pub(crate) use check::broken;
pub(crate) use edge::{EdgeId, EdgeState, NOBODY, OPERATOR};
pub(crate) use facts::Claim;
pub use facts::ReplayError;
pub(crate) use node::{Flags, Node};

use edge::{Edge, Link};
use evaluate::Arithmetic;
use node::Way;
use packed::LongMoves;
use propagate::Pending;

use crate::fact::Child;
use crate::ids::{NodeId, WorkerId};
use crate::job::{Level, Side};
use crate::key::NodeKey;
use crate::numbers::{Numbers, Policy, Status};
use crate::options::Options;

#[derive(Debug)]
pub(crate) struct Graph<P> {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    index: HashTable<u32>,
    long_moves: LongMoves,
    /// Positions that were given, from which all others follow by moves.
    positions: BTreeMap<NodeId, Position>,
    arithmetic: Arithmetic<P>,
    highest: Level,
    pending: Pending,
}

impl<P: Policy> Graph<P> {
    pub(crate) fn new(options: &Options, policy: P) -> Self {
        Self {
            nodes: Vec::new(),
            edges: Vec::new(),
            index: HashTable::new(),
            long_moves: LongMoves::default(),
            positions: BTreeMap::new(),
            arithmetic: Arithmetic::new(options, policy),
            highest: options.budgets.highest,
            pending: Pending::default(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<P> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub(crate) fn contains(&self, id: NodeId) -> bool {
        id.index() < self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub(crate) fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    fn edge_mut(&mut self, id: EdgeId) -> &mut Edge {
        &mut self.edges[id.0 as usize]
    }

    fn edges(&self) -> impl Iterator<Item = EdgeId> + use<P> {
        (0..self.edges.len() as u32).map(EdgeId)
    }

    pub(crate) fn parent_of(&self, edge: EdgeId) -> NodeId {
        self.edge(edge).parent
    }

    pub(crate) fn child_of(&self, edge: EdgeId) -> NodeId {
        self.edge(edge).child
    }

    pub(crate) fn by_key(&self, key: NodeKey) -> Option<NodeId> {
        let nodes = &self.nodes;
        let found = self
            .index
            .find(key.0[0], |&at| nodes[at as usize].key == key);
        found.map(|&at| NodeId(at))
    }

    pub(crate) fn attacker(&self, id: NodeId) -> Colour {
        if self.node(id).is(Flags::WHITE_ATTACKS) {
            Colour::White
        } else {
            Colour::Black
        }
    }

    /// The node of a position that is given in canonical form, new or known.
    fn plant(&mut self, key: NodeKey, canonical: Position, attacker: Colour) -> NodeId {
        let side = Side::to_move(&canonical, attacker);
        let rank = Node::rank_of(canonical.stone_count(), side);
        let id = self
            .by_key(key)
            .unwrap_or_else(|| self.insert(Node::new(key, rank, Status::Unclear)));
        let node = self.node_mut(id);
        node.flags.insert(Flags::KNOWN_POSITION);
        if attacker == Colour::White {
            node.flags.insert(Flags::WHITE_ATTACKS);
        }
        if canonical.rules().columns() != canonical.rules().rows() {
            node.flags.insert(Flags::OBLONG);
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

    /// Leads a move from a node to its child, which is made if it is new.
    fn link(&mut self, parent: NodeId, to: &Child, by: WorkerId) -> EdgeId {
        let child = self.by_key(to.key).unwrap_or_else(|| {
            let parent = self.node(parent);
            let rank = parent.rank_of_child(to.mv.stones().len());
            let status = self.arithmetic.first_numbers().of(to.status);
            let mut node = Node::new(to.key, rank, status);
            node.flags = parent.flags & Flags::INHERITED;
            self.insert(node)
        });
        assert!(
            self.node(child).rank > self.node(parent).rank,
            "moves lead on, never back"
        );
        let id = EdgeId(Link::to(self.edges.len()).get().unwrap_or(0) as u32);
        let last = EdgeId::of(self.node(parent).last_child);
        let next_child = last.map_or(id.link(), |last| self.edge(last).next_child);
        self.edges.push(Edge {
            parent,
            child,
            next_child,
            next_parent: self.node(child).a_parent,
            mv: self.long_moves.pack(&to.mv),
            by,
            symmetry: to.symmetry,
            state: EdgeState::Live,
        });
        if let Some(last) = last {
            self.edge_mut(last).next_child = id.link();
        }
        self.node_mut(parent).last_child = id.link();
        self.node_mut(child).a_parent = id.link();
        id
    }

    /// A node's edges to its children, in the order in which they came.
    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        let last = EdgeId::of(self.node(id).last_child);
        let mut next = last.and_then(|last| EdgeId::of(self.edge(last).next_child));
        std::iter::from_fn(move || {
            let edge = next?;
            next = if next == last {
                None
            } else {
                EdgeId::of(self.edge(edge).next_child)
            };
            Some(edge)
        })
    }

    /// Those of them that count: neither excused nor withdrawn.
    pub(crate) fn live_children(&self, id: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        let is_live = |edge: &EdgeId| self.edge(*edge).state == EdgeState::Live;
        self.children(id).filter(is_live)
    }

    /// A node's edges from its parents, the newest first.
    pub(crate) fn parents(&self, id: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        let mut next = EdgeId::of(self.node(id).a_parent);
        std::iter::from_fn(move || {
            let edge = next?;
            next = EdgeId::of(self.edge(edge).next_parent);
            Some(edge)
        })
    }

    /// The edge of a move, in the node's orientation. A withdrawn one counts as none.
    pub(crate) fn child_by_move(&self, id: NodeId, mv: &Move) -> Option<EdgeId> {
        let packed = self.long_moves.find(mv)?;
        self.children(id).find(|&edge| {
            let edge = self.edge(edge);
            edge.mv == packed && edge.state != EdgeState::Dead
        })
    }

    pub(crate) fn move_of(&self, edge: EdgeId) -> Move {
        self.long_moves.unpack(self.edge(edge).mv)
    }

    /// The symmetry from the position after the edge's move to the child's orientation.
    pub(crate) fn symmetry_of(&self, edge: EdgeId, position: &Position) -> Symmetry {
        Symmetry::from_index(position.rules(), self.edge(edge).symmetry)
            .expect("symmetries are checked when facts come in")
    }

    /// A node's position in canonical form: moves are played from the nearest position that
    /// was given, since keeping all of them would take more memory than all else.
    pub(crate) fn position(&self, id: NodeId) -> Position {
        let mut way = Vec::new();
        let mut at = id;
        while !self.node(at).is(Flags::KNOWN_POSITION) {
            let edge = EdgeId::of(self.node(at).a_parent);
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

    /// Whether a job is free at a node or below it.
    pub(crate) fn has_free_job(&self, id: NodeId) -> bool {
        self.node(id).way != Way::BLOCKED
    }

    /// Follows the best way down to a node whose own job is the best to do. A job must be free.
    pub(crate) fn best_job(&self, root: NodeId) -> NodeId {
        let mut at = root;
        loop {
            match self.node(at).way {
                Way::OWN_JOB => return at,
                Way::BLOCKED => unreachable!("a way that is open leads to a job"),
                way => at = self.child_of(way.edge()),
            }
        }
    }

    /// A parent that waits for this node.
    pub(crate) fn waiting_parent(&self, id: NodeId) -> Option<NodeId> {
        let mut parents = self.parents(id).map(|edge| self.parent_of(edge));
        parents.find(|&parent| self.node(parent).is(Flags::COUNTED))
    }

    /// What a node's own next job counts for; none if there is nothing to ask at the node itself.
    pub(crate) fn own_job(&self, id: NodeId) -> Option<Numbers> {
        let asks = self.arithmetic.asks(self, id);
        asks.then(|| self.node(id).job_numbers())
    }

    /// A job begins at a node.
    pub(crate) fn start_job(&mut self, id: NodeId, job: usize) {
        self.node_mut(id).job = Link::to(job);
        self.touch_with_parents(id);
    }

    /// One more worker has the node's job.
    pub(crate) fn count_attempt(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        node.attempts = node.attempts.saturating_add(1);
    }

    pub(crate) fn end_job(&mut self, id: NodeId) {
        self.node_mut(id).job = Link::NONE;
        self.touch_with_parents(id);
    }

    /// Passes over a node's own job, or no longer.
    pub(crate) fn hold(&mut self, id: NodeId, hold: bool) {
        self.node_mut(id).flags.set(Flags::HELD, hold);
        self.touch_with_parents(id);
    }

    /// Memory that nodes and edges take, spare room included.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.index.allocation_size()
            + self.long_moves.bytes()
    }
}
