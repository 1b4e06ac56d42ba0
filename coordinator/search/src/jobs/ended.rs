//! Leases that are over.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::ids::LeaseId;

/// How a lease came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaseEnd {
    Answered,
    Dropped,
}

/// The last leases that ended, so that what comes too late is known for what it is.
#[derive(Debug, Default)]
pub(super) struct Ended {
    by_id: FxHashMap<LeaseId, LeaseEnd>,
    order: VecDeque<LeaseId>,
}

impl Ended {
    const KEPT: usize = 1 << 16;

    pub(super) fn insert(&mut self, lease: LeaseId, end: LeaseEnd) {
        if self.by_id.insert(lease, end).is_none() {
            self.order.push_back(lease);
        }
        if self.order.len() > Self::KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
    }

    /// The lease goes on after all.
    pub(super) fn remove(&mut self, lease: LeaseId) {
        if self.by_id.remove(&lease).is_some() {
            self.order.retain(|&other| other != lease);
        }
    }

    pub(super) fn get(&self, lease: LeaseId) -> Option<LeaseEnd> {
        self.by_id.get(&lease).copied()
    }
}
