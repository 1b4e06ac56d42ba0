//! The task that owns the core.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, broadcast, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::error;

use super::carry_out::Along;
use super::connection::{Closing, Connection, Outgoing};
use super::effects::Round;
use super::handle::{Message, Shell};
use super::outside::Outside;
use super::proofs::Proofs;
use super::refusals::Refusals;
use super::snapshot::{SearchSnapshot, Snapshot, WorkerSnapshot, asked_root, main_line};
use super::tally::Tallies;
use crate::core::{
    Core, Effect, Event, Fact, Found, Generation, Handled, Options, Order, ReplayError, SearchId,
    Time, Verdict, WorkerId,
};
use crate::store::{Fate, Note, Record, Store, StoreError, Watchdog, Writer};

/// How the shell goes about it.
#[derive(Clone, Debug)]
pub struct ShellOptions {
    pub core: Options,
    pub watchdog: Watchdog,
    /// Proofs of replies that are put together at the same time.
    pub settlers: usize,
    /// How long workers have to come back after a restart before their jobs are given to
    /// others.
    pub homecoming: Duration,
    /// All workers are threads of this program: an answer of theirs that does not hold is a bug
    /// and no lie.
    pub own_workers: bool,
}

impl Default for ShellOptions {
    fn default() -> Self {
        Self {
            core: Options::default(),
            watchdog: Watchdog::default(),
            settlers: 2,
            homecoming: Duration::ZERO,
            own_workers: false,
        }
    }
}

/// Why a search cannot be taken up from a store.
#[derive(Debug, thiserror::Error)]
pub enum ShellError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the stored search cannot be taken up: {0}")]
    Replay(#[from] ReplayError),
}

/// The state, and the ways out of it.
#[derive(Debug)]
pub(super) struct Actor {
    pub(super) core: Core,
    /// The runtime's time, which a simulated network brings along.
    started: Instant,
    pub(super) proofs: Arc<Proofs>,
    writer: Writer,
    outside: Outside,
    /// One a worker: a newer one takes its place.
    pub(super) connections: BTreeMap<WorkerId, Connection>,
    pub(super) last_serial: u64,
    pub(super) names: BTreeMap<WorkerId, String>,
    /// The same the other way round.
    pub(super) numbers: BTreeMap<String, WorkerId>,
    pub(super) banned: BTreeSet<WorkerId>,
    pub(super) refusals: Refusals,
    pub(super) own_workers: bool,
    pub(super) generations: BTreeMap<WorkerId, Generation>,
    pub(super) games: BTreeMap<SearchId, String>,
    pub(super) verdicts: BTreeMap<SearchId, Verdict>,
    pub(super) tallies: Tallies,
    /// Until then workers get no new jobs.
    pub(super) homecoming: Option<Instant>,
    /// Empty between events: kept for its room.
    effects: Vec<Effect>,
}

/// What a store tells beside the proofs.
#[derive(Default)]
struct Remembered {
    facts: Vec<Fact>,
    names: BTreeMap<WorkerId, String>,
    games: BTreeMap<SearchId, String>,
    banned: BTreeSet<WorkerId>,
}

impl Remembered {
    fn take(&mut self, record: Record, proofs: &Proofs) {
        match record {
            Record::Fact(fact) => {
                if let Fact::Banned { worker }
                | Fact::Ordered {
                    order: Order::Withdraw { worker },
                    ..
                } = fact
                {
                    self.banned.insert(worker);
                }
                self.facts.push(fact);
            }
            Record::Note(Note::Worker { worker, name }) => {
                self.names.insert(worker, name);
            }
            Record::Note(Note::Game { search, game }) => {
                self.games.insert(search, game);
            }
            Record::Note(note) => proofs.note(&note),
        }
    }
}

/// Messages that are handled before anything is written: a flush serves them all.
const GROUP: usize = 256;
const INBOX: usize = 4096;

impl Shell {
    /// Takes up the search where the store left it, and starts the task. It ends when it is
    /// told to, or when the last handle is gone. `on_fate` is told, on another thread, if
    /// the store fails; the process should end then.
    pub fn start(
        store: Arc<dyn Store>,
        options: &ShellOptions,
        on_fate: impl Fn(Fate) + Send + Sync + 'static,
    ) -> Result<(Self, JoinHandle<()>), ShellError> {
        let proofs = Arc::new(Proofs::new(Arc::clone(&store)));
        let mut remembered = Remembered::default();
        for record in store.records() {
            remembered.take(record?, &proofs);
        }
        let Remembered {
            facts,
            names,
            games,
            banned,
        } = remembered;
        let is_restart = !facts.is_empty() && !options.homecoming.is_zero();
        let core = Core::replay(options.core.clone(), facts)?;
        let writer = Writer::start(store, options.watchdog, on_fate);
        let (inbox, messages) = mpsc::channel(INBOX);
        let (happenings, _) = broadcast::channel(4096);
        let (verdict_sender, verdicts) = watch::channel(Vec::new());
        let outside = Outside {
            runtime: Handle::current(),
            inbox: inbox.downgrade(),
            happenings: happenings.clone(),
            verdicts: verdict_sender,
            proofs: Arc::clone(&proofs),
            settlers: Arc::new(Semaphore::new(options.settlers)),
        };
        let shell = Self {
            inbox,
            happenings,
            verdicts,
            proofs: Arc::clone(&proofs),
        };
        let actor = Actor {
            core,
            started: Instant::now(),
            proofs,
            writer,
            outside,
            connections: BTreeMap::new(),
            last_serial: 0,
            numbers: names.iter().map(|(id, name)| (name.clone(), *id)).collect(),
            names,
            banned,
            refusals: Refusals::default(),
            own_workers: options.own_workers,
            generations: BTreeMap::new(),
            games,
            verdicts: BTreeMap::new(),
            tallies: Tallies::default(),
            homecoming: is_restart.then(|| Instant::now() + options.homecoming),
            effects: Vec::new(),
        };
        let task = tokio::spawn(actor.run(messages));
        Ok((shell, task))
    }
}

impl Actor {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut round = Round::default();
        let now = self.now();
        let mut effects = std::mem::take(&mut self.effects);
        self.core.resume(now, &mut effects);
        self.carry_out(&mut effects, &mut Along::default(), &mut round);
        self.effects = effects;
        self.submit(round);
        let mut ticks = tokio::time::interval(Duration::from_secs(1));
        loop {
            let message = tokio::select! {
                biased;
                message = messages.recv() => message,
                _ = ticks.tick() => Some(Message::Tick),
            };
            let mut round = Round::default();
            let mut next = message;
            let mut going_down = next.is_none();
            for _ in 0..GROUP {
                match next {
                    Some(Message::ShutDown) => going_down = true,
                    Some(message) => self.take(message, &mut round),
                    None => break,
                }
                next = messages.try_recv().ok();
            }
            if let Some(message) = next {
                self.take(message, &mut round);
            }
            if going_down {
                self.close_all(&mut round);
            }
            self.submit(round);
            if going_down {
                break;
            }
        }
        messages.close();
        let writer = self.writer;
        // It flushes what is left, which may take a moment.
        let finished = tokio::task::spawn_blocking(move || writer.finish()).await;
        if finished.is_err() {
            error!("the store's writer could not be waited for");
        }
    }

    pub(super) fn now(&self) -> Time {
        Time(u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn submit(&mut self, round: Round) {
        if round.is_empty() {
            return;
        }
        let Round { batch, actions } = round;
        let outside = self.outside.clone();
        let certificates = batch.certificates.iter();
        let stored: Vec<_> = certificates.map(|(hash, _)| *hash).collect();
        self.writer.submit(batch, move || {
            outside.proofs.release(&stored);
            for action in actions {
                outside.act(action);
            }
        });
    }

    fn take(&mut self, message: Message, round: &mut Round) {
        match message {
            Message::Join(join, reply) => {
                let joined = self.join(join, round);
                round.reply(reply, joined);
            }
            Message::Slots(connection, slots) => self.set_slots(connection, slots, round),
            Message::Left(connection, leaving) => self.left(connection, leaving, round),
            Message::Revoke(token) => self.revoke(token, round),
            Message::Progress { from, spent } => self.progress(from, spent, round),
            Message::Finding { from, open: mv } => {
                if let Some(from) = self.sender(from) {
                    let found = Found::Open;
                    self.handle(&Event::Finding { from, mv, found }, Along::default(), round);
                }
            }
            Message::Done { from, done } => self.done(from, done, round),
            Message::Refused { from, refused } => self.refused(from, refused, round),
            Message::Settled(answer) => match *answer {
                Ok(settlement) => {
                    let along = Along {
                        source: settlement.source,
                        ..Along::default()
                    };
                    self.handle(&Event::Settled(settlement.settled), along, round);
                }
                Err((node, error)) => error!("{node} cannot be settled: {error}"),
            },
            Message::Submit(submission, reply) => {
                let answer = self.start_search(submission, round);
                round.reply(reply, answer);
            }
            Message::Order(order, reply) => {
                let answer = self.order(order, round);
                round.reply(reply, answer);
            }
            Message::Ask(question) => question(self),
            Message::Tick => {
                self.end_homecoming(round);
                self.handle(&Event::Tick, Along::default(), round);
            }
            Message::ShutDown => {}
        }
    }

    /// Lets the core handle an event, and gathers what follows from it.
    pub(super) fn handle(&mut self, event: &Event, mut along: Along, round: &mut Round) -> Handled {
        let mut effects = std::mem::take(&mut self.effects);
        let handled = self.core.handle(self.now(), event, &mut effects);
        if handled == Handled::Done {
            self.proofs.hold(&along.certificates);
            for note in along.notes.drain(..) {
                self.proofs.note(&note);
                round.note(note);
            }
            round.batch.certificates.append(&mut along.certificates);
        }
        self.carry_out(&mut effects, &mut along, round);
        self.effects = effects;
        handled
    }

    fn close_all(&mut self, round: &mut Round) {
        for connection in std::mem::take(&mut self.connections).into_values() {
            round.tell(&connection.outbox, Outgoing::Close(Closing::GoingDown));
        }
    }

    pub(super) fn core(&self) -> &Core {
        &self.core
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let searches = self.core.searches().filter_map(|view| {
            Some(SearchSnapshot {
                view,
                game: self.games.get(&view.search).cloned().unwrap_or_default(),
                root: asked_root(&self.core, &view)?,
                main_line: main_line(&self.core, &view),
            })
        });
        let workers = self.names.iter().map(|(worker, name)| {
            let connection = self.connections.get(worker);
            WorkerSnapshot {
                name: name.clone(),
                connected: connection.is_some(),
                banned: self.banned.contains(worker),
                slots: connection.map_or(0, |known| known.slots),
                running: connection.map_or(0, |known| known.leases.len()),
                tally: self.tallies.of(*worker),
                version: connection
                    .map(|known| known.version.clone())
                    .unwrap_or_default(),
            }
        });
        Snapshot {
            searches: searches.collect(),
            workers: workers.collect(),
            nodes: self.core.node_count(),
            proved: self.proofs.len(),
            running_jobs: self.core.leases().count(),
            stats: self.core.stats().clone(),
            longest: self.tallies.longest().to_vec(),
            life: self.core.epoch().0,
        }
    }
}
