use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised by anyone to stop a search soon: within some hundred nodes.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops every search that watches this.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has cancelled.
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
    /// A budget of so many nodes.
    #[must_use]
    pub fn of_nodes(total: u64) -> Self {
        Self {
            total,
            spent: 0,
            cancel: Cancel::default(),
            progress: None,
        }
    }

    /// The same budget, which `cancel` can end early.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// The same budget, which tells `progress` how far the search is.
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

    /// Nodes counted so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Nodes that may still be spent.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.spent)
    }

    /// What stops this search.
    #[must_use]
    pub const fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether somebody has cancelled.
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
