//! Jobs for workers that have room: the most-proving node first.

use gridproof_game::Move;

use super::Core;
use crate::effect::Effect;
use crate::graph::EdgeState;
use crate::ids::{NodeId, WorkerId};
use crate::job::{Goal, JobId, JobSpec, Level, ReplyLimits, Side};
use crate::jobs::RunningJob;
use crate::numbers::Policy;
use crate::searches::SearchIndex;

/// How many other jobs are looked at for a worker that cannot have the best one.
const MOST_PASSED_BY: usize = 8;

impl<P: Policy> Core<P> {
    /// Hands out jobs until nobody has room or nothing is to be done.
    pub(super) fn dispatch(&mut self, effects: &mut Vec<Effect>) {
        self.serve_requests(effects);
        self.audit_at_once(effects);
        while let Some(worker) = self.next_worker(effects) {
            let Some((node, search)) = self.pick_for(worker, effects) else {
                if self.next_search().is_none() {
                    return;
                }
                self.roster.pass_over(worker);
                continue;
            };
            let job = self.start_job(node, search);
            self.assign(job, worker, effects);
            self.propagate(effects);
        }
    }

    /// A worker that has room, or that is at something less urgent.
    fn next_worker(&mut self, effects: &mut Vec<Effect>) -> Option<WorkerId> {
        if let Some(worker) = self.roster.first_idle() {
            return Some(worker);
        }
        self.next_search()?;
        let worker = self.take_spare(effects)?;
        self.roster[worker].has_room().then_some(worker)
    }

    /// The best job that a worker can have.
    fn pick_for(
        &mut self,
        worker: WorkerId,
        effects: &mut Vec<Effect>,
    ) -> Option<(NodeId, SearchIndex)> {
        let mut held = Vec::new();
        let mut found = None;
        while held.len() < MOST_PASSED_BY
            && let Some(search) = self.next_search()
        {
            let node = self.graph.best_job(self.searches.get(search).root);
            if self.suits(node, worker) {
                found = Some((node, search));
                break;
            }
            if self.give_up_if_agreed(node, effects) {
                self.propagate(effects);
                continue;
            }
            if self.opinions.has_told(node, worker) && !self.another_can_tell(node) {
                self.park(node);
                self.propagate(effects);
                continue;
            }
            held.push(node);
            self.graph.hold(node, true);
            self.propagate(effects);
        }
        for node in held {
            self.graph.hold(node, false);
            self.propagate(effects);
        }
        found
    }

    /// Whether a worker may have a node's job: it has not given its opinion already, and its
    /// machine will probably be there long enough.
    fn suits(&self, id: NodeId, worker: WorkerId) -> bool {
        if self.opinions.has_told(id, worker) {
            return false;
        }
        let worker = &self.roster[worker];
        let Some(until) = worker.until() else {
            return true;
        };
        let node = self.graph.node(id);
        let kind = node.side().job_kind();
        let left = until.since(self.now).as_millis();
        match self.jobs.expected(kind, node.level(), worker.speed()) {
            Some(expected) => u128::from(expected) <= left,
            None => left > 0,
        }
    }

    /// The search that is to have the next job.
    fn next_search(&mut self) -> Option<SearchIndex> {
        let graph = &self.graph;
        self.searches.next(|root| graph.has_free_job(root))
    }

    /// The running search in whose graph a node is: any will do, it is for the shares only.
    pub(super) fn search_for(&self, id: NodeId) -> Option<SearchIndex> {
        let mut at = id;
        loop {
            if let Some(search) = self.searches.starting_at(at) {
                return Some(search);
            }
            at = self.graph.waiting_parent(at)?;
        }
    }

    /// The job that a node needs next, in full.
    pub(super) fn next_job(&self, id: NodeId, search: SearchIndex) -> RunningJob {
        let node = self.graph.node(id);
        let (side, level) = (node.side(), node.level());
        let kind = side.job_kind();
        let usual = self.options.budgets.of(kind, level);
        let requested = self.requests.budget_at(id);
        let budget = requested.unwrap_or(usual);
        let position = self.graph.position(id);
        let goal = match side {
            // Nobody asks for a glance.
            Side::Attacker if level == Level::GLANCE && requested.is_none() => Goal::Win,
            Side::Attacker => Goal::Moves,
            Side::Defender => Goal::Replies(ReplyLimits::new(&position, budget, level)),
        };
        let spec = JobSpec {
            id: JobId {
                node: id,
                key: node.key(),
                kind,
                serial: node.serial(),
            },
            position,
            attacker: self.graph.attacker(id),
            goal,
            budget,
            known: self.known_moves(id, requested.is_some()),
        };
        let children = self.graph.children(id).count();
        let mut job = RunningJob::new(spec, search, level, children);
        job.requested = requested.is_some();
        job.usual_budget = usual;
        job
    }

    /// An engine should name others than these, and a verifier leave these to others. It ends at
    /// a reply that leaves stones out, so once such a one is proved it must prove it too.
    fn known_moves(&self, id: NodeId, requested: bool) -> Vec<Move> {
        let side = self.graph.node(id).side();
        if side == Side::Defender && requested {
            // Who asks for it wants to know of every reply.
            return Vec::new();
        }
        let known = self.graph.children(id).filter_map(|edge| {
            let mv = self.graph.move_of(edge);
            let state = self.graph.edge(edge).state();
            let is_known = match side {
                Side::Attacker => state != EdgeState::Dead,
                Side::Defender => {
                    let child = self.graph.node(self.graph.child_of(edge));
                    state == EdgeState::Live && (mv.is_full() || !child.numbers().is_proved())
                }
            };
            is_known.then_some(mv)
        });
        known.collect()
    }

    /// While workers have nothing to do, jobs that take longer than nearly all, or longer than
    /// they should, are given to a second worker.
    pub(super) fn second_stragglers(&mut self, effects: &mut Vec<Effect>) {
        if self.roster.first_idle().is_none() {
            return;
        }
        let usual_speed = self.roster.usual_speed();
        for (job, first) in self.jobs.stragglers(self.now, usual_speed) {
            let node = self.jobs.get(job).spec.id.node;
            let suits = |worker: &WorkerId| *worker != first && self.suits(node, *worker);
            let second = self.roster.idle().find(suits);
            let Some(second) = second else {
                return;
            };
            let lease = self.assign(job, second, effects);
            self.jobs.make_spare(lease);
        }
    }
}
