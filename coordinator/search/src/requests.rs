//! Jobs that operators asked for: they come before all others.

use crate::ids::NodeId;

/// A job that an operator wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub node: NodeId,
    /// Solver nodes that the job may spend.
    pub budget: u64,
}

/// The requests that are not answered yet, oldest first. There are few, one for a node at most.
#[derive(Debug, Default)]
pub(crate) struct Requests(Vec<Request>);

impl Requests {
    pub(crate) fn budget_at(&self, node: NodeId) -> Option<u64> {
        let mut requests = self.iter();
        let request = requests.find(|request| request.node == node)?;
        Some(request.budget)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Request> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn insert(&mut self, request: Request) {
        self.remove(request.node);
        self.0.push(request);
    }

    pub(crate) fn remove(&mut self, node: NodeId) {
        self.retain(|other| other != node);
    }

    /// Keeps those for which somebody waits.
    pub(crate) fn retain(&mut self, is_waited_for: impl Fn(NodeId) -> bool) {
        self.0.retain(|request| is_waited_for(request.node));
    }
}
