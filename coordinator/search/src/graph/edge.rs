//! Edges as they lie in memory.

use super::packed::PackedMove;
use crate::ids::{NodeId, WorkerId};

/// An index into a list, or nothing, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Link(u32);

impl Link {
    pub(super) const NONE: Self = Self(u32::MAX);

    pub(super) fn to(index: usize) -> Self {
        let index = u32::try_from(index).expect("memory ends before the numbers do");
        assert!(index < u32::MAX - 1, "memory ends before the numbers do");
        Self(index)
    }

    pub(super) const fn get(self) -> Option<usize> {
        if self.is_none() {
            None
        } else {
            Some(self.0 as usize)
        }
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
}

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgeId(pub(super) u32);

impl EdgeId {
    pub(super) fn of(link: Link) -> Option<Self> {
        link.get().map(|index| Self(index as u32))
    }

    pub(super) fn link(self) -> Link {
        Link::to(self.0 as usize)
    }
}

/// A move from one node to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(super) parent: NodeId,
    pub(super) child: NodeId,
    pub(super) next_child: Link,
    pub(super) next_parent: Link,
    pub(super) mv: PackedMove,
    /// Whose word it is that the move is worth looking at.
    pub(super) by: WorkerId,
    pub(super) symmetry: u8,
    pub(super) state: EdgeState,
}

impl Edge {
    pub(crate) const fn state(&self) -> EdgeState {
        self.state
    }

    pub(crate) const fn by(&self) -> WorkerId {
        self.by
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeState {
    Live,
    /// A zone answers this reply.
    Excused,
    /// Withdrawn.
    Dead,
}

/// Facts of the shell and of operators are nobody's word.
pub(crate) const NOBODY: WorkerId = WorkerId(u32::MAX);
/// A reply that an operator wants looked at.
pub(crate) const OPERATOR: WorkerId = WorkerId(u32::MAX - 1);
