//! A grid in virtual time: the real core, virtual workers, a world that knows the answers.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::time::Duration;

use super::busy::Busy;
use super::dice::Dice;
use super::policy::Policy;
use super::recorded::Guesses;
use super::settings::Settings;
use super::worker::{SimEvent, VirtualWorker};
use super::world::World;
use gridproof_proofs::Answers;
use gridproof_search::{
    BrokenInvariant, Core, Departure, Event, Fact, NodeId, Order, Revision, SearchId, Stats, Time,
    Verdict, WorkerId,
};

/// The one search of a simulation.
const SEARCH: SearchId = SearchId(1);

/// A simulation in progress.
#[derive(Debug)]
pub struct Grid<'a, W> {
    pub(super) world: &'a mut W,
    pub(super) settings: &'a Settings,
    pub(super) core: Core<Policy>,
    pub(super) now: Time,
    pub(super) workers: Vec<VirtualWorker>,
    pub(super) facts: Vec<Fact>,
    pub(super) dice: Dice,
    queue: BinaryHeap<Reverse<(Time, u64, SimEvent)>>,
    sequence: u64,
    pub(super) past: Stats,
    pub(super) verdict: Verdict,
    /// The last message that a worker sent, for repeating it.
    pub(super) last_message: Option<Event>,
    /// Replies that verifiers have answered.
    pub(super) answers: Answers,
    /// What the core has asked the shell and not yet heard.
    pub(super) questions: VecDeque<(NodeId, Revision)>,
    /// When operators' pauses and the like end.
    pub(super) undo: Vec<Order>,
    pub(super) events: u64,
    /// What was proved and has not been withdrawn.
    pub(super) proved: BTreeSet<NodeId>,
    pub(super) broken: Option<SimulationError>,
    pub(super) quarantined: usize,
    pub(super) busy: Busy,
}

/// How a simulation ended.
#[derive(Clone, Debug)]
pub struct Report {
    pub verdict: Verdict,
    pub time: Duration,
    pub workers: usize,
    pub stats: Stats,
    pub nodes: usize,
    pub events: u64,
    /// Time that workers were at work, useful or not, over all the time that they were there.
    pub utilisation: f64,
    /// How many workers were busy, sampled over time.
    pub curve: Vec<(Time, u64)>,
    pub guesses: Guesses,
    /// How many workers were put into quarantine.
    pub quarantined: usize,
}

/// Why a simulation did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    #[error("{0}")]
    Invariant(#[from] BrokenInvariant),
    #[error("a replay of the facts gave another state than the events had")]
    Replay,
    #[error("the facts do not fit together: {0}")]
    Facts(#[from] gridproof_search::ReplayError),
    #[error("no verdict after {0:?} of virtual time: {1}")]
    Stuck(Duration, String),
    #[error("the search says {0:?}, and the truth is {1:?}")]
    WrongVerdict(Verdict, Verdict),
    #[error("a message that makes no sense changed something")]
    IgnoreReason,
    #[error("{0} was proved and then was not, and nothing was withdrawn")]
    Unproved(NodeId),
}

impl<'a, W: World> Grid<'a, W> {
    /// Sets up the grid and starts the search.
    pub fn new(world: &'a mut W, settings: &'a Settings) -> Self {
        let mut dice = Dice::of(settings.seed, 0x6d1d);
        let workers = (0..settings.workers).map(|index| {
            let speed = dice.log_normal(settings.speed as f64, settings.speed_spread);
            VirtualWorker::new(WorkerId(index as u32), 1, (speed as u64).max(1))
        });
        let workers = workers.collect();
        let mut grid = Self {
            world,
            settings,
            core: Core::with_policy(settings.options.clone(), settings.policy),
            now: Time(0),
            workers,
            facts: Vec::new(),
            dice,
            queue: BinaryHeap::new(),
            sequence: 0,
            past: Stats::default(),
            verdict: Verdict::Open,
            last_message: None,
            answers: Answers::default(),
            questions: VecDeque::new(),
            undo: Vec::new(),
            events: 0,
            proved: BTreeSet::new(),
            broken: None,
            quarantined: 0,
            busy: Busy::new(settings.keeps_curve),
        };
        let mut effects = Vec::new();
        grid.core.resume(Time(0), &mut effects);
        grid.carry_out(effects);
        let (root, attacker) = grid.world.root();
        grid.tell(Event::Order(Order::Start {
            search: SEARCH,
            root: Box::new(root),
            attacker,
            share: 1,
        }));
        for worker in 0..settings.workers {
            grid.at(Time(0), SimEvent::Dial { worker });
        }
        if let Some(worker) = grid.workers.first_mut() {
            worker.strategy = settings.hostile;
        }
        grid.at(Time(settings.tick), SimEvent::Tick);
        grid.plan_faults();
        grid
    }

    /// Runs until there is a verdict.
    pub fn run(mut self) -> Result<Report, SimulationError> {
        while let Some(Reverse((time, _, event))) = self.queue.pop() {
            self.now = time;
            self.process(event)?;
            if let Some(error) = self.broken.take() {
                return Err(error);
            }
            if self.verdict != Verdict::Open && self.undo.is_empty() {
                return self.finish();
            }
            if time.since(Time(0)) > self.settings.patience {
                break;
            }
        }
        let workers = self.workers.iter().map(|worker| {
            let record = self.core.reliability(worker.id);
            (worker.is_up(), worker.banned, worker.strategy, record)
        });
        let state = format!(
            "{:?} {:?} {:?}",
            self.core.searches().collect::<Vec<_>>(),
            self.core.leases().count(),
            workers.collect::<Vec<_>>(),
        );
        Err(SimulationError::Stuck(self.now.since(Time(0)), state))
    }

    fn finish(mut self) -> Result<Report, SimulationError> {
        self.check()?;
        let (busy, curve) = self.busy.until(self.now);
        let mut stats = std::mem::take(&mut self.past);
        stats.add(self.core.stats());
        // Jobs that still run when the search ends were started for nothing.
        let time = self.now.since(Time(0));
        let there = time.as_secs_f64() * self.settings.workers as f64;
        Ok(Report {
            verdict: self.verdict,
            time,
            workers: self.settings.workers,
            stats,
            nodes: self.core.node_count(),
            events: self.events,
            utilisation: busy.as_secs_f64() / there.max(f64::MIN_POSITIVE),
            curve,
            guesses: self.world.guesses(),
            quarantined: self.quarantined,
        })
    }

    pub(super) fn at(&mut self, time: Time, event: SimEvent) {
        self.sequence += 1;
        self.queue.push(Reverse((time, self.sequence, event)));
    }

    pub(super) fn after(&mut self, millis: u64, event: SimEvent) {
        let time = Time(self.now.0 + millis);
        self.at(time, event);
    }

    fn process(&mut self, event: SimEvent) -> Result<(), SimulationError> {
        match event {
            SimEvent::JobDone { worker, lease } => self.job_done(worker, lease),
            SimEvent::Finding {
                worker,
                lease,
                index,
            } => self.finding(worker, lease, index),
            SimEvent::Tick => {
                self.after(self.settings.tick, SimEvent::Tick);
                self.tell(Event::Tick);
                self.tell_progress();
            }
            SimEvent::HangUp { worker } => {
                self.lose_jobs(worker);
                self.hang_up(worker);
            }
            SimEvent::HandBack { worker, lease } => self.hand_back(worker, lease),
            SimEvent::Dial { worker } => self.dial(worker),
            SimEvent::Noticed { worker, generation } => {
                let worker = self.workers[worker].id;
                self.tell(Event::Departed {
                    worker,
                    generation,
                    how: Departure::Lost,
                });
            }
            SimEvent::Fault(fault) => self.fault(fault)?,
        }
        Ok(())
    }
}
