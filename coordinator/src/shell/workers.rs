//! Workers come and go.

use gridproof_host::TokenId;
use tokio::time::Instant;
use tracing::{error, info, warn};

use super::actor::Actor;
use super::carry_out::Along;
use super::connection::{
    Closing, Connection, ConnectionId, Join, JoinRefusal, Joined, Outgoing, Underway,
};
use super::effects::{Action, Round};
use super::handle::{From, Leaving};
use super::happening::Happening;
use crate::core::{Departure, Event, Generation, Hello, Sender, WorkerId};
use crate::store::Note;

impl Actor {
    pub(super) fn join(&mut self, join: Join, round: &mut Round) -> Result<Joined, JoinRefusal> {
        let worker = self.number_for(&join.name, round);
        if self.banned.contains(&worker) {
            return Err(JoinRefusal::CutOff(join.name));
        }
        if let Some(known) = self.connections.get(&worker) {
            if known.instance != join.instance {
                return Err(JoinRefusal::NameInUse(join.name));
            }
            // The same process over a new stream: the old one is dead and does not know it.
            round.tell(&known.outbox, Outgoing::Close(Closing::Replaced));
        }
        let generation = self.next_generation(worker);
        self.last_serial += 1;
        let id = ConnectionId {
            worker,
            serial: self.last_serial,
        };
        info!(
            worker = join.name,
            slots = join.slots,
            held = join.held.len(),
            "worker came"
        );
        round.publish(Happening::WorkerCame {
            worker: join.name,
            slots: join.slots,
        });
        let outbox = join.outbox.clone();
        let connection = Connection {
            id,
            generation,
            instance: join.instance,
            slots: join.slots,
            version: join.version,
            token: join.token,
            outbox: join.outbox,
            leases: join
                .held
                .iter()
                .map(|held| (held.lease, Underway::new(held.job)))
                .collect(),
        };
        self.connections.insert(worker, connection);
        let told = round.actions.len();
        let hello = Hello {
            worker,
            generation,
            slots: self.offered(join.slots, join.held.len()),
            until: join.leaves_in.map(|time| self.now().after(time)),
            running: join.held,
        };
        self.handle(&Event::Hello(hello), Along::default(), round);
        let has_work = round.actions[told..].iter().any(|action| {
            matches!(
                action,
                Action::Tell(_, Outgoing::Push(_) | Outgoing::Keep(_))
            )
        });
        if !has_work {
            round.tell(&outbox, Outgoing::Idle);
        }
        Ok(Joined {
            connection: id,
            worker,
            generation,
        })
    }

    /// The number of a name: the same for good.
    fn number_for(&mut self, name: &str, round: &mut Round) -> WorkerId {
        if let Some(worker) = self.worker_named(name) {
            return worker;
        }
        let last = self.names.last_key_value();
        let worker = WorkerId(last.map_or(1, |(last, _)| last.0 + 1));
        self.names.insert(worker, name.to_owned());
        self.numbers.insert(name.to_owned(), worker);
        let name = name.to_owned();
        round.note(Note::Worker { worker, name });
        worker
    }

    pub(super) fn worker_named(&self, name: &str) -> Option<WorkerId> {
        self.numbers.get(name).copied()
    }

    pub(super) fn name_of(&self, worker: WorkerId) -> String {
        self.names.get(&worker).cloned().unwrap_or_default()
    }

    /// A worker's stream, if it is the one that the core means.
    pub(super) fn connection_of(
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

    fn next_generation(&mut self, worker: WorkerId) -> Generation {
        let generation = self.generations.entry(worker).or_default();
        generation.0 += 1;
        *generation
    }

    /// To the core, a worker that changes its slots comes anew with all its jobs.
    pub(super) fn set_slots(&mut self, id: ConnectionId, slots: u16, round: &mut Round) {
        if self.connection(id).is_none() {
            return;
        }
        let worker = id.worker;
        let generation = self.next_generation(worker);
        let Some(connection) = self.connection(id) else {
            return;
        };
        connection.generation = generation;
        connection.slots = slots;
        let running = connection.running();
        let hello = Hello {
            worker,
            generation,
            slots: self.offered(slots, running.len()),
            until: None,
            running,
        };
        let along = Along {
            quiet_keeps: true,
            ..Along::default()
        };
        self.handle(&Event::Hello(hello), along, round);
    }

    /// The slots that the core may fill. While workers come home after a restart they get
    /// nothing new: what they would get may be under way at one that is not back yet.
    fn offered(&self, slots: u16, held: usize) -> u16 {
        match self.homecoming {
            Some(_) => slots.min(u16::try_from(held).unwrap_or(u16::MAX)),
            None => slots,
        }
    }

    /// Ends the homecoming when it is time: from now on, whoever has room gets work.
    pub(super) fn end_homecoming(&mut self, round: &mut Round) {
        if self.homecoming.is_none_or(|until| Instant::now() < until) {
            return;
        }
        self.homecoming = None;
        let here: Vec<_> = self.connections.values().map(|c| (c.id, c.slots)).collect();
        let adopted = self.core.stats().adopted;
        info!(
            workers = here.len(),
            adopted, "the wait is over: jobs that nobody brought back are given out again"
        );
        for (id, slots) in here {
            self.set_slots(id, slots, round);
        }
    }

    pub(super) fn left(&mut self, id: ConnectionId, leaving: Leaving, round: &mut Round) {
        let worker = id.worker;
        let is_current = self.connection(id).is_some();
        let (how, closing, words) = match leaving {
            // A stream that has been replaced takes nothing with it.
            Leaving::Goodbye(_) | Leaving::Lost(_) | Leaving::Revoked if !is_current => return,
            Leaving::Goodbye(words) => (Departure::Goodbye, Closing::Goodbye, words),
            Leaving::Lost(words) => (Departure::Lost, Closing::GoingDown, words),
            Leaving::Revoked => {
                let words = "its token was revoked".to_owned();
                (Departure::Goodbye, Closing::CutOff(words.clone()), words)
            }
            // Whatever its stream is by now: a liar that hangs up is a liar still.
            Leaving::CutOff(words) => {
                self.banned.insert(worker);
                (Departure::Banned, Closing::CutOff(words.clone()), words)
            }
        };
        let generation = self.generations.get(&worker).copied().unwrap_or_default();
        if let Some(connection) = self.connections.remove(&worker) {
            round.tell(&connection.outbox, Outgoing::Close(closing));
        }
        let name = self.name_of(worker);
        match how {
            Departure::Goodbye => info!(worker = name, "worker left: {words}"),
            Departure::Lost => {
                self.tallies.of_mut(worker).losses += 1;
                warn!(worker = name, "worker lost: {words}");
            }
            Departure::Banned => error!(
                worker = name,
                "worker cut off: {words}; `gridproof withdraw {name}` takes back all its results"
            ),
        }
        round.publish(Happening::WorkerLeft {
            worker: name,
            words,
        });
        let event = Event::Gone {
            worker,
            generation,
            how,
        };
        self.handle(&event, Along::default(), round);
    }

    /// Ends the streams of those whose token is no longer good.
    pub(super) fn revoke(&mut self, token: TokenId, round: &mut Round) {
        let streams = self.connections.values();
        let held = streams.filter(|known| known.token == Some(token));
        for id in held.map(|known| known.id).collect::<Vec<_>>() {
            self.left(id, Leaving::Revoked, round);
        }
    }

    pub(super) fn sender(&mut self, from: From) -> Option<Sender> {
        let connection = self.connection(from.connection)?;
        Some(Sender {
            worker: connection.id.worker,
            generation: connection.generation,
            lease: from.lease,
            key: from.key,
        })
    }
}
