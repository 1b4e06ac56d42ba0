//! Looking at the search from outside.

use std::time::Duration;

use gridproof_game::{Colour, Move, Position, Symmetry};

use super::Core;
use crate::effect::Verdict;
use crate::graph::{EdgeState, Flags, NOBODY, OPERATOR};
use crate::ids::{Epoch, LeaseId, NodeId, SearchId, WorkerId};
use crate::job::{JobKind, Side};
use crate::jobs::Lease;
use crate::key::NodeKey;
use crate::numbers::{Numbers, Policy};
use crate::stats::{Effort, Stats};

/// How a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchView {
    pub search: SearchId,
    pub root: NodeId,
    /// From the position that was asked for to the root's orientation.
    pub symmetry: Symmetry,
    pub attacker: Colour,
    pub share: u32,
    pub running_jobs: u32,
    /// Since the coordinator started.
    pub spent: Effort,
    pub numbers: Numbers,
    pub verdict: Verdict,
    pub stopped: bool,
}

/// A node as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeView {
    pub node: NodeId,
    pub key: NodeKey,
    pub attacker: Colour,
    /// Who is to move.
    pub side: Side,
    pub numbers: Numbers,
    pub answers: u16,
    pub is_running: bool,
    /// Some open search waits for it.
    pub matters: bool,
    pub paused: bool,
    pub forgotten: bool,
    /// A verifier has told which replies are open, or enough workers say that there is nothing
    /// more to try.
    pub complete: bool,
    /// What the node's own next job counts for, running or not; none if there is nothing to
    /// ask at the node itself.
    pub own_job: Option<Numbers>,
}

/// A move from a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildView {
    /// In the parent's orientation.
    pub mv: Move,
    pub node: NodeId,
    /// From the position after the move to the child's orientation.
    pub symmetry: Symmetry,
    pub state: ReplyState,
    pub numbers: Numbers,
    pub by: NamedBy,
}

/// Whose word it is that a move is worth looking at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NamedBy {
    /// An engine or a verifier.
    Worker(WorkerId),
    Operator,
    /// The proofs of other replies leave it open.
    Settlement,
}

/// Whether a move counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplyState {
    Live,
    /// A zone answers it.
    Excused,
}

/// A lease as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseView {
    pub lease: LeaseId,
    pub worker: WorkerId,
    pub node: NodeId,
    pub kind: JobKind,
    pub running_for: Duration,
    pub spent: u64,
    /// Solver nodes that it may spend.
    pub budget: u64,
    /// An operator asked for it.
    pub requested: bool,
}

impl<P: Policy> Core<P> {
    pub fn searches(&self) -> impl Iterator<Item = SearchView> + '_ {
        self.searches.iter().map(|search| SearchView {
            search: search.id,
            root: search.root,
            symmetry: search.symmetry,
            attacker: self.graph.attacker(search.root),
            share: search.share(),
            running_jobs: search.jobs(),
            spent: search.spent(),
            numbers: self.graph.node(search.root).numbers(),
            verdict: search.verdict(),
            stopped: !search.is_running(),
        })
    }

    #[must_use]
    pub fn node(&self, id: NodeId) -> Option<NodeView> {
        if !self.graph.contains(id) {
            return None;
        }
        let node = self.graph.node(id);
        Some(NodeView {
            node: id,
            key: node.key(),
            attacker: self.graph.attacker(id),
            side: node.side(),
            numbers: node.numbers(),
            answers: node.serial(),
            is_running: node.job().is_some(),
            matters: node.matters(),
            paused: node.is(Flags::PAUSED),
            forgotten: node.is(Flags::FORGOTTEN),
            complete: node.is(Flags::VERIFIED) || node.is(Flags::GIVEN_UP),
            own_job: self.graph.own_job(id),
        })
    }

    /// A node's position in its own orientation, the canonical one.
    #[must_use]
    pub fn position(&self, id: NodeId) -> Option<Position> {
        self.graph.contains(id).then(|| self.graph.position(id))
    }

    /// A node's moves, in the order in which they came; withdrawn ones are left out.
    #[must_use]
    pub fn children(&self, id: NodeId) -> Vec<ChildView> {
        if !self.graph.contains(id) {
            return Vec::new();
        }
        let position = self.graph.position(id);
        let views = self.graph.children(id).filter_map(|edge| {
            let node = self.graph.child_of(edge);
            let state = match self.graph.edge(edge).state() {
                EdgeState::Live => ReplyState::Live,
                EdgeState::Excused => ReplyState::Excused,
                EdgeState::Dead => return None,
            };
            Some(ChildView {
                mv: self.graph.move_of(edge),
                node,
                symmetry: self.graph.symmetry_of(edge, &position),
                state,
                numbers: self.graph.node(node).numbers(),
                by: match (self.graph.edge(edge).by(), self.graph.node(id).side()) {
                    (OPERATOR, _) | (NOBODY, Side::Attacker) => NamedBy::Operator,
                    (NOBODY, Side::Defender) => NamedBy::Settlement,
                    (worker, _) => NamedBy::Worker(worker),
                },
            })
        });
        views.collect()
    }

    /// The nodes with a move to this one.
    #[must_use]
    pub fn parents(&self, id: NodeId) -> Vec<NodeId> {
        if !self.graph.contains(id) {
            return Vec::new();
        }
        let live = self
            .graph
            .parents(id)
            .filter(|&edge| self.graph.edge(edge).state() != EdgeState::Dead);
        live.map(|edge| self.graph.parent_of(edge)).collect()
    }

    /// The node of a position however it is turned, and the symmetry from the position to the
    /// node's orientation.
    #[must_use]
    pub fn find(&self, position: &Position, attacker: Colour) -> Option<(NodeId, Symmetry)> {
        let (key, _, symmetry) = NodeKey::of(position, attacker);
        self.graph.by_key(key).map(|node| (node, symmetry))
    }

    pub fn leases(&self) -> impl Iterator<Item = LeaseView> + '_ {
        self.jobs
            .leases()
            .map(|(id, lease)| self.lease_view(id, lease))
    }

    /// The leases of the job that is running at a node.
    #[must_use]
    pub fn leases_at(&self, id: NodeId) -> Vec<LeaseView> {
        let node = self.graph.contains(id).then(|| self.graph.node(id));
        let job = node.and_then(|node| node.job());
        let leases = job.map_or(&[][..], |job| self.jobs.get(job).leases());
        let leases = leases.iter();
        leases
            .filter_map(|&id| Some(self.lease_view(id, self.jobs.lease(id)?)))
            .collect()
    }

    fn lease_view(&self, id: LeaseId, lease: &Lease) -> LeaseView {
        let job = self.jobs.get(lease.job);
        LeaseView {
            lease: id,
            worker: lease.worker,
            node: job.spec.id.node,
            kind: job.spec.id.kind,
            running_for: self.now.since(lease.started),
            spent: lease.spent,
            budget: job.spec.budget,
            requested: job.requested,
        }
    }

    #[must_use]
    pub fn node_count(&self) -> usize {
        self.graph.len()
    }

    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// Memory of the graph, spare room of its lists included.
    #[must_use]
    pub fn graph_bytes(&self) -> usize {
        self.graph.bytes()
    }

    #[must_use]
    pub fn idle_workers(&self) -> usize {
        self.roster.idle().len()
    }

    #[must_use]
    pub fn epoch(&self) -> Epoch {
        self.jobs.epoch()
    }

    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}
