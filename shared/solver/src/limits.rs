use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The order of a lambda search: how quiet the attacker's moves may be.
///
/// With p stones a turn, a move of order r leaves at least p + 1 - r threats: with two stones
/// a turn, order 1 is double threats only, order 2 single threats too, order 3 anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Order(pub u8);

impl Order {
    /// Victory by continuous double threats (with p stones a turn: by p threats).
    pub const DOUBLE_THREATS: Self = Self(1);
    /// Victory by continuous single threats, or more.
    pub const SINGLE_THREATS: Self = Self(2);

    /// The order whose moves may be quiet: they need not threaten anything.
    #[must_use]
    pub const fn of_quiet_moves(stones_per_turn: u8) -> Self {
        Self(stones_per_turn + 1)
    }

    /// The least number of threats that a move of this order leaves.
    #[must_use]
    pub fn least_threats(self, stones_per_turn: u32) -> u32 {
        (stones_per_turn + 1).saturating_sub(u32::from(self.0))
    }
}

/// Raised by anyone to stop a search soon: within some hundred nodes.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many nodes a search may still look at. Time never decides anything: the same search
/// with the same budget gives the same answer on any machine, unless somebody cancels it.
#[derive(Debug)]
pub struct Budget<'a> {
    total: u64,
    spent: u64,
    cancel: Cancel,
    progress: Option<&'a mut dyn Progress>,
}

/// Told now and then how far a search is.
pub trait Progress: std::fmt::Debug {
    /// `spent` nodes of the budget are used up.
    fn nodes(&mut self, spent: u64);
}

const PROGRESS_EVERY: u64 = 4096;

impl<'a> Budget<'a> {
    #[must_use]
    pub fn of_nodes(total: u64) -> Self {
        Self {
            total,
            spent: 0,
            cancel: Cancel::default(),
            progress: None,
        }
    }

    #[must_use]
    pub fn cancelled_by(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    #[must_use]
    pub fn reporting_to(mut self, progress: &'a mut dyn Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Counts one node.
    #[inline]
    pub fn spend(&mut self) {
        self.spent += 1;
        if self.spent.is_multiple_of(PROGRESS_EVERY)
            && let Some(progress) = &mut self.progress
        {
            progress.nodes(self.spent);
        }
    }

    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }

    #[must_use]
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.spent)
    }

    /// What stops this search.
    #[must_use]
    pub const fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Nothing is left, or somebody cancelled.
    #[must_use]
    #[inline]
    pub fn is_over(&self) -> bool {
        self.spent >= self.total || self.cancel.is_cancelled()
    }

    /// Runs something with at most `nodes` of what is left.
    pub fn within<T>(&mut self, nodes: u64, run: impl FnOnce(&mut Self) -> T) -> T {
        let total = self.total;
        self.total = self.spent.saturating_add(nodes).min(total);
        let outcome = run(self);
        self.total = total;
        outcome
    }
}
