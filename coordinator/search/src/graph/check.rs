//! The invariants, checked the slow and obvious way. For tests and the simulator.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use super::evaluate::Named;
use super::node::Way;
use super::{EdgeState, Flags, Graph};
use crate::ids::NodeId;
use crate::job::Side;
use crate::numbers::{FailedWork, INFINITE, LARGEST, Number, Numbers, Overcounting, Policy};

/// What should hold and does not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("broken invariant: {0}")]
pub struct BrokenInvariant(String);

pub(crate) fn broken(words: impl Into<String>) -> Result<(), BrokenInvariant> {
    Err(BrokenInvariant(words.into()))
}

impl<P: Policy> Graph<P> {
    /// Checks everything that must hold between events, given where running searches start and
    /// which nodes are passed over. Slow.
    pub(crate) fn check(
        &self,
        roots: Vec<NodeId>,
        is_parked: impl Fn(NodeId) -> bool,
    ) -> Result<(), BrokenInvariant> {
        self.check_numbers()?;
        self.check_who_waits(roots, is_parked)?;
        self.check_ways()
    }

    /// Numbers equal a recomputation from the leaves.
    fn check_numbers(&self) -> Result<(), BrokenInvariant> {
        let mut known = BTreeMap::new();
        for id in self.ids() {
            let (naive, failed_work) = self.naive_numbers(id, &mut known);
            let node = self.node(id);
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
        let node = self.node(id);
        let attacks = node.side() == Side::Attacker;
        let has = |flag| node.flags.contains(flag);
        let mut parts = Vec::new();
        let mut has_fresh_move = false;
        let mut failed_work = FailedWork::answers(node.serial);
        let mut named = Named::new(self.arithmetic.first_numbers());
        // Only a defender's moves are ever excused.
        for edge in self.live_children(id) {
            let child_id = self.child_of(edge);
            let (numbers, below) = self.naive_numbers(child_id, known);
            let child = self.node(child_id);
            let late = named.lateness_of(self.edge(edge));
            failed_work = failed_work.and(below);
            if !attacks {
                parts.extend((!numbers.is_proved()).then_some(numbers));
            } else if child.flags.contains(Flags::FORGOTTEN) && !numbers.is_solved() {
                parts.push(Numbers::FORGOTTEN);
            } else {
                let weary = self.arithmetic.first_numbers().weariness(below);
                parts.push(numbers.harder_by(late + weary));
                has_fresh_move |= !numbers.is_solved()
                    && child.serial == 0
                    && self.children(child_id).next().is_none();
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
                let resistance = self.arithmetic.first_numbers().resistance();
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
        let total: u64 = match self.arithmetic.overcounting() {
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
    fn check_who_waits(
        &self,
        roots: Vec<NodeId>,
        is_parked: impl Fn(NodeId) -> bool,
    ) -> Result<(), BrokenInvariant> {
        let open = |id: NodeId| {
            let node = self.node(id);
            !node.numbers.is_solved() && !node.flags.contains(Flags::FORGOTTEN)
        };
        let mut reached = vec![false; self.len()];
        let mut stack = roots;
        while let Some(id) = stack.pop() {
            if !open(id) || std::mem::replace(&mut reached[id.index()], true) {
                continue;
            }
            let live = self.live_children(id);
            stack.extend(live.map(|edge| self.child_of(edge)));
        }
        for id in self.ids() {
            let node = self.node(id);
            let expected = reached[id.index()];
            if node.matters() != expected || node.flags.contains(Flags::COUNTED) != expected {
                return broken(format!("{id}: waited for is {expected}, noted otherwise"));
            }
            if !expected && !node.job.is_none() {
                return broken(format!("{id}: a job runs that nobody waits for"));
            }
            if node.is(Flags::QUEUED) || node.is(Flags::HELD) != is_parked(id) {
                return broken(format!("{id} was left behind between events"));
            }
        }
        Ok(())
    }

    /// Every way that is open leads to a job that is free, and numbers that the policy assumes
    /// are those that the arithmetic gives.
    fn check_ways(&self) -> Result<(), BrokenInvariant> {
        for id in self.ids() {
            let node = self.node(id);
            if self.arithmetic.evaluate(self, id) != node.evaluation() {
                return broken(format!("{id}: what is assumed of it is out of date"));
            }
            match node.way {
                Way::BLOCKED => {}
                Way::OWN_JOB if node.is_busy() => {
                    return broken(format!("{id}: its job is running and on offer"));
                }
                Way::OWN_JOB => {}
                way => {
                    let edge = way.edge();
                    let to = self.node(self.child_of(edge));
                    if to.way == Way::BLOCKED || self.edge(edge).state != EdgeState::Live {
                        return broken(format!("{id}: the way to a job is blocked"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds all that the facts determine to a fingerprint.
    pub(crate) fn digest(&self, hash: &mut impl Hasher) {
        for id in self.ids() {
            let node = self.node(id);
            node.key.hash(hash);
            (node.numbers, node.failed_work).hash(hash);
            (node.flags & Flags::DURABLE).hash(hash);
            (
                node.level,
                node.serial,
                node.by,
                node.rank,
                node.live_parents,
            )
                .hash(hash);
            node.job_numbers().hash(hash);
            for edge in self.children(id) {
                self.child_of(edge).hash(hash);
                self.move_of(edge).hash(hash);
                let edge = self.edge(edge);
                (edge.state as u8, edge.symmetry, edge.by).hash(hash);
            }
        }
    }
}
