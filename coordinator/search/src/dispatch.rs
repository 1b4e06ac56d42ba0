//! Jobs for workers that have room: the most-proving node first.

use gridproof_game::{Move, Position};

use super::Core;
use super::effect::Effect;
use super::graph::EdgeId;
use super::ids::{LeaseId, NodeId, WorkerId};
use super::job::{JobId, JobKind, JobSpec};
use super::node::{EdgeState, Flags, Way};

/// How many other jobs are looked at for a worker that cannot have the best one.
const MOST_PASSED_BY: usize = 8;

impl Core {
    /// Hands out jobs until nobody has room or nothing is to be done.
    pub(super) fn dispatch(&mut self, effects: &mut Vec<Effect>) {
        self.serve_requests(effects);
        while let Some(&(_, worker)) = self.idle.first() {
            let Some((node, search)) = self.pick_for(worker, effects) else {
                if self.next_search().is_none() {
                    return;
                }
                self.update_worker(worker, |worker| worker.passed_over = true);
                continue;
            };
            self.start_job(node, search);
            self.assign(node, worker, effects);
            self.propagate(effects);
        }
    }

    /// The best job that a worker can have.
    fn pick_for(&mut self, worker: WorkerId, effects: &mut Vec<Effect>) -> Option<(NodeId, usize)> {
        let mut held = Vec::new();
        let mut found = None;
        while held.len() < MOST_PASSED_BY
            && let Some(search) = self.next_search()
        {
            let node = self.best_job(self.searches[search].root);
            if self.suits(node, worker) {
                found = Some((node, search));
                break;
            }
            if self.give_up_if_agreed(node, effects) {
                self.propagate(effects);
                continue;
            }
            if self.has_told(node, worker) && !self.another_opinion_can_be_had(node) {
                self.park(node);
                self.propagate(effects);
                continue;
            }
            held.push(node);
            self.hold(node, true, effects);
        }
        for node in held {
            self.hold(node, false, effects);
        }
        found
    }

    fn hold(&mut self, node: NodeId, hold: bool, effects: &mut Vec<Effect>) {
        let flags = &mut self.graph.node_mut(node).flags;
        if hold {
            flags.set(Flags::HELD);
        } else {
            flags.clear(Flags::HELD);
        }
        self.touch(node);
        self.touch_parents(node);
        self.propagate(effects);
    }

    /// Whether a worker may have a node's job: it has not given its opinion already, and its
    /// machine will probably be there long enough.
    fn suits(&self, id: NodeId, worker: WorkerId) -> bool {
        if self.has_told(id, worker) {
            return false;
        }
        let worker = &self.workers[&worker];
        let node = self.graph.node(id);
        let Some(until) = worker.until else {
            return true;
        };
        let left = until.since(self.now).as_millis();
        match self
            .durations
            .expected(node.kind(), node.level, worker.speed)
        {
            Some(expected) => u128::from(expected) <= left,
            None => left > 0,
        }
    }

    /// Of the searches that have work, the one furthest behind its share.
    fn next_search(&self) -> Option<usize> {
        let with_work = self.searches.iter().enumerate().filter(|(_, search)| {
            search.is_running() && self.graph.node(search.root).way != Way::BLOCKED
        });
        let next = with_work.min_by(|(_, a), (_, b)| {
            let load = |in_flight: u32, share: u32| u64::from(in_flight) * u64::from(share);
            load(a.in_flight, b.share).cmp(&load(b.in_flight, a.share))
        });
        next.map(|(index, _)| index)
    }

    /// The running search in whose graph a node is: any will do, it is for the shares only.
    pub(super) fn search_for(&self, id: NodeId) -> Option<usize> {
        let mut at = id;
        loop {
            let running = |search: &super::Search| search.root == at && search.is_running();
            if let Some(index) = self.searches.iter().position(running) {
                return Some(index);
            }
            let above = self.graph.parents(at).find(|&edge| {
                let parent = self.graph.node(self.graph.parent_of(edge));
                parent.flags.has(Flags::COUNTED)
            });
            at = self.graph.parent_of(above?);
        }
    }

    /// Follows the best way down to a node whose own job is the best to do.
    fn best_job(&self, root: NodeId) -> NodeId {
        let mut at = root;
        loop {
            match self.graph.node(at).way {
                Way::OWN_JOB => return at,
                Way::BLOCKED => unreachable!("a way that is open leads to a job"),
                way => at = self.graph.child_of(EdgeId(way.edge())),
            }
        }
    }

    /// Gives a job that is in flight to a worker.
    pub(super) fn assign(&mut self, id: NodeId, worker: WorkerId, effects: &mut Vec<Effect>) {
        let lease = LeaseId {
            epoch: self.epoch,
            number: self.next_lease,
        };
        self.next_lease = self
            .next_lease
            .checked_add(1)
            .expect("nobody gives out four thousand million leases between two starts");
        self.start_lease(lease, id, worker);
        self.stats.leases += 1;
        let job = Box::new(self.job(id));
        effects.push(Effect::Assign {
            worker,
            generation: self.workers[&worker].generation,
            lease,
            attempt: u16::from(self.graph.node(id).attempts),
            job,
        });
    }

    fn job(&self, id: NodeId) -> JobSpec {
        let node = self.graph.node(id);
        let slot = node.job.get().expect("the job is in flight");
        let position = Position::clone(&self.slots.get(slot).position);
        let kind = node.kind();
        JobSpec {
            name: JobId {
                node: id,
                key: node.key,
                kind,
                serial: node.serial,
            },
            position,
            attacker: self.graph.attacker(id),
            level: self.job_level(slot),
            budget: self.job_budget(slot),
            known: self.known_moves(id),
        }
    }

    /// An engine should name others than these, and a verifier leave these to others. It ends at
    /// a reply that leaves stones out, so once such a one is proved it must prove it too.
    fn known_moves(&self, id: NodeId) -> Vec<Move> {
        let kind = self.graph.node(id).kind();
        if kind == JobKind::Verifier && self.is_requested(id) {
            // Who asks for it wants to know of every reply.
            return Vec::new();
        }
        let known = self.graph.children(id).filter_map(|edge| {
            let mv = self.graph.move_of(edge);
            let state = self.graph.edge(edge).state;
            let is_known = match kind {
                JobKind::Engine => state != EdgeState::Dead,
                JobKind::Verifier => {
                    let child = self.graph.node(self.graph.child_of(edge));
                    state == EdgeState::Live && (mv.is_full() || !child.numbers.is_proved())
                }
            };
            is_known.then_some(mv)
        });
        known.collect()
    }

    /// While workers have nothing to do, jobs that take longer than nearly all are given to a
    /// second worker.
    pub(super) fn second_stragglers(&mut self, effects: &mut Vec<Effect>) {
        if self.idle.is_empty() {
            return;
        }
        let mut late: Vec<_> = self
            .leases
            .values()
            .filter(|lease| self.slots.get(lease.slot).leases.len() == 1)
            .filter_map(|lease| {
                let node = self.graph.node(self.slots.get(lease.slot).node);
                let limit = self.durations.straggler_after(node.kind(), node.level)?;
                let over = (self.now.since(lease.started).as_millis() as u64).checked_sub(limit)?;
                (over > 0).then_some((std::cmp::Reverse(over), lease.slot, lease.worker))
            })
            .collect();
        late.sort_unstable();
        for (_, slot, first) in late {
            let id = self.slots.get(slot).node;
            let second = self.idle.iter().map(|&(_, worker)| worker);
            let second = second
                .filter(|&worker| worker != first)
                .find(|&worker| self.suits(id, worker));
            match second {
                Some(worker) => self.assign(id, worker, effects),
                None => return,
            }
        }
    }
}
