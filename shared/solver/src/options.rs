use crate::attacks::Width;
use crate::coverage::Coverage;
use crate::order::Order;

/// How a search goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverOptions {
    /// The highest order to try; lower ones are tried first.
    pub order: Order,
    /// Which of the defender's moves are looked at.
    pub coverage: Coverage,
    /// Try every way to place free stones, so that failing means there is no win of the
    /// order. For small boards only.
    pub exhaustive: bool,
    /// Otherwise: how many squares are tried for a free stone.
    pub fillers: usize,
    /// Let the zone of any reply excuse another.
    pub replay_siblings: bool,
    /// Roughly the bytes that the tree of one search may take. A search that needs more
    /// answers "unknown", however many nodes are left.
    pub memory: usize,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            order: Order::SINGLE_THREATS,
            coverage: Coverage::Segment,
            exhaustive: false,
            fillers: 8,
            replay_siblings: true,
            memory: Self::DEFAULT_MEMORY,
        }
    }
}

impl SolverOptions {
    /// A machine of some gigabytes can then search with as many cores as it has.
    pub const DEFAULT_MEMORY: usize = 1 << 30;

    /// The usual options with another highest order.
    #[must_use]
    pub fn of_order(order: Order) -> Self {
        Self {
            order,
            ..Self::default()
        }
    }

    pub(crate) const fn width(&self) -> Width {
        if self.exhaustive {
            Width::All
        } else {
            Width::Narrow(self.fillers)
        }
    }
}
