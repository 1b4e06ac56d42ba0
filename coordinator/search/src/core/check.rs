//! The invariants, checked the slow and obvious way. For tests and the simulator.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::Core;
use crate::graph::{BrokenInvariant, broken};
use crate::numbers::Policy;

impl<P: Policy> Core<P> {
    /// Checks everything that must hold between events. Slow.
    pub fn check_invariants(&self) -> Result<(), BrokenInvariant> {
        let roots = self.searches.running().map(|search| search.root);
        self.graph
            .check(roots.collect(), |id| self.opinions.is_parked(id))?;
        self.jobs.check()?;
        self.check_jobs()?;
        self.check_searches()
    }

    /// Nodes know of their jobs, and workers of their leases.
    fn check_jobs(&self) -> Result<(), BrokenInvariant> {
        for (number, job) in self.jobs.running() {
            let node = job.spec.id.node;
            if job.audit.is_none() && self.graph.node(node).job() != Some(number) {
                return broken(format!("{node} does not know of its job"));
            }
        }
        for (id, lease) in self.jobs.leases() {
            let leases = self.roster[lease.worker].leases();
            if leases.iter().filter(|other| **other == id).count() != 1 {
                return broken(format!("{id} is not among its worker's leases once"));
            }
        }
        let by_worker: usize = self.roster.iter().map(|worker| worker.leases().len()).sum();
        if by_worker != self.jobs.leases().len() {
            return broken("leases are left over");
        }
        Ok(())
    }

    /// What runs for a search is counted.
    fn check_searches(&self) -> Result<(), BrokenInvariant> {
        for (index, search) in self.searches.iter().enumerate() {
            let jobs = self.jobs.running().map(|(_, job)| job);
            let jobs = jobs.filter(|job| job.search == index);
            let budgets: Vec<_> = jobs.map(|job| job.spec.budget).collect();
            let counted = (search.jobs() as usize, search.in_flight());
            if counted != (budgets.len(), budgets.iter().sum()) {
                return broken(format!("{}: running jobs are miscounted", search.id));
            }
        }
        Ok(())
    }

    /// A fingerprint of all that the facts determine: equal for a core and its replay.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hash = FxHasher::default();
        self.graph.digest(&mut hash);
        self.searches.digest(&mut hash);
        self.opinions.digest(&mut hash);
        self.standings.digest(&mut hash);
        hash.finish()
    }
}
