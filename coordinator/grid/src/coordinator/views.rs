//! Nodes, jobs and orders, for those who look on. Looking changes nothing.

use std::time::Duration;

use gridproof_game::{Colour, Move, Position};
use gridproof_search::{
    ChildView, Core, JobKind, LeaseId, LeaseView, NamedBy, NodeId, Numbers, Order, ReplyState,
    Request, Side,
};

use super::actor::Actor;
use super::order_log::GivenOrder;
use super::snapshot::best_move;

/// How a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeStatus {
    Running,
    Open,
    Proved,
    Excused,
    Failed,
    Forgotten,
    Paused,
}

/// The order of a node's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ChildOrder {
    #[default]
    AsTheyCame,
    Proof,
    Disproof,
    Move,
    Status,
}

/// Which of many things are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    pub offset: usize,
    pub limit: usize,
}

impl Page {
    fn of<T>(self, all: impl Iterator<Item = T>) -> Vec<T> {
        all.skip(self.offset).take(self.limit).collect()
    }
}

/// A node with some of its children, all in the node's orientation.
#[derive(Clone, Debug)]
pub struct NodeDetails {
    pub node: NodeId,
    pub position: Position,
    pub attacker: Colour,
    pub numbers: Numbers,
    pub status: NodeStatus,
    pub parents: usize,
    pub answers: u16,
    /// An open search waits for it.
    pub matters: bool,
    pub jobs: Vec<JobDetails>,
    pub children: Vec<ChildDetails>,
    /// Children that fit, on all pages.
    pub children_total: usize,
}

/// A move from a node.
#[derive(Clone, Debug)]
pub struct ChildDetails {
    pub mv: Move,
    pub node: NodeId,
    pub numbers: Numbers,
    pub status: NodeStatus,
    pub by: NamedBy,
    /// The name of the worker that named it.
    pub worker: String,
    pub jobs: usize,
    pub parents: usize,
}

/// A job that is running, or that an operator waits for.
#[derive(Clone, Debug)]
pub struct JobDetails {
    /// None while it waits for a worker.
    pub lease: Option<LeaseId>,
    pub node: NodeId,
    pub kind: JobKind,
    pub worker: String,
    pub position: Position,
    pub age: Duration,
    pub spent: u64,
    pub budget: u64,
    /// The operator who asked for it, if one did.
    pub author: Option<String>,
}

/// Jobs at one moment.
#[derive(Clone, Debug)]
pub struct JobsPage {
    /// Oldest first.
    pub jobs: Vec<JobDetails>,
    pub total: usize,
    /// Asked for by operators, and no worker has room yet.
    pub waiting: Vec<JobDetails>,
}

impl Actor {
    pub(super) fn node_details(
        &self,
        node: NodeId,
        order: ChildOrder,
        statuses: &[NodeStatus],
        page: Page,
    ) -> Option<NodeDetails> {
        let view = self.core.node(node)?;
        let children = self.core.children(node).into_iter();
        let with_status = children.filter_map(|child| {
            let status = match child.state {
                ReplyState::Excused => NodeStatus::Excused,
                ReplyState::Live => status_of(&self.core, child.node)?,
            };
            (statuses.is_empty() || statuses.contains(&status)).then_some((child, status))
        });
        let mut children: Vec<_> = with_status.collect();
        match order {
            ChildOrder::AsTheyCame => {}
            ChildOrder::Proof => children.sort_by_key(|(child, _)| child.numbers.proof),
            ChildOrder::Disproof => children.sort_by_key(|(child, _)| child.numbers.disproof),
            ChildOrder::Move => children.sort_by(|(a, _), (b, _)| a.mv.cmp(&b.mv)),
            ChildOrder::Status => children.sort_by_key(|(_, status)| *status),
        }
        let children_total = children.len();
        let children = page.of(children.into_iter());
        let children = children.into_iter();
        Some(NodeDetails {
            node,
            position: self.core.position(node)?,
            attacker: view.attacker,
            numbers: view.numbers,
            status: status_of(&self.core, node)?,
            parents: self.core.parents(node).len(),
            answers: view.answers,
            matters: view.matters,
            jobs: self.jobs_at(node),
            children: children
                .map(|(child, status)| self.child_details(child, status))
                .collect(),
            children_total,
        })
    }

    fn child_details(&self, child: ChildView, status: NodeStatus) -> ChildDetails {
        ChildDetails {
            mv: child.mv,
            node: child.node,
            numbers: child.numbers,
            status,
            by: child.by,
            worker: match child.by {
                NamedBy::Worker(worker) => self.roster.name_of(worker),
                NamedBy::Operator | NamedBy::Settlement => String::new(),
            },
            jobs: self.core.leases_at(child.node).len(),
            parents: self.core.parents(child.node).len(),
        }
    }

    fn jobs_at(&self, node: NodeId) -> Vec<JobDetails> {
        let running = self.core.leases_at(node).into_iter();
        let running = running.filter_map(|lease| self.job_details(lease));
        running.chain(self.waiting_at(node)).collect()
    }

    pub(super) fn jobs(&self, page: Page) -> JobsPage {
        let mut leases: Vec<_> = self.core.leases().collect();
        leases.sort_by_key(|lease| (std::cmp::Reverse(lease.running_for), lease.lease));
        let total = leases.len();
        let leases = page.of(leases.into_iter());
        let leases = leases.into_iter();
        let waiting = self.core.requests().map(|request| request.node);
        JobsPage {
            jobs: leases.filter_map(|lease| self.job_details(lease)).collect(),
            total,
            waiting: waiting.filter_map(|node| self.waiting_at(node)).collect(),
        }
    }

    fn job_details(&self, lease: LeaseView) -> Option<JobDetails> {
        Some(JobDetails {
            lease: Some(lease.lease),
            node: lease.node,
            kind: lease.kind,
            worker: self.roster.name_of(lease.worker),
            position: self.core.position(lease.node)?,
            age: lease.running_for,
            spent: lease.spent,
            budget: lease.budget,
            author: lease.requested.then(|| self.requester(lease.node)),
        })
    }

    /// The job that an operator waits for at a node, if no worker has it yet.
    fn waiting_at(&self, node: NodeId) -> Option<JobDetails> {
        let mut requests = self.core.requests();
        let Request { budget, .. } = requests.find(|request| request.node == node)?;
        if !self.core.leases_at(node).is_empty() {
            return None;
        }
        Some(JobDetails {
            lease: None,
            node,
            kind: self.core.node(node)?.side.job_kind(),
            worker: String::new(),
            position: self.core.position(node)?,
            age: Duration::ZERO,
            spent: 0,
            budget,
            author: Some(self.requester(node)),
        })
    }

    /// Who asked for the job at a node.
    fn requester(&self, at: NodeId) -> String {
        let mut orders = self.orders.newest_first();
        let asked =
            orders.find(|given| matches!(given.order, Order::Run { node, .. } if node == at));
        asked.map_or_else(String::new, |given| given.author.clone())
    }

    pub(super) fn orders(&self, page: Page) -> (Vec<GivenOrder>, usize) {
        let orders = page.of(self.orders.newest_first().cloned());
        (orders, self.orders.len())
    }
}

fn status_of(core: &Core, node: NodeId) -> Option<NodeStatus> {
    let view = core.node(node)?;
    Some(if view.numbers.is_proved() {
        NodeStatus::Proved
    } else if view.numbers.is_solved() {
        NodeStatus::Failed
    } else if view.forgotten {
        NodeStatus::Forgotten
    } else if view.is_running {
        NodeStatus::Running
    } else if view.paused {
        NodeStatus::Paused
    } else {
        NodeStatus::Open
    })
}

/// The way to the open reply with the largest proof number: by the best moves to the first
/// position in which the defender is to move, and on by that reply.
#[must_use]
pub fn hardest_reply(core: &Core, node: NodeId) -> Vec<(NodeId, Move)> {
    let mut way = Vec::new();
    let mut at = node;
    while core
        .node(at)
        .is_some_and(|view| view.side == Side::Attacker)
    {
        let Some(best) = best_move(core, at) else {
            return way;
        };
        at = best.0;
        way.push(best);
    }
    let children = core.children(at).into_iter();
    let open =
        children.filter(|child| child.state == ReplyState::Live && !child.numbers.is_solved());
    let hardest = open.max_by_key(|child| (child.numbers.proof, std::cmp::Reverse(child.node)));
    way.extend(hardest.map(|child| (child.node, child.mv)));
    way
}

/// What both sides would play as things stand, to a leaf.
#[must_use]
pub fn most_proving(core: &Core, node: NodeId) -> Vec<(NodeId, Move)> {
    let mut way = Vec::new();
    let mut at = node;
    while let Some(best) = best_move(core, at) {
        at = best.0;
        way.push(best);
    }
    way
}

/// The moves of a way, each in the node's orientation that it is played from, as they are
/// played from a position of the first node, however that is turned.
#[must_use]
pub fn turned_line(mut at: Position, way: &[(NodeId, Move)]) -> Vec<Move> {
    let mut line = Vec::new();
    for (_, mv) in way {
        let back = at.canonical().1.inverse();
        let rules = *at.rules();
        let mv = mv.map(|square| back.apply(&rules, square));
        if at.play(&mv).is_err() {
            break;
        }
        line.push(mv);
    }
    line
}
