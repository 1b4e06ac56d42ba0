//! Who works on what, and since when.

use std::collections::{BTreeMap, VecDeque};

use gridproof_game::Position;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ids::{Generation, LeaseId, NodeId, Time, WorkerId};

/// One worker's attempt at a job.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) worker: WorkerId,
    pub(super) slot: usize,
    pub(super) started: Time,
    /// When the worker last said something about it.
    pub(super) heard: Time,
    /// Solver nodes, as far as it has told.
    pub(super) spent: u64,
}

/// A job that somebody is working on.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub(super) node: NodeId,
    /// Index of the search that asked for it.
    pub(super) search: usize,
    /// The node's position, which its answers are read against.
    pub(super) position: Box<Position>,
    /// The node's answers on record when the job was made: should the number change, the
    /// question is no longer the same.
    pub(super) serial: u16,
    /// How many of the node's children the worker was told of.
    pub(super) known: usize,
    pub(super) leases: SmallVec<[LeaseId; 2]>,
    /// The budget that an operator asked for.
    pub(super) requested: Option<u64>,
}

/// Jobs in flight by a number that is free again when the job has ended.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Vec<Option<InFlight>>,
    free: Vec<usize>,
}

impl Slots {
    pub(super) fn insert(&mut self, job: InFlight) -> usize {
        if let Some(slot) = self.free.pop() {
            self.slots[slot] = Some(job);
            slot
        } else {
            self.slots.push(Some(job));
            self.slots.len() - 1
        }
    }

    pub(super) fn get(&self, slot: usize) -> &InFlight {
        self.slots[slot]
            .as_ref()
            .expect("a lease's job is in flight")
    }

    pub(super) fn get_mut(&mut self, slot: usize) -> &mut InFlight {
        self.slots[slot]
            .as_mut()
            .expect("a lease's job is in flight")
    }

    pub(super) fn remove(&mut self, slot: usize) -> InFlight {
        self.free.push(slot);
        self.slots[slot].take().expect("a job ends once")
    }

    /// The numbers of all jobs in flight.
    pub(super) fn taken(&self) -> Vec<usize> {
        let taken = |slot: &usize| self.slots[*slot].is_some();
        (0..self.slots.len()).filter(taken).collect()
    }
}

/// A worker that has said hello since the coordinator started, or was banned before.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub(super) generation: Generation,
    pub(super) state: Presence,
    pub(super) slots: u16,
    pub(super) until: Option<Time>,
    pub(super) leases: SmallVec<[LeaseId; 2]>,
    /// Solver nodes a second, as measured; 0 while unknown.
    pub(super) speed: u64,
    /// No job that is to be had fits this worker; asked again at the next tick.
    pub(super) passed_over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Here,
    /// Its jobs wait for it until the grace is over.
    LostSince(Time),
    Left,
    Banned,
}

impl Worker {
    pub(super) fn new(generation: Generation, state: Presence) -> Self {
        Self {
            generation,
            state,
            slots: 0,
            until: None,
            leases: SmallVec::new(),
            speed: 0,
            passed_over: false,
        }
    }

    pub(super) fn is_here(&self) -> bool {
        self.state == Presence::Here
    }

    pub(super) fn has_room(&self) -> bool {
        self.is_here() && self.leases.len() < usize::from(self.slots)
    }

    /// Takes in how fast a job went; the newest quarter counts most.
    pub(super) fn measure(&mut self, spent: u64, millis: u64) {
        let now = spent.saturating_mul(1000) / millis.max(1);
        self.speed = if self.speed == 0 {
            now
        } else {
            (3 * self.speed + now) / 4
        };
    }
}

pub(super) type Workers = BTreeMap<WorkerId, Worker>;
pub(super) type Leases = BTreeMap<LeaseId, Lease>;

/// How a lease came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Answered,
    Dropped,
}

/// The last leases that ended, so that what comes too late is not taken for reason of
/// another kind.
#[derive(Debug, Default)]
pub(super) struct Ended {
    by_id: FxHashMap<LeaseId, End>,
    order: VecDeque<LeaseId>,
}

impl Ended {
    const KEPT: usize = 1 << 16;

    pub(super) fn insert(&mut self, lease: LeaseId, end: End) {
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

    pub(super) fn get(&self, lease: LeaseId) -> Option<End> {
        self.by_id.get(&lease).copied()
    }
}
