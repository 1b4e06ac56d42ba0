//! Workers come and go, and their leases with them.

use super::Core;
use super::effect::{AbortReason, Effect};
use super::event::{Departure, HeldJob, Hello};
use super::fact::Fact;
use super::ids::{Generation, LeaseId, NodeId, WorkerId};
use super::job::{JobId, JobKind};
use super::lease::{End, InFlight, Lease, Presence, Worker};
use super::node::{Flags, Link};
use super::stats::{Effort, IgnoreReason};

impl Core {
    pub(super) fn hello(
        &mut self,
        hello: &Hello,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let id = hello.worker;
        if let Some(known) = self.workers.get(&id) {
            if known.state == Presence::Banned {
                return Err(IgnoreReason::BannedWorker);
            }
            if known.generation >= hello.generation {
                return Err(IgnoreReason::StaleConnection);
            }
        } else {
            let new = Worker::new(hello.generation, Presence::Left);
            self.workers.insert(id, new);
        }
        self.update_worker(id, |worker| {
            worker.generation = hello.generation;
            worker.state = Presence::Here;
            worker.slots = hello.slots;
            worker.until = hello.until;
            worker.passed_over = false;
        });
        let forgotten: Vec<LeaseId> = self.workers[&id]
            .leases
            .iter()
            .copied()
            .filter(|lease| !hello.running.iter().any(|running| running.lease == *lease))
            .collect();
        for lease in forgotten {
            self.lose_lease(lease, effects);
        }
        for running in &hello.running {
            self.take_up(id, *running, effects);
        }
        self.unpark_all();
        Ok(())
    }

    /// Decides on a job that a worker brings along.
    fn take_up(&mut self, worker: WorkerId, running: HeldJob, effects: &mut Vec<Effect>) {
        let generation = self.workers[&worker].generation;
        let HeldJob { lease, job } = running;
        match self.adopt(worker, lease, job) {
            Ok(()) => effects.push(Effect::Keep {
                worker,
                generation,
                lease,
            }),
            Err(reason) => effects.push(Effect::Abort {
                worker,
                generation,
                lease,
                reason,
            }),
        }
    }

    fn adopt(&mut self, worker: WorkerId, lease: LeaseId, name: JobId) -> Result<(), AbortReason> {
        let now = self.now;
        if let Some(known) = self.leases.get_mut(&lease) {
            let node = self.slots.get(known.slot).node;
            if known.worker != worker || node != name.node {
                return Err(AbortReason::Duplicate);
            }
            known.heard = now;
            return Ok(());
        }
        if !self.graph.contains(name.node) {
            return Err(AbortReason::NothingNew);
        }
        let node = self.graph.node(name.node);
        if node.key != name.key || node.kind() != name.kind {
            return Err(AbortReason::NothingNew);
        }
        if !node.matters() {
            return Err(AbortReason::AncestorSettled);
        }
        if node.serial != name.serial || !node.job.is_none() || !self.wants_job(name.node) {
            return Err(AbortReason::Duplicate);
        }
        let was_given_out =
            lease.epoch < self.epoch || lease.epoch == self.epoch && lease.number < self.next_lease;
        if !was_given_out || self.ended.get(lease) == Some(End::Answered) {
            return Err(AbortReason::NothingNew);
        }
        let Some(search) = self.search_for(name.node) else {
            return Err(AbortReason::Ordered);
        };
        self.ended.remove(lease);
        self.stats.adopted += 1;
        self.start_job(name.node, search);
        self.start_lease(lease, name.node, worker);
        Ok(())
    }

    /// Whether the facts leave something to ask at this node itself.
    fn wants_job(&self, id: NodeId) -> bool {
        let node = self.graph.node(id);
        let asks = match node.kind() {
            JobKind::Engine => !node.flags.has(Flags::GIVEN_UP),
            JobKind::Verifier => !node.flags.has(Flags::VERIFIED),
        };
        asks || self.is_requested(id)
    }

    pub(super) fn gone(
        &mut self,
        id: WorkerId,
        generation: Generation,
        how: Departure,
        effects: &mut Vec<Effect>,
    ) -> Result<(), IgnoreReason> {
        let worker = self.workers.get(&id).ok_or(IgnoreReason::UnknownWorker)?;
        if worker.state == Presence::Banned {
            return Err(IgnoreReason::BannedWorker);
        }
        // A ban holds for the identity, whatever connection gave the reason.
        if how != Departure::Banned && (worker.generation != generation || !worker.is_here()) {
            return Err(IgnoreReason::StaleConnection);
        }
        let now = self.now;
        match how {
            Departure::Goodbye => {
                self.update_worker(id, |worker| worker.state = Presence::Left);
                self.lose_leases_of(id, effects);
            }
            Departure::Lost => {
                self.update_worker(id, |worker| worker.state = Presence::LostSince(now));
            }
            Departure::Banned => {
                self.lose_leases_of(id, effects);
                self.record(Fact::Banned { worker: id }, effects);
            }
        }
        Ok(())
    }

    /// Gives back the jobs of workers that stay away or say nothing.
    pub(super) fn expire(&mut self, effects: &mut Vec<Effect>) {
        let mut lost = Vec::new();
        for (&id, lease) in &self.leases {
            let expired = match self.workers[&lease.worker].state {
                Presence::Here => self.now.since(lease.heard) > self.options.silence,
                Presence::LostSince(since) => self.now.since(since) > self.options.grace,
                Presence::Left | Presence::Banned => true,
            };
            if expired {
                lost.push(id);
            }
        }
        for lease in lost {
            self.lose_lease(lease, effects);
        }
    }

    pub(super) fn lose_leases_of(&mut self, worker: WorkerId, effects: &mut Vec<Effect>) {
        let leases = self.workers[&worker].leases.clone();
        for lease in leases {
            self.lose_lease(lease, effects);
        }
    }

    /// A worker gives a job back, willing or not; others may have it.
    pub(super) fn lose_lease(&mut self, id: LeaseId, effects: &mut Vec<Effect>) {
        let slot = self.leases[&id].slot;
        self.cut_lease(id, AbortReason::WorkerLost, effects);
        if self.slots.get(slot).leases.is_empty() {
            self.drop_job(slot, AbortReason::WorkerLost, effects);
        }
    }

    /// Ends a lease whose answer nobody wants, and tells the worker if it is there.
    fn cut_lease(&mut self, id: LeaseId, reason: AbortReason, effects: &mut Vec<Effect>) {
        let lease = &self.leases[&id];
        let worker_id = lease.worker;
        let (search, nodes) = (self.slots.get(lease.slot).search, lease.spent);
        self.searches[search].spend(Effort { nodes, jobs: 0 });
        self.stats
            .waste(reason, self.now.since(lease.started), lease.spent);
        let worker = &self.workers[&worker_id];
        if worker.is_here() {
            effects.push(Effect::Abort {
                worker: worker_id,
                generation: worker.generation,
                lease: id,
                reason,
            });
        }
        self.end_lease(id, End::Dropped);
    }

    pub(super) fn end_lease(&mut self, id: LeaseId, end: End) {
        let lease = self.leases.remove(&id).expect("a lease ends once");
        self.ended.insert(id, end);
        self.slots
            .get_mut(lease.slot)
            .leases
            .retain(|other| *other != id);
        self.update_worker(lease.worker, |worker| {
            worker.leases.retain(|other| *other != id);
        });
    }

    /// Takes a job off everybody who is at it.
    pub(super) fn drop_job(&mut self, slot: usize, reason: AbortReason, effects: &mut Vec<Effect>) {
        for lease in self.slots.get(slot).leases.clone() {
            self.cut_lease(lease, reason, effects);
        }
        let job = self.slots.remove(slot);
        self.searches[job.search].in_flight -= 1;
        self.graph.node_mut(job.node).job = Link::NONE;
        self.touch(job.node);
        self.touch_parents(job.node);
    }

    pub(super) fn start_job(&mut self, id: NodeId, search: usize) -> usize {
        let position = Box::new(self.graph.position(id));
        let known = self.graph.children(id).count();
        let slot = self.slots.insert(InFlight {
            node: id,
            search,
            position,
            serial: self.graph.node(id).serial,
            known,
            leases: Default::default(),
            requested: self.requests.budget_at(id),
        });
        self.searches[search].in_flight += 1;
        self.graph.node_mut(id).job = Link::to(slot);
        self.touch(id);
        self.touch_parents(id);
        slot
    }

    pub(super) fn start_lease(&mut self, id: LeaseId, node: NodeId, worker: WorkerId) {
        let slot = self.graph.node(node).job.get();
        let slot = slot.expect("the job is in flight");
        let lease = Lease {
            worker,
            slot,
            started: self.now,
            heard: self.now,
            spent: 0,
        };
        self.leases.insert(id, lease);
        self.slots.get_mut(slot).leases.push(id);
        self.update_worker(worker, |worker| worker.leases.push(id));
        let node = self.graph.node_mut(node);
        node.attempts = node.attempts.saturating_add(1);
    }

    /// Changes a worker and keeps the list of those with room for a job true.
    pub(super) fn update_worker(&mut self, id: WorkerId, change: impl FnOnce(&mut Worker)) {
        let worker = self
            .workers
            .get_mut(&id)
            .expect("workers are never forgotten");
        self.idle.remove(&(u64::MAX - worker.speed, id));
        let was_here = worker.is_here();
        change(worker);
        match (was_here, worker.is_here()) {
            (false, true) => self.here += 1,
            (true, false) => self.here -= 1,
            _ => {}
        }
        if worker.has_room() && !worker.passed_over {
            self.idle.insert((u64::MAX - worker.speed, id));
        }
    }
}
