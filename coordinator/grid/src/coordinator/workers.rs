//! Workers come and go.

use gridproof_host::TokenId;
use gridproof_search::{Departure, Event, Hello, Time};
use tracing::{error, info, warn};

use super::actor::Actor;
use super::connection::{
    Connection, ConnectionId, Join, JoinRefusal, Joined, Outgoing, RunningJob,
};
use super::departure::StreamEnd;
use super::effects::Evidence;
use super::grid_event::GridEvent;
use super::transaction::{Action, Transaction};

impl Actor {
    pub(super) fn join(&mut self, join: Join, tx: &mut Transaction) -> Result<Joined, JoinRefusal> {
        let (worker, note) = self.roster.number_for(&join.name);
        tx.note_all(note);
        if self.roster.is_banned(worker) {
            return Err(JoinRefusal::CutOff(join.name));
        }
        if let Some(known) = self.roster.of(worker) {
            if known.instance != join.instance {
                return Err(JoinRefusal::NameInUse(join.name));
            }
            // The same process over a new stream: the old one is dead and does not know it.
            tx.tell(&known.outbox, Outgoing::Close(StreamEnd::Replaced));
        }
        let generation = self.roster.next_generation(worker);
        let id = self.roster.next_connection(worker);
        info!(
            worker = join.name,
            slots = join.slots,
            held = join.held.len(),
            "worker came"
        );
        tx.publish(GridEvent::WorkerCame {
            worker: join.name,
            slots: join.slots,
        });
        let outbox = join.outbox.clone();
        let until = join.leaves_in.map(|time| self.now().after(time));
        let held = join.held.iter();
        let note = self.roster.connect(Connection {
            id,
            generation,
            instance: join.instance,
            slots: join.slots,
            version: join.version,
            until,
            token: join.token,
            outbox: join.outbox,
            leases: held
                .map(|held| (held.lease, RunningJob::held(held.job)))
                .collect(),
        });
        tx.note_all(note);
        let told = tx.actions.len();
        let hello = Hello {
            worker,
            generation,
            slots: self.offered(join.slots, join.held.len()),
            until,
            running: join.held,
        };
        self.handle(&Event::Hello(hello), Evidence::default(), tx);
        self.end_reconnect_grace(tx);
        let has_work = tx.actions[told..].iter().any(|action| {
            matches!(
                action,
                Action::Tell(_, Outgoing::Assign(_) | Outgoing::Keep(_))
            )
        });
        if !has_work {
            tx.tell(&outbox, Outgoing::Idle);
        }
        Ok(Joined {
            connection: id,
            worker,
            generation,
        })
    }

    /// To the core, a worker that changes its slots comes anew with all its jobs.
    pub(super) fn set_slots(
        &mut self,
        id: ConnectionId,
        slots: u16,
        until: Option<Time>,
        tx: &mut Transaction,
    ) {
        if self.roster.connection(id).is_none() {
            return;
        }
        let worker = id.worker;
        let generation = self.roster.next_generation(worker);
        let Some(connection) = self.roster.connection(id) else {
            return;
        };
        connection.generation = generation;
        connection.slots = slots;
        connection.until = until;
        let running = connection.running();
        let hello = Hello {
            worker,
            generation,
            slots: self.offered(slots, running.len()),
            until,
            running,
        };
        self.handle(&Event::Hello(hello), Evidence::default(), tx);
    }

    /// The slots that the core may fill. While workers reconnect after a restart they get
    /// nothing new: what they would get may be running at one that is not back yet.
    fn offered(&self, slots: u16, held: usize) -> u16 {
        if self.roster.is_reconnecting() {
            slots.min(u16::try_from(held).unwrap_or(u16::MAX))
        } else {
            slots
        }
    }

    /// Once all are back, or time is up, whoever has room gets work.
    pub(super) fn end_reconnect_grace(&mut self, tx: &mut Transaction) {
        if !self.roster.reconnecting_ends() {
            return;
        }
        let here = self.roster.connections().map(|c| (c.id, c.slots, c.until));
        let here: Vec<_> = here.collect();
        let adopted = self.core.stats().adopted;
        info!(
            workers = here.len(),
            adopted, "the wait is over: jobs that nobody brought back are given out again"
        );
        for (id, slots, until) in here {
            self.set_slots(id, slots, until, tx);
        }
    }

    /// Jobs of workers that stay away wait no longer, so a restart need not wait for them.
    pub(super) fn forget_lost_workers(&mut self, tx: &mut Transaction) {
        for worker in self.roster.lost_for(self.grace) {
            let (_, note) = self.roster.depart(worker);
            tx.note_all(note);
        }
    }

    pub(super) fn departed(&mut self, id: ConnectionId, end: StreamEnd, tx: &mut Transaction) {
        let worker = id.worker;
        let is_current = self.roster.connection(id).is_some();
        let Some(how) = end.departure() else {
            return;
        };
        // A stream that has been replaced takes nothing with it. But a liar that hangs up is a
        // liar still.
        if !is_current && how != Departure::Banned {
            return;
        }
        let generation = self.roster.generation(worker);
        let connection = match how {
            Departure::Lost => self.roster.lose(worker),
            Departure::Goodbye | Departure::Banned => {
                let (connection, note) = self.roster.depart(worker);
                tx.note_all(note);
                connection
            }
        };
        if let Some(connection) = connection {
            tx.tell(&connection.outbox, Outgoing::Close(end.clone()));
        }
        let name = self.roster.name_of(worker);
        let words = end.to_string();
        match how {
            Departure::Goodbye => info!(worker = name, "worker left: {words}"),
            Departure::Lost => {
                self.tallies.of_mut(worker).losses += 1;
                warn!(worker = name, "worker lost: {words}");
            }
            Departure::Banned => {
                self.roster.ban(worker);
                error!(
                    worker = name,
                    "worker cut off: {words}; `gridproof withdraw {name}` takes back all its \
                     results"
                );
            }
        }
        tx.publish(GridEvent::WorkerLeft {
            worker: name,
            words,
        });
        let event = Event::Departed {
            worker,
            generation,
            how,
        };
        self.handle(&event, Evidence::default(), tx);
    }

    /// Ends the streams of those whose token is no longer good.
    pub(super) fn revoke(&mut self, token: TokenId, tx: &mut Transaction) {
        let streams = self.roster.connections();
        let held = streams.filter(|known| known.token == Some(token));
        for id in held.map(|known| known.id).collect::<Vec<_>>() {
            self.departed(id, StreamEnd::Revoked, tx);
        }
    }
}
