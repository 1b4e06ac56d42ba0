//! The search over jobs: a state machine. An event and a time go in, effects come out.
//!
//! # How to drive it
//! ```text
//! let mut core = Core::replay(options, facts)?;       // nothing stored: no facts
//! let mut effects = Vec::new();
//! core.resume(now, &mut effects);                     // once, after the facts
//! loop {
//!     let handled = core.handle(now, event, &mut effects);
//!     // 1. store every Effect::Record of `effects`, with the certificates they go with; flush;
//!     // 2. acknowledge the event (`handled` says whether it made sense);
//!     // 3. carry out the other effects in their order.
//! }
//! ```
//! The core knows no clock, no store, no network. It never sees a certificate or a zone: the
//! shell checks a certificate before it says `Won`, and works out with zones what a proved
//! reply means for its siblings when the core asks it to [`Effect::Settle`] a node.
//!
//! # What holds after every event
//! - The numbers on record equal a recomputation from the leaves, and depend on facts alone.
//! - What is proved stays proved, unless a worker's results are withdrawn. What has failed
//!   stays failed, unless results are withdrawn or an operator gives a move to try.
//! - Every attempt at a job has one lease; a job that nobody waits for has none.
//! - The same events give the same state, and the facts alone the same graph and numbers.
//!
//! [`Core::check_invariants`] checks the first three.

mod apply;
mod best;
mod check;
mod dispatch;
mod durations;
mod effect;
mod evaluate;
mod event;
mod fact;
mod failed_work;
mod graph;
mod ids;
mod job;
mod key;
mod lease;
mod node;
mod numbers;
mod opinions;
mod options;
mod orders;
mod packed;
mod propagate;
mod replay;
mod requests;
mod results;
mod stats;
pub mod stored;
mod view;
mod withdraw;
mod workers;

use std::collections::{BTreeMap, BTreeSet};

use gridproof_game::Symmetry;
use smallvec::SmallVec;

pub use apply::ReplayError;
pub use check::BrokenInvariant;
pub use effect::{AbortReason, Effect, ProvedBy, Verdict};
pub use event::{
    Departure, Event, Found, HeldJob, Hello, JobResult, Order, Sender, Settled, Suggestion,
};
pub use fact::{Answer, Child, ChildIndex, Fact, FactError, Next};
pub use ids::{Epoch, Generation, LeaseId, NodeId, SearchId, SettlementId, Time, WorkerId};
pub use job::{JobId, JobKind, JobSpec, Level};
pub use key::NodeKey;
pub use numbers::{INFINITE, Number, Numbers, Status};
pub use options::{Budgets, FirstNumbers, Options, Overcounting, ParsePolicyError, Policy};
pub use requests::Request;
pub use stats::{Effort, Handled, IgnoreReason, Stats, Wasted};
pub use view::{ChildView, LeaseView, NamedBy, NodeView, ReplyState, SearchView};

use evaluate::Arithmetic;
use graph::Graph;
use lease::{Ended, Leases, Slots, Workers};
use propagate::Pending;

/// The state of all searches and of all workers.
#[derive(Debug)]
pub struct Core {
    options: Options,
    arithmetic: Arithmetic,
    now: Time,
    epoch: Epoch,
    round: SettlementId,
    graph: Graph,
    searches: Vec<Search>,
    workers: Workers,
    /// Workers with room for a job, the fastest first.
    idle: BTreeSet<(u64, WorkerId)>,
    leases: Leases,
    next_lease: u32,
    ended: Ended,
    slots: Slots,
    /// Who says that nothing is left to try at a node.
    claims: BTreeMap<NodeId, SmallVec<[WorkerId; 2]>>,
    /// Nodes that wait for somebody to come who has not said yet what he thinks of them.
    parked: BTreeSet<NodeId>,
    /// How many workers are connected.
    here: usize,
    /// When there was last more than one.
    last_company: Time,
    requests: requests::Requests,
    pending: Pending,
    /// Left by the last withdrawal for its effects.
    unproved: Vec<NodeId>,
    durations: durations::Durations,
    stats: Stats,
}

#[derive(Clone, Debug)]
struct Search {
    id: SearchId,
    root: NodeId,
    /// From the position that was asked for to the root's orientation.
    symmetry: Symmetry,
    share: u32,
    in_flight: u32,
    /// Since the coordinator started.
    spent: Effort,
    verdict: Verdict,
    stopped: bool,
}

impl Search {
    fn is_running(&self) -> bool {
        !self.stopped
    }

    fn spend(&mut self, effort: Effort) {
        self.spent = self.spent.and(effort);
    }
}

impl Core {
    /// A core that knows nothing. Call [`Core::resume`] before the first event.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let arithmetic = Arithmetic::new(&options);
        Self {
            options,
            arithmetic,
            now: Time::default(),
            epoch: Epoch::default(),
            round: SettlementId::default(),
            graph: Graph::default(),
            searches: Vec::new(),
            workers: Workers::new(),
            idle: BTreeSet::new(),
            leases: Leases::new(),
            next_lease: 0,
            ended: Ended::default(),
            slots: Slots::default(),
            claims: BTreeMap::new(),
            parked: BTreeSet::new(),
            here: 0,
            last_company: Time::default(),
            requests: requests::Requests::default(),
            pending: Pending::default(),
            unproved: Vec::new(),
            durations: durations::Durations::default(),
            stats: Stats::default(),
        }
    }

    /// Takes in an event. What is to be done is added to `effects`: see [`Effect`] for what
    /// must be done first.
    pub fn handle(&mut self, now: Time, event: &Event, effects: &mut Vec<Effect>) -> Handled {
        self.now = self.now.max(now);
        if self.here > 1 {
            self.last_company = self.now;
        }
        let done = match event {
            Event::Hello(hello) => self.hello(hello, effects),
            Event::Gone {
                worker,
                generation,
                how,
            } => self.gone(*worker, *generation, *how, effects),
            Event::Progress { from, spent } => self.progress(*from, *spent),
            Event::Finding { from, mv, found } => self.finding(*from, mv, *found, effects),
            Event::Finished {
                from,
                outcome,
                spent,
            } => self.finished(*from, outcome, *spent, effects),
            Event::Broke { from } => self.broke(*from, effects),
            Event::Settled(settled) => self.settled(settled, effects),
            Event::Order(order) => self.order(order, effects),
            Event::Tick => {
                self.tick(effects);
                Ok(())
            }
        };
        match done {
            Ok(()) => {
                self.carry_on(effects);
                Handled::Done
            }
            Err(reason) => self.stats.ignore(reason),
        }
    }

    fn tick(&mut self, effects: &mut Vec<Effect>) {
        self.expire(effects);
        self.look_at_parked(effects);
        let passed_over = self.workers.iter().filter(|(_, worker)| worker.passed_over);
        let passed_over: Vec<_> = passed_over.map(|(id, _)| *id).collect();
        for id in passed_over {
            self.update_worker(id, |worker| worker.passed_over = false);
        }
        self.propagate(effects);
        self.dispatch(effects);
        self.second_stragglers(effects);
    }

    /// Works out what an event has changed and hands out jobs.
    fn carry_on(&mut self, effects: &mut Vec<Effect>) {
        self.propagate(effects);
        self.dispatch(effects);
        self.tell_verdicts(effects);
    }

    fn tell_verdicts(&mut self, effects: &mut Vec<Effect>) {
        if !std::mem::take(&mut self.pending.roots_changed) {
            return;
        }
        for search in &mut self.searches {
            let numbers = self.graph.node(search.root).numbers;
            let verdict = if numbers.is_proved() {
                Verdict::Proved
            } else if numbers.is_solved() {
                Verdict::Failed
            } else {
                Verdict::Open
            };
            if search.verdict != verdict {
                search.verdict = verdict;
                effects.push(Effect::Verdict {
                    search: search.id,
                    verdict,
                });
            }
        }
    }
}
