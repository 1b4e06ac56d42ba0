//! The task that owns the core.

use std::sync::Arc;
use std::time::Duration;

use gridproof_proofs::Proofs;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, broadcast, mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::error;

use super::certificates::StoredCertificates;
use super::connection::Outgoing;
use super::departure::StreamEnd;
use super::effects::Evidence;
use super::executor::Executor;
use super::handle::{Coordinator, LOCAL, Message};
use super::order_log::OrderLog;
use super::refusals::Refusals;
use super::remembered::{Remembered, note_proof};
use super::roster::Roster;
use super::searches::Searches;
use super::snapshot::{SearchSnapshot, Snapshot, WorkerSnapshot, asked_root, main_line};
use super::tally::Tallies;
use super::transaction::Transaction;
use crate::store::{Store, StoreError, StoreFailure, Watchdog, Writer};
use gridproof_search::{
    AuditRate, Core, Effect, Event, Handled, Options, ReplayError, SearchId, SearchView, Time,
};

/// How the coordinator goes about it.
#[derive(Clone, Debug)]
pub struct CoordinatorOptions {
    pub core: Options,
    pub watchdog: Watchdog,
    /// Proofs of replies that are put together at the same time.
    pub settlers: usize,
    /// How long workers have to come back after a restart before their jobs are given to
    /// others.
    /// It ends early once all are back that were here before.
    pub reconnect_grace: Duration,
    /// All workers are threads of this program: an answer of theirs that does not hold is a bug
    /// and no lie.
    pub own_workers: bool,
}

impl Default for CoordinatorOptions {
    fn default() -> Self {
        Self {
            core: Options {
                // Machines with less memory than others end a search earlier: an honest answer
                // may differ. Who knows that all have the same asks for audits.
                audits: AuditRate::Never,
                ..Options::default()
            },
            watchdog: Watchdog::default(),
            settlers: 2,
            reconnect_grace: Duration::ZERO,
            own_workers: false,
        }
    }
}

/// Why a search cannot be taken up from a store.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
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
    certificates: Arc<StoredCertificates>,
    writer: Writer,
    executor: Executor,
    pub(super) roster: Roster,
    pub(super) refusals: Refusals,
    pub(super) own_workers: bool,
    /// How long the jobs of a lost worker wait for it.
    pub(super) grace: Duration,
    pub(super) searches: Searches,
    pub(super) orders: OrderLog,
    pub(super) tallies: Tallies,
    /// Empty between events: kept for its room.
    effects: Vec<Effect>,
}

/// Messages that are handled before anything is written: a flush serves them all.
const GROUP: usize = 256;
const INBOX: usize = 4096;

impl Coordinator {
    /// Takes up the search where the store left it, and starts the task. It ends when it is
    /// told to, or when the last handle is gone. `on_failure` is told, on another thread, if
    /// the store fails; the process should end then.
    pub fn start(
        store: Arc<dyn Store>,
        options: &CoordinatorOptions,
        on_failure: impl Fn(StoreFailure) + Send + Sync + 'static,
    ) -> Result<(Self, JoinHandle<()>), StartError> {
        let certificates = Arc::new(StoredCertificates::new(Arc::clone(&store)));
        let proofs = Proofs::new(Arc::clone(&certificates) as _);
        let remembered = Remembered::read(&*store, proofs)?;
        let Remembered {
            facts,
            mut roster,
            searches,
            orders,
            proofs,
        } = remembered;
        roster.await_reconnects(options.reconnect_grace);
        let mut core = options.core.clone();
        if core.secret == 0 {
            core.secret = rand::random();
        }
        let core = Core::replay(core, facts)?;
        let proofs = Arc::new(proofs);
        let writer = Writer::start(store, options.watchdog, on_failure);
        let (inbox, messages) = mpsc::channel(INBOX);
        let (events, _) = broadcast::channel(4096);
        let (verdict_sender, verdicts) = watch::channel(Vec::new());
        let executor = Executor {
            runtime: Handle::current(),
            inbox: inbox.downgrade(),
            events: events.clone(),
            verdicts: verdict_sender,
            proofs: Arc::clone(&proofs),
            certificates: Arc::clone(&certificates),
            settlers: Arc::new(Semaphore::new(options.settlers)),
        };
        let coordinator = Self {
            inbox,
            events,
            verdicts,
            proofs: Arc::clone(&proofs),
            certificates: Arc::clone(&certificates),
            author: LOCAL.into(),
        };
        let actor = Actor {
            core,
            started: Instant::now(),
            proofs,
            certificates,
            writer,
            executor,
            roster,
            refusals: Refusals::default(),
            own_workers: options.own_workers,
            grace: options.core.grace,
            searches,
            orders,
            tallies: Tallies::default(),
            effects: Vec::new(),
        };
        let task = tokio::spawn(actor.run(messages));
        Ok((coordinator, task))
    }
}

impl Actor {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut tx = Transaction::default();
        let now = self.now();
        let mut effects = std::mem::take(&mut self.effects);
        self.core.resume(now, &mut effects);
        self.carry_out(&mut effects, &mut Evidence::default(), &mut tx);
        self.effects = effects;
        self.submit(tx);
        let mut ticks = tokio::time::interval(Duration::from_secs(1));
        loop {
            let message = tokio::select! {
                biased;
                message = messages.recv() => message,
                _ = ticks.tick() => Some(Message::Tick),
            };
            let mut tx = Transaction::default();
            let mut next = message;
            let mut going_down = next.is_none();
            for _ in 0..GROUP {
                match next {
                    Some(Message::ShutDown) => going_down = true,
                    Some(message) => self.take(message, &mut tx),
                    None => break,
                }
                next = messages.try_recv().ok();
            }
            if let Some(message) = next {
                self.take(message, &mut tx);
            }
            if going_down {
                self.close_all(&mut tx);
            }
            self.submit(tx);
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

    fn submit(&mut self, tx: Transaction) {
        if tx.is_empty() {
            return;
        }
        let Transaction { batch, actions } = tx;
        let executor = self.executor.clone();
        let certificates = batch.certificates.iter();
        let stored: Vec<_> = certificates.map(|(hash, _)| *hash).collect();
        self.writer.submit(batch, move || {
            executor.certificates.release(&stored);
            for action in actions {
                executor.act(action);
            }
        });
    }

    fn take(&mut self, message: Message, tx: &mut Transaction) {
        match message {
            Message::Join(join, reply) => {
                let joined = self.join(join, tx);
                tx.reply(reply, joined);
            }
            Message::Slots(connection, slots, leaves_in) => {
                let until = leaves_in.map(|time| self.now().after(time));
                self.set_slots(connection, slots, until, tx);
            }
            Message::Departed(connection, departure) => self.departed(connection, departure, tx),
            Message::Revoke(token) => self.revoke(token, tx),
            Message::Progress { from, spent } => self.progress(from, spent, tx),
            Message::Finding { from, open } => self.found(from, open, tx),
            Message::Finished { from, result } => self.finished(from, result, tx),
            Message::Refused { from, refused } => self.refused(from, refused, tx),
            Message::Settled(answer) => match *answer {
                Ok(settlement) => {
                    let evidence = Evidence {
                        source: settlement.source,
                        ..Evidence::default()
                    };
                    self.handle(&Event::Settled(settlement.settled), evidence, tx);
                }
                Err((node, error)) => error!("{node} cannot be settled: {error}"),
            },
            Message::Submit(submission, reply) => {
                let answer = self.start_search(submission, tx);
                tx.reply(reply, answer);
            }
            Message::Order(order, author, reply) => {
                let answer = self.order(order, &author, tx);
                tx.reply(reply, answer);
            }
            Message::Ask(question) => question(self),
            Message::Tick => {
                self.end_reconnect_grace(tx);
                self.forget_lost_workers(tx);
                self.handle(&Event::Tick, Evidence::default(), tx);
            }
            Message::ShutDown => {}
        }
    }

    /// Lets the core handle an event, and gathers what follows from it.
    pub(super) fn handle(
        &mut self,
        event: &Event,
        mut evidence: Evidence,
        tx: &mut Transaction,
    ) -> Handled {
        let mut effects = std::mem::take(&mut self.effects);
        let handled = self.core.handle(self.now(), event, &mut effects);
        if handled == Handled::Done {
            self.certificates.hold(&evidence.certificates);
            for note in evidence.notes.drain(..) {
                note_proof(&self.proofs, &note, evidence.serial);
                tx.note(note);
            }
            tx.batch.certificates.append(&mut evidence.certificates);
        }
        self.carry_out(&mut effects, &mut evidence, tx);
        self.effects = effects;
        handled
    }

    fn close_all(&mut self, tx: &mut Transaction) {
        for connection in self.roster.take_connections() {
            tx.tell(&connection.outbox, Outgoing::Close(StreamEnd::GoingDown));
        }
    }

    pub(super) fn core(&self) -> &Core {
        &self.core
    }

    pub(super) fn search_snapshot(&self, search: SearchId) -> Option<SearchSnapshot> {
        let view = self.core.searches().find(|view| view.search == search)?;
        self.snapshot_of(view)
    }

    fn snapshot_of(&self, view: SearchView) -> Option<SearchSnapshot> {
        Some(SearchSnapshot {
            view,
            game: self.searches.game(view.search).to_owned(),
            root: asked_root(&self.core, &view)?,
            paused: self.core.node(view.root).is_some_and(|root| root.paused),
            main_line: main_line(&self.core, &view),
        })
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let searches = self.core.searches();
        let searches = searches.filter_map(|view| self.snapshot_of(view));
        let workers = self.roster.names().map(|(worker, name)| {
            let connection = self.roster.of(worker);
            WorkerSnapshot {
                name: name.clone(),
                connected: connection.is_some(),
                banned: self.roster.is_banned(worker),
                slots: connection.map_or(0, |known| known.slots),
                running: connection.map_or(0, |known| known.leases.len()),
                tally: self.tallies.of(worker),
                version: connection
                    .map(|known| known.version.clone())
                    .unwrap_or_default(),
                reliability: self.core.reliability(worker),
                away_for: self.roster.away_for(worker),
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
