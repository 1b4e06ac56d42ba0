//! A grid in virtual time: the real core, virtual workers, a world that knows the answers.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::time::Duration;

use super::dice::Dice;
use super::recorded::Guesses;
use super::settings::Settings;
use super::worker::{Fault, Happening, LinkState, VirtualJob, VirtualWorker};
use super::world::World;
use crate::core::{
    BrokenInvariant, Core, Departure, Effect, Event, Fact, Handled, Hello, LeaseId, NodeId, Order,
    Outcome, Round, SearchId, Settled, Stats, Time, Verdict, WorkerId,
};

/// The one search of a simulation.
const SEARCH: SearchId = SearchId(1);

/// A simulation in progress.
#[derive(Debug)]
pub struct Grid<'a, W> {
    pub(super) world: &'a mut W,
    pub(super) settings: &'a Settings,
    pub(super) core: Core,
    pub(super) now: Time,
    pub(super) workers: Vec<VirtualWorker>,
    pub(super) facts: Vec<Fact>,
    pub(super) dice: Dice,
    queue: BinaryHeap<Reverse<(Time, u64, Happening)>>,
    sequence: u64,
    pub(super) past: Stats,
    pub(super) verdict: Verdict,
    /// The last message that a worker sent, for repeating it.
    pub(super) last_message: Option<Event>,
    /// What the core has asked the shell and not yet heard.
    questions: VecDeque<(NodeId, Round)>,
    /// When operators' pauses and the like end.
    pub(super) undo: Vec<Order>,
    events: u64,
    /// What was proved and has not been withdrawn.
    proved: BTreeSet<NodeId>,
    broken: Option<SimulationError>,
    busy: u64,
    busy_since: Time,
    busy_time: Duration,
    curve: Vec<(Time, u64)>,
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
}

/// Why a simulation did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    #[error("{0}")]
    Invariant(#[from] BrokenInvariant),
    #[error("a replay of the facts gave another state than the events had")]
    Replay,
    #[error("the facts do not fit together: {0}")]
    Facts(#[from] crate::core::ReplayError),
    #[error("no verdict after {0:?} of virtual time: {1}")]
    Stuck(Duration, String),
    #[error("the search says {0:?}, and the truth is {1:?}")]
    WrongVerdict(Verdict, Verdict),
    #[error("a message that makes no sense changed something")]
    Nonsense,
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
            core: Core::new(settings.options.clone()),
            now: Time(0),
            workers,
            facts: Vec::new(),
            dice,
            queue: BinaryHeap::new(),
            sequence: 0,
            past: Stats::default(),
            verdict: Verdict::Open,
            last_message: None,
            questions: VecDeque::new(),
            undo: Vec::new(),
            events: 0,
            proved: BTreeSet::new(),
            broken: None,
            busy: 0,
            busy_since: Time(0),
            busy_time: Duration::ZERO,
            curve: Vec::new(),
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
            grid.at(Time(0), Happening::Dial { worker });
        }
        grid.at(Time(settings.tick), Happening::Tick);
        grid.plan_faults();
        grid
    }

    /// Runs until there is a verdict.
    pub fn run(mut self) -> Result<Report, SimulationError> {
        while let Some(Reverse((time, _, happening))) = self.queue.pop() {
            self.now = time;
            self.happen(happening)?;
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
        let state = format!(
            "{:?} {:?}",
            self.core.searches().collect::<Vec<_>>(),
            self.core.leases().count()
        );
        Err(SimulationError::Stuck(self.now.since(Time(0)), state))
    }

    fn finish(mut self) -> Result<Report, SimulationError> {
        self.check()?;
        self.note_busy(0);
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
            utilisation: self.busy_time.as_secs_f64() / there.max(f64::MIN_POSITIVE),
            curve: self.curve,
            guesses: self.world.guesses(),
        })
    }

    pub(super) fn at(&mut self, time: Time, happening: Happening) {
        self.sequence += 1;
        self.queue.push(Reverse((time, self.sequence, happening)));
    }

    pub(super) fn after(&mut self, millis: u64, happening: Happening) {
        let time = Time(self.now.0 + millis);
        self.at(time, happening);
    }

    fn happen(&mut self, happening: Happening) -> Result<(), SimulationError> {
        match happening {
            Happening::Done { worker, lease } => self.job_done(worker, lease),
            Happening::Finding {
                worker,
                lease,
                index,
            } => self.finding(worker, lease, index),
            Happening::Tick => {
                self.after(self.settings.tick, Happening::Tick);
                self.tell(Event::Tick);
                self.tell_progress();
            }
            Happening::Dial { worker } => self.dial(worker),
            Happening::Noticed { worker, generation } => {
                let worker = self.workers[worker].id;
                self.tell(Event::Gone {
                    worker,
                    generation,
                    how: Departure::Lost,
                });
            }
            Happening::Fault(fault) => self.fault(fault)?,
        }
        Ok(())
    }

    pub(super) fn dial(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        if worker.is_up() || worker.banned {
            return;
        }
        worker.link = LinkState::Up;
        worker.generation.0 += 1;
        let hello = Hello {
            worker: worker.id,
            generation: worker.generation,
            slots: worker.slots,
            until: worker.until,
            running: worker.running(),
        };
        self.tell(Event::Hello(hello));
    }

    fn tell_progress(&mut self) {
        if !self.settings.tells_progress {
            return;
        }
        for index in 0..self.workers.len() {
            let worker = &self.workers[index];
            if !worker.is_up() {
                continue;
            }
            let senders: Vec<_> = worker.jobs.iter().map(|job| worker.sender(job)).collect();
            for from in senders {
                self.tell(Event::Progress { from, spent: 0 });
            }
        }
    }

    fn job_done(&mut self, index: usize, lease: LeaseId) {
        if let Some(job) = self.workers[index].find_mut(lease) {
            job.is_done = true;
            self.report(index, lease);
        }
    }

    /// A worker sends the answer to a job that is done, if its link is up.
    fn report(&mut self, index: usize, lease: LeaseId) {
        let worker = &self.workers[index];
        let Some(job) = worker.find(lease) else {
            return;
        };
        if !worker.is_up() || !job.is_done {
            return;
        }
        let from = worker.sender(job);
        let (honest, asked) = (job.run.clone(), job.job.clone());
        let run = if worker.lies > 0 && self.dice.percent(worker.lies) {
            self.world.lie(&asked, &honest, &mut self.dice)
        } else {
            honest
        };
        let is_false = match run.outcome {
            Outcome::Won => !self.world.is_won(&asked),
            Outcome::Refuted => !self.world.is_refuted(&asked),
            _ => false,
        };
        self.workers[index].drop_job(lease);
        self.note_busy_change(-1);
        if is_false {
            self.ban(index);
            return;
        }
        self.world.delivered(&asked, &run.outcome);
        let event = Event::Finished {
            from,
            outcome: run.outcome,
            spent: run.spent,
        };
        let handled = self.tell(event.clone());
        // Said again, what made no sense might make sense.
        self.last_message = (handled == Handled::Done).then_some(event);
    }

    /// The shell has caught a worker lying.
    fn ban(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        worker.banned = true;
        worker.link = LinkState::Down;
        let (id, generation, jobs) = (worker.id, worker.generation, worker.jobs.len());
        worker.jobs.clear();
        self.note_busy_change(-(jobs as i64));
        self.tell(Event::Gone {
            worker: id,
            generation,
            how: Departure::Banned,
        });
        self.tell(Event::Order(Order::Withdraw { worker: id }));
    }

    fn finding(&mut self, index: usize, lease: LeaseId, finding: usize) {
        let worker = &self.workers[index];
        if !worker.is_up() || worker.lies > 0 {
            return;
        }
        let Some(job) = worker.find(lease) else {
            return;
        };
        let (_, mv, found) = job.run.findings[finding].clone();
        let from = worker.sender(job);
        self.tell(Event::Finding { from, mv, found });
    }

    /// Tells the core and does what it wants, until it wants nothing more.
    pub(super) fn tell(&mut self, event: Event) -> Handled {
        let handled = self.tell_one(&event);
        self.answer_questions();
        handled
    }

    /// Plays the shell for all that the core has asked.
    pub(super) fn answer_questions(&mut self) {
        while let Some((node, round)) = self.questions.pop_front() {
            let settled = self.settled(node, round);
            self.tell_one(&settled);
        }
    }

    fn tell_one(&mut self, event: &Event) -> Handled {
        let mut effects = Vec::new();
        self.events += 1;
        let handled = self.core.handle(self.now, event, &mut effects);
        debug_assert!(handled == Handled::Done || effects.is_empty());
        self.carry_out(effects);
        let every = self.settings.check_every;
        if every > 0 && self.events.is_multiple_of(every) && self.broken.is_none() {
            self.broken = self.check().err();
        }
        handled
    }

    /// Checks all that must hold at every step.
    pub(super) fn check(&self) -> Result<(), SimulationError> {
        self.core.check_invariants()?;
        let lost = self.proved.iter().find(|&&id| {
            let view = self.core.node(id);
            view.is_none_or(|view| !view.numbers.is_proved())
        });
        if let Some(&node) = lost {
            return Err(SimulationError::Unproved(node));
        }
        if self.settings.keeps_facts {
            let facts = self.facts.iter().cloned();
            let again = Core::replay(self.settings.options.clone(), facts)?;
            if again.digest() != self.core.digest() {
                return Err(SimulationError::Replay);
            }
        }
        Ok(())
    }

    /// Stores facts, then does the rest, as a shell must. Questions wait their turn.
    pub(super) fn carry_out(&mut self, effects: Vec<Effect>) {
        if self.settings.keeps_facts {
            let facts = effects.iter().filter_map(|effect| match effect {
                Effect::Record(fact) => Some(fact.clone()),
                _ => None,
            });
            self.facts.extend(facts);
        }
        for effect in effects {
            match effect {
                Effect::Record(_) => {}
                Effect::Assign {
                    worker, lease, job, ..
                } => self.start(worker, lease, job),
                Effect::Keep { worker, lease, .. } => {
                    let worker = worker.0 as usize;
                    if self.workers[worker]
                        .find(lease)
                        .is_some_and(|job| job.is_done)
                    {
                        self.after(0, Happening::Done { worker, lease });
                    }
                }
                Effect::Abort { worker, lease, .. } => self.abort(worker, lease),
                Effect::Settle { node, round } => self.questions.push_back((node, round)),
                Effect::Verdict { verdict, .. } => self.verdict = verdict,
                Effect::Proved { node, how } => {
                    self.proved.insert(node);
                    if W::WANTS_PROVED
                        && let Some((view, at)) = self.core.node(node).zip(self.core.position(node))
                    {
                        self.world.proved(&view, &at, &how);
                    }
                }
                Effect::Unproved { nodes } => {
                    for node in nodes {
                        self.proved.remove(&node);
                    }
                }
            }
        }
    }

    fn start(&mut self, worker: WorkerId, lease: LeaseId, job: Box<crate::core::Job>) {
        let index = worker.0 as usize;
        if !self.workers[index].is_up() {
            return;
        }
        let run = self.world.run(&job);
        let speed = self.workers[index].speed;
        let millis = |nodes: u64| nodes.saturating_mul(1000) / speed;
        let latency = self.settings.latency;
        if self.settings.tells_findings {
            for (i, (at, ..)) in run.findings.iter().enumerate() {
                let finding = Happening::Finding {
                    worker: index,
                    lease,
                    index: i,
                };
                self.after(latency + millis(*at), finding);
            }
        }
        let end = latency + millis(run.spent).max(1);
        self.after(
            end,
            Happening::Done {
                worker: index,
                lease,
            },
        );
        self.workers[index].jobs.push(VirtualJob {
            lease,
            job,
            run,
            is_done: false,
        });
        self.note_busy_change(1);
    }

    fn abort(&mut self, worker: WorkerId, lease: LeaseId) {
        let worker = &mut self.workers[worker.0 as usize];
        if worker.is_up() && worker.find(lease).is_some() {
            worker.drop_job(lease);
            self.note_busy_change(-1);
        }
    }

    /// Plays the shell that puts proofs together.
    fn settled(&mut self, node: NodeId, round: Round) -> Event {
        let view = self
            .core
            .node(node)
            .expect("the core asks for nodes that it has");
        let position = self.core.position(node).expect("a node has a position");
        let children = self.core.children(node);
        let settlement = self.world.settle(&position, view.attacker, &children);
        Event::Settled(Settled {
            node,
            round,
            excused: settlement.excused,
            needed: settlement.needed,
            closed: settlement.closed,
        })
    }

    pub(super) fn note_busy_change(&mut self, change: i64) {
        let busy = self.busy.saturating_add_signed(change);
        self.note_busy(busy);
    }

    fn note_busy(&mut self, busy: u64) {
        let held = self.now.since(self.busy_since);
        self.busy_time += held * u32::try_from(self.busy).unwrap_or(u32::MAX);
        if held > Duration::ZERO && self.settings.keeps_curve {
            self.curve.push((self.busy_since, self.busy));
        }
        (self.busy, self.busy_since) = (busy, self.now);
    }

    fn plan_faults(&mut self) {
        let Some(faults) = self.settings.faults else {
            return;
        };
        if self.workers.len() > 1 && self.dice.percent(faults.liars) {
            let liar = self.dice.below(self.workers.len() as u64) as usize;
            self.workers[liar].lies = 10 + self.dice.below(60);
        }
        for _ in 0..faults.count {
            let at = self.dice.below(faults.within);
            if let Some(&fault) = self.dice.pick(&Fault::ALL) {
                self.at(Time(at), Happening::Fault(fault));
            }
        }
    }
}
