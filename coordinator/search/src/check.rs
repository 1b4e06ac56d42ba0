//! The invariants, checked the slow and obvious way. For tests and the simulator.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::Core;
use super::evaluate::Named;
use super::failed_work::FailedWork;
use super::ids::NodeId;
use super::job::JobKind;
use super::node::{EdgeState, Flags, Way};
use super::numbers::{INFINITE, LARGEST, Number, Numbers};
use super::options::Overcounting;

/// What should hold and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("broken invariant: {0}")]
pub struct BrokenInvariant(String);

fn broken(words: impl Into<String>) -> Result<(), BrokenInvariant> {
    Err(BrokenInvariant(words.into()))
}

impl Core {
    /// Checks everything that must hold between events. Slow.
    pub fn check_invariants(&self) -> Result<(), BrokenInvariant> {
        self.check_numbers()?;
        self.check_who_waits()?;
        self.check_ways()?;
        self.check_leases()
    }

    /// Numbers equal a recomputation from the leaves.
    fn check_numbers(&self) -> Result<(), BrokenInvariant> {
        let mut known = BTreeMap::new();
        for id in self.graph.ids() {
            let (naive, failed_work) = self.naive_numbers(id, &mut known);
            let node = self.graph.node(id);
            if node.numbers != naive {
                return broken(format!(
                    "{id} has {}, its leaves give {naive}",
                    node.numbers
                ));
            }
            if node.failed_work != failed_work {
                let kept = node.failed_work.count();
                return broken(format!("{id}: {kept} in vain, not {}", failed_work.count()));
            }
            if (node.numbers.proof == 0) != (node.numbers.disproof == INFINITE)
                || (node.numbers.disproof == 0) != (node.numbers.proof == INFINITE)
            {
                return broken(format!("{id} is half solved: {}", node.numbers));
            }
        }
        Ok(())
    }

    fn naive_numbers(
        &self,
        id: NodeId,
        known: &mut BTreeMap<NodeId, (Numbers, FailedWork)>,
    ) -> (Numbers, FailedWork) {
        if let Some(&naive) = known.get(&id) {
            return naive;
        }
        let node = self.graph.node(id);
        let attacks = node.kind() == JobKind::Engine;
        let has = |flag| node.flags.has(flag);
        let mut parts = Vec::new();
        let mut has_fresh_move = false;
        let mut failed_work = FailedWork::answers(node.serial);
        let mut named = Named::new(self.options.first_numbers);
        // Only a defender's moves are ever excused.
        for edge in self.graph.live_children(id) {
            let child_id = self.graph.child_of(edge);
            let (numbers, below) = self.naive_numbers(child_id, known);
            let child = self.graph.node(child_id);
            let late = named.lateness_of(self.graph.edge(edge));
            failed_work = failed_work.and(below);
            if !attacks {
                parts.extend((!numbers.is_proved()).then_some(numbers));
            } else if child.flags.has(Flags::FORGOTTEN) && !numbers.is_solved() {
                parts.push(Numbers::FORGOTTEN);
            } else {
                let weary = self.options.first_numbers.weariness(below);
                parts.push(numbers.harder_by(late + weary));
                has_fresh_move |= !numbers.is_solved()
                    && child.serial == 0
                    && self.graph.children(child_id).next().is_none();
            }
        }
        let asks = if attacks {
            !has(Flags::GIVEN_UP) && !has_fresh_move
        } else {
            !has(Flags::VERIFIED)
        };
        if asks {
            let late = if attacks { named.lateness_of_next() } else { 0 };
            parts.push(node.job_numbers().harder_by(late));
        }
        let numbers = if has(Flags::WON) || has(Flags::CLOSED) {
            Numbers::PROVED
        } else if has(Flags::REFUTED) || !attacks && has(Flags::GIVEN_UP) {
            Numbers::FAILED
        } else if !attacks && parts.is_empty() {
            Numbers::SETTLING
        } else {
            let proofs: Vec<_> = parts.iter().map(|n| n.proof).collect();
            let disproofs: Vec<_> = parts.iter().map(|n| n.disproof).collect();
            let least = |numbers: &[Number]| numbers.iter().copied().min().unwrap_or(INFINITE);
            if attacks {
                let resistance = self.options.first_numbers.resistance();
                let numbers = Numbers::new(least(&proofs), self.naive_total(&disproofs));
                numbers.harder_by(if node.serial == 0 { 0 } else { resistance })
            } else {
                Numbers::new(self.naive_total(&proofs), least(&disproofs))
            }
        };
        let failed_work = if numbers.is_solved() {
            FailedWork::NOTHING
        } else {
            failed_work.rounded()
        };
        known.insert(id, (numbers, failed_work));
        (numbers, failed_work)
    }

    fn naive_total(&self, numbers: &[Number]) -> Number {
        if numbers.contains(&INFINITE) {
            return INFINITE;
        }
        let total: u64 = match self.options.overcounting {
            Overcounting::Sum => numbers.iter().copied().map(u64::from).sum(),
            Overcounting::Weak => {
                let mut open: Vec<u64> = numbers.iter().copied().map(u64::from).collect();
                open.sort_unstable();
                let most = open.pop().unwrap_or(0);
                let others = open.iter().map(|&n| (n / 8).max(2).min(n));
                most + others.sum::<u64>()
            }
        };
        total.min(u64::from(LARGEST)) as Number
    }

    /// A node is counted as waited for exactly if a path of open nodes and live moves leads
    /// to it from the root of a running search.
    fn check_who_waits(&self) -> Result<(), BrokenInvariant> {
        let open = |id: NodeId| {
            let node = self.graph.node(id);
            !node.numbers.is_solved() && !node.flags.has(Flags::FORGOTTEN)
        };
        let mut reached = vec![false; self.graph.len()];
        let mut stack: Vec<_> = self
            .searches
            .iter()
            .filter(|search| search.is_running())
            .map(|search| search.root)
            .collect();
        while let Some(id) = stack.pop() {
            if !open(id) || std::mem::replace(&mut reached[id.index()], true) {
                continue;
            }
            let live = self.graph.live_children(id);
            stack.extend(live.map(|edge| self.graph.child_of(edge)));
        }
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            let expected = reached[id.index()];
            if node.matters() != expected || node.flags.has(Flags::COUNTED) != expected {
                return broken(format!("{id}: waited for is {expected}, noted otherwise"));
            }
            if !expected && !node.job.is_none() {
                return broken(format!("{id}: a job runs that nobody waits for"));
            }
            let is_parked = self.parked.contains(&id);
            if node.flags.has(Flags::QUEUED) || node.flags.has(Flags::HELD) != is_parked {
                return broken(format!("{id} was left behind between events"));
            }
        }
        Ok(())
    }

    /// Every way that is open leads to a job that is free, and numbers that the policy assumes
    /// are those that the arithmetic gives.
    fn check_ways(&self) -> Result<(), BrokenInvariant> {
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            if self.arithmetic.evaluate(&self.graph, id) != node.evaluation() {
                return broken(format!("{id}: what is assumed of it is out of date"));
            }
            match node.way {
                Way::BLOCKED => {}
                Way::OWN_JOB if node.is_busy() => {
                    return broken(format!("{id}: its job is running and on offer"));
                }
                Way::OWN_JOB => {}
                way => {
                    let edge = super::graph::EdgeId(way.edge());
                    let to = self.graph.node(self.graph.child_of(edge));
                    if to.way == Way::BLOCKED || self.graph.edge(edge).state != EdgeState::Live {
                        return broken(format!("{id}: the way to a job is blocked"));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_leases(&self) -> Result<(), BrokenInvariant> {
        for (id, lease) in &self.leases {
            let job = self.slots.get(lease.slot);
            if job.leases.iter().filter(|other| *other == id).count() != 1 {
                return broken(format!("{id} is not among its job's leases once"));
            }
            if self.graph.node(job.node).job.get() != Some(lease.slot) {
                return broken(format!("{id}: its node does not know of its job"));
            }
            let worker = &self.workers[&lease.worker];
            if worker.leases.iter().filter(|other| *other == id).count() != 1 {
                return broken(format!("{id} is not among its worker's leases once"));
            }
        }
        let by_job: usize = self
            .slots
            .taken()
            .iter()
            .map(|&slot| self.slots.get(slot).leases.len())
            .sum();
        let by_worker: usize = self
            .workers
            .values()
            .map(|worker| worker.leases.len())
            .sum();
        if by_job != self.leases.len() || by_worker != self.leases.len() {
            return broken("leases are left over");
        }
        for slot in self.slots.taken() {
            let job = self.slots.get(slot);
            if job.leases.is_empty() {
                return broken(format!("{}: a job runs and nobody is at it", job.node));
            }
            let mut workers: Vec<_> = job
                .leases
                .iter()
                .map(|lease| self.leases[lease].worker)
                .collect();
            workers.sort_unstable();
            workers.dedup();
            if workers.len() != job.leases.len() {
                return broken(format!("{}: one worker has the same job twice", job.node));
            }
        }
        for (index, search) in self.searches.iter().enumerate() {
            let jobs = self
                .slots
                .taken()
                .into_iter()
                .filter(|&s| self.slots.get(s).search == index);
            if jobs.count() != search.in_flight as usize {
                return broken(format!("{}: running jobs are miscounted", search.id));
            }
        }
        Ok(())
    }

    /// A fingerprint of all that the facts determine: equal for a core and its replay.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hash = FxHasher::default();
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            node.key.hash(&mut hash);
            (node.numbers, node.failed_work).hash(&mut hash);
            node.flags.only(Flags::DURABLE).hash(&mut hash);
            (
                node.level,
                node.serial,
                node.by,
                node.rank,
                node.live_parents,
            )
                .hash(&mut hash);
            node.job_numbers().hash(&mut hash);
            for edge in self.graph.children(id) {
                self.graph.child_of(edge).hash(&mut hash);
                self.graph.move_of(edge).hash(&mut hash);
                let edge = self.graph.edge(edge);
                (edge.state as u8, edge.symmetry, edge.by).hash(&mut hash);
            }
        }
        for search in &self.searches {
            (search.id, search.root, search.share, search.stopped).hash(&mut hash);
        }
        for (id, claims) in &self.claims {
            (id, claims).hash(&mut hash);
        }
        hash.finish()
    }
}
