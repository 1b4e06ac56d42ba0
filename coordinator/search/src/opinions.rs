//! Who says that nothing is left to try at a node. Nobody can check that, so one worker's word
//! is not enough where another's can be had.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use crate::ids::{NodeId, WorkerId};

/// What workers think of nodes, and the nodes that wait for somebody else to tell.
#[derive(Debug, Default)]
pub(crate) struct Opinions {
    claims: BTreeMap<NodeId, SmallVec<[WorkerId; 2]>>,
    parked: BTreeSet<NodeId>,
}

impl Opinions {
    /// A worker says that nothing is left to try.
    pub(crate) fn claim(&mut self, id: NodeId, by: WorkerId) {
        let claims = self.claims.entry(id).or_default();
        if !claims.contains(&by) {
            claims.push(by);
        }
    }

    /// How many workers say so.
    pub(crate) fn count(&self, id: NodeId) -> usize {
        self.claims.get(&id).map_or(0, SmallVec::len)
    }

    /// Who says so.
    pub(crate) fn claimants(&self, id: NodeId) -> &[WorkerId] {
        self.claims.get(&id).map_or(&[], SmallVec::as_slice)
    }

    pub(crate) fn has_told(&self, id: NodeId, worker: WorkerId) -> bool {
        let claims = self.claims.get(&id);
        claims.is_some_and(|claims| claims.contains(&worker))
    }

    /// What was said of a node counts no longer. True if something was.
    pub(crate) fn forget(&mut self, id: NodeId) -> bool {
        self.claims.remove(&id).is_some()
    }

    /// What a worker said counts no longer. Returns the nodes that it spoke of.
    pub(crate) fn withdraw(&mut self, worker: WorkerId) -> Vec<NodeId> {
        let mut spoken_of = Vec::new();
        self.claims.retain(|&id, claims| {
            if claims.contains(&worker) {
                claims.retain(|by| *by != worker);
                spoken_of.push(id);
            }
            !claims.is_empty()
        });
        spoken_of
    }

    /// Leaves a node aside until somebody comes who can tell.
    pub(crate) fn park(&mut self, id: NodeId) {
        self.parked.insert(id);
    }

    pub(crate) fn is_parked(&self, id: NodeId) -> bool {
        self.parked.contains(&id)
    }

    pub(crate) fn parked(&self) -> Vec<NodeId> {
        self.parked.iter().copied().collect()
    }

    pub(crate) fn unpark_all(&mut self) -> BTreeSet<NodeId> {
        std::mem::take(&mut self.parked)
    }

    /// Adds all that the facts determine to a fingerprint.
    pub(crate) fn digest(&self, hash: &mut impl Hasher) {
        for (id, claims) in &self.claims {
            (id, claims).hash(hash);
        }
    }
}
