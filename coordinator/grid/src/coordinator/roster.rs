//! Who works here: names, streams, and who is waited for after a restart.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gridproof_search::{Generation, LeaseId, Sender, WorkerId};
use tokio::time::Instant;

use super::connection::{Connection, ConnectionId, LeaseRef, RunningJob};
use crate::store::Note;

/// Every worker that was ever here. A name has one number for good, and a worker one stream at
/// a time.
#[derive(Debug, Default)]
pub(super) struct Roster {
    names: BTreeMap<WorkerId, String>,
    /// The same the other way round.
    numbers: BTreeMap<String, WorkerId>,
    banned: BTreeSet<WorkerId>,
    /// A newer stream takes the place of an older one.
    connections: BTreeMap<WorkerId, Connection>,
    last_serial: u64,
    generations: BTreeMap<WorkerId, Generation>,
    /// Workers whose jobs wait for them, connected or not: as a restart would find them.
    present: BTreeSet<WorkerId>,
    lost: BTreeMap<WorkerId, Instant>,
    /// When streams ended, of workers that have none.
    last_seen: BTreeMap<WorkerId, Instant>,
    /// Workers get no new jobs until then, or until all of these are back.
    reconnecting: Option<(Instant, BTreeSet<WorkerId>)>,
}

impl Roster {
    /// Takes in what was written down.
    pub(super) fn note(&mut self, note: &Note) {
        match note {
            Note::Worker { worker, name } => {
                self.names.insert(*worker, name.clone());
                self.numbers.insert(name.clone(), *worker);
            }
            Note::Connected { worker } => {
                self.present.insert(*worker);
            }
            Note::Departed { worker } => {
                self.present.remove(worker);
            }
            _ => {}
        }
    }

    /// After a restart: waits for those who were here before, if there are any.
    pub(super) fn await_reconnects(&mut self, grace: Duration) {
        let missing: BTreeSet<_> = self.present.difference(&self.banned).copied().collect();
        if !grace.is_zero() && !missing.is_empty() {
            self.reconnecting = Some((Instant::now() + grace, missing));
        }
    }

    pub(super) fn is_reconnecting(&self) -> bool {
        self.reconnecting.is_some()
    }

    /// Whether the wait is just over: its time is up, or nobody is missing.
    pub(super) fn reconnecting_ends(&mut self) -> bool {
        let is_over = self
            .reconnecting
            .as_ref()
            .is_some_and(|(until, missing)| missing.is_empty() || Instant::now() >= *until);
        if is_over {
            self.reconnecting = None;
        }
        is_over
    }

    /// The number of a name, and what is to be written down if it is new.
    pub(super) fn number_for(&mut self, name: &str) -> (WorkerId, Option<Note>) {
        if let Some(worker) = self.worker_named(name) {
            return (worker, None);
        }
        let last = self.names.last_key_value();
        let worker = WorkerId(last.map_or(1, |(last, _)| last.0 + 1));
        let name = name.to_owned();
        let note = Note::Worker { worker, name };
        self.note(&note);
        (worker, Some(note))
    }

    pub(super) fn worker_named(&self, name: &str) -> Option<WorkerId> {
        self.numbers.get(name).copied()
    }

    pub(super) fn name_of(&self, worker: WorkerId) -> String {
        self.names.get(&worker).cloned().unwrap_or_default()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (WorkerId, &String)> {
        self.names.iter().map(|(worker, name)| (*worker, name))
    }

    pub(super) fn ban(&mut self, worker: WorkerId) {
        self.banned.insert(worker);
    }

    pub(super) fn is_banned(&self, worker: WorkerId) -> bool {
        self.banned.contains(&worker)
    }

    /// A name for a stream that no other had.
    pub(super) fn next_connection(&mut self, worker: WorkerId) -> ConnectionId {
        self.last_serial += 1;
        ConnectionId {
            worker,
            serial: self.last_serial,
        }
    }

    pub(super) fn next_generation(&mut self, worker: WorkerId) -> Generation {
        let generation = self.generations.entry(worker).or_default();
        generation.0 += 1;
        *generation
    }

    pub(super) fn generation(&self, worker: WorkerId) -> Generation {
        self.generations.get(&worker).copied().unwrap_or_default()
    }

    /// A worker is in. Returns what is to be written down.
    pub(super) fn connect(&mut self, connection: Connection) -> Option<Note> {
        let worker = connection.id.worker;
        self.connections.insert(worker, connection);
        self.lost.remove(&worker);
        if let Some((_, missing)) = &mut self.reconnecting {
            missing.remove(&worker);
        }
        self.present
            .insert(worker)
            .then_some(Note::Connected { worker })
    }

    /// A worker's stream has ended; its jobs wait for it.
    pub(super) fn lose(&mut self, worker: WorkerId) -> Option<Connection> {
        self.lost.insert(worker, Instant::now());
        self.hang_up(worker)
    }

    /// A worker has left for good, as far as its jobs go. Returns what is to be written down.
    pub(super) fn depart(&mut self, worker: WorkerId) -> (Option<Connection>, Option<Note>) {
        self.lost.remove(&worker);
        if let Some((_, missing)) = &mut self.reconnecting {
            missing.remove(&worker);
        }
        let note = self
            .present
            .remove(&worker)
            .then_some(Note::Departed { worker });
        (self.hang_up(worker), note)
    }

    fn hang_up(&mut self, worker: WorkerId) -> Option<Connection> {
        let ended = self.connections.remove(&worker);
        if ended.is_some() {
            self.last_seen.insert(worker, Instant::now());
        }
        ended
    }

    /// How long a worker has been away; nothing if it is here, or was not here in this life of
    /// the coordinator.
    pub(super) fn away_for(&self, worker: WorkerId) -> Option<Duration> {
        let is_away = !self.connections.contains_key(&worker);
        let since = self.last_seen.get(&worker).filter(|_| is_away)?;
        Some(since.elapsed())
    }

    /// Workers that have been away for so long that their jobs wait no longer.
    pub(super) fn lost_for(&self, grace: Duration) -> Vec<WorkerId> {
        let long_ago = self
            .lost
            .iter()
            .filter(|(_, since)| since.elapsed() > grace);
        long_ago.map(|(worker, _)| *worker).collect()
    }

    pub(super) fn connections(&self) -> impl Iterator<Item = &Connection> {
        self.connections.values()
    }

    pub(super) fn of(&self, worker: WorkerId) -> Option<&Connection> {
        self.connections.get(&worker)
    }

    /// A worker's stream, if it is the one that the core means.
    pub(super) fn of_generation(
        &mut self,
        worker: WorkerId,
        generation: Generation,
    ) -> Option<&mut Connection> {
        let known = self.connections.get_mut(&worker);
        known.filter(|known| known.generation == generation)
    }

    /// Nothing if the stream has been replaced: what comes over it has no effect.
    pub(super) fn connection(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        let known = self.connections.get_mut(&id.worker);
        known.filter(|known| known.id == id)
    }

    pub(super) fn job(&self, worker: WorkerId, lease: LeaseId) -> Option<&RunningJob> {
        self.connections.get(&worker)?.leases.get(&lease)
    }

    /// Who sent a message, as the core knows it.
    pub(super) fn sender(&mut self, from: LeaseRef) -> Option<Sender> {
        let connection = self.connection(from.connection)?;
        Some(Sender {
            worker: connection.id.worker,
            generation: connection.generation,
            lease: from.lease,
            key: from.key,
        })
    }

    /// Forgets all streams: the coordinator goes down, and its workers are to come back.
    pub(super) fn take_connections(&mut self) -> impl Iterator<Item = Connection> {
        std::mem::take(&mut self.connections).into_values()
    }
}
