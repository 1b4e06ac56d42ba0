//! The workers: who is there, who has room, and whether anybody is alone.

mod worker;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Index;
use std::time::Duration;

pub(crate) use worker::{Presence, Worker};

use crate::event::{Departure, Hello};
use crate::ids::{Generation, LeaseId, Time, WorkerId};
use crate::stats::IgnoreReason;

/// No machine is believed to be so many times as fast as most others.
const FASTEST: u64 = 4;
/// None is taken to be slower than others by more than this.
const SLOWEST: u64 = 16;
/// Nodes a second, while nobody has been measured: a slow machine.
const ASSUMED_SPEED: u64 = 20_000;

/// Every worker that was heard of. None is ever forgotten.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    workers: BTreeMap<WorkerId, Worker>,
    /// Workers with room for a job, the fastest first.
    idle: BTreeSet<(Reverse<u64>, WorkerId)>,
    /// How many take jobs.
    working: usize,
    /// When the first of them came.
    first_came: Option<Time>,
    /// Nodes a second of most of them, as of the last tick; 0 while unknown.
    usual_speed: u64,
    /// When there was last more than one of them, if ever.
    last_company: Option<Time>,
}

impl Index<WorkerId> for Roster {
    type Output = Worker;

    fn index(&self, id: WorkerId) -> &Worker {
        &self.workers[&id]
    }
}

impl Roster {
    pub(crate) fn get(&self, id: WorkerId) -> Option<&Worker> {
        self.workers.get(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Worker> {
        self.workers.values()
    }

    /// The generation of a worker's connection, if it has one.
    pub(crate) fn connection(&self, id: WorkerId) -> Option<Generation> {
        let worker = self.get(id).filter(|worker| worker.is_connected());
        worker.map(Worker::generation)
    }

    /// Those that take jobs, now or once they have room.
    pub(crate) fn working(&self) -> impl Iterator<Item = WorkerId> + '_ {
        let working = self.workers.iter().filter(|(_, w)| w.takes_jobs());
        working.map(|(id, _)| *id)
    }

    /// Facts speak of this worker.
    pub(crate) fn remember(&mut self, id: WorkerId) {
        self.workers.entry(id).or_insert_with(Worker::unknown);
    }

    /// After the facts: whoever answered before may be on the way back.
    pub(crate) fn resume(&mut self, now: Time) {
        let trusted = self
            .iter()
            .filter(|worker| worker.presence != Presence::Banned);
        self.last_company = (trusted.count() > 1).then_some(now);
    }

    /// A worker presents itself over a new connection.
    pub(crate) fn hello(&mut self, hello: &Hello) -> Result<(), IgnoreReason> {
        if let Some(known) = self.get(hello.worker) {
            if known.presence == Presence::Banned {
                return Err(IgnoreReason::BannedWorker);
            }
            if known.generation >= hello.generation {
                return Err(IgnoreReason::StaleConnection);
            }
        }
        self.remember(hello.worker);
        self.update(hello.worker, |worker| {
            worker.generation = hello.generation;
            worker.presence = Presence::Connected;
            worker.slots = hello.slots;
            worker.until = hello.until;
            worker.passed_over = false;
        });
        Ok(())
    }

    /// Whether a worker's departure makes sense.
    pub(crate) fn check_departure(
        &self,
        id: WorkerId,
        generation: Generation,
        how: Departure,
    ) -> Result<(), IgnoreReason> {
        let worker = self.get(id).ok_or(IgnoreReason::UnknownWorker)?;
        if worker.presence == Presence::Banned {
            return Err(IgnoreReason::BannedWorker);
        }
        // A ban holds for the identity, whatever connection gave the reason.
        let is_current = worker.generation == generation && worker.is_connected();
        if is_current || how == Departure::Banned {
            Ok(())
        } else {
            Err(IgnoreReason::StaleConnection)
        }
    }

    pub(crate) fn depart(&mut self, id: WorkerId, how: Departure, now: Time) {
        self.remember(id);
        self.update(id, |worker| {
            worker.presence = match how {
                Departure::Goodbye => Presence::Left,
                Departure::Lost => Presence::LostSince(now),
                Departure::Banned => Presence::Banned,
            };
        });
    }

    pub(crate) fn add_lease(&mut self, id: WorkerId, lease: LeaseId) {
        self.update(id, |worker| worker.leases.push(lease));
    }

    pub(crate) fn remove_lease(&mut self, id: WorkerId, lease: LeaseId) {
        self.update(id, |worker| worker.leases.retain(|other| *other != lease));
    }

    /// Takes in how fast a job went.
    pub(crate) fn measure(&mut self, id: WorkerId, spent: u64, millis: u64) {
        let most = match self.usual_speed {
            0 => u64::MAX,
            usual => usual.saturating_mul(FASTEST),
        };
        self.update(id, |worker| worker.measure(spent, millis, most));
    }

    /// Works out anew how fast most workers are: half of them are no faster.
    pub(crate) fn measure_all(&mut self) {
        let measured = self.iter().filter(|worker| worker.takes_jobs());
        let mut speeds: Vec<_> = measured.map(Worker::speed).filter(|&s| s > 0).collect();
        speeds.sort_unstable();
        let middle = speeds.len().saturating_sub(1) / 2;
        self.usual_speed = speeds.get(middle).copied().unwrap_or(0);
    }

    /// Nodes a second of most workers; none while nobody has answered.
    pub(crate) fn usual_speed(&self) -> Option<u64> {
        (self.usual_speed > 0).then_some(self.usual_speed)
    }

    /// Nodes a second that a worker surely does: what it was measured at, but no less than a
    /// small part of what others do, and no more than they do.
    pub(crate) fn least_speed(&self, id: WorkerId) -> u64 {
        let usual = self.usual_speed().unwrap_or(ASSUMED_SPEED);
        let own = match self[id].speed {
            0 => usual / SLOWEST,
            own => own,
        };
        own.clamp(usual / SLOWEST, usual).max(1)
    }

    /// A job of this worker came back without an answer.
    pub(crate) fn fail(&mut self, id: WorkerId, now: Time) {
        self.update(id, |worker| worker.fail(now));
    }

    /// Those that have rested may have jobs again.
    pub(crate) fn end_rests(&mut self, now: Time) {
        let is_over = |worker: &Worker| worker.rests_until.is_some_and(|until| until <= now);
        let rested = self.workers.iter().filter(|(_, worker)| is_over(worker));
        let rested: Vec<_> = rested.map(|(id, _)| *id).collect();
        for id in rested {
            self.update(id, |worker| worker.rests_until = None);
        }
    }

    pub(crate) fn set_quarantined(&mut self, id: WorkerId, quarantined: bool) {
        self.remember(id);
        self.update(id, |worker| {
            worker.quarantined = quarantined;
            worker.failures = 0;
            worker.rests_until = None;
        });
    }

    /// How many take jobs.
    pub(crate) const fn working_count(&self) -> usize {
        self.working
    }

    /// Whether the first worker came so long ago that others had time to come too.
    pub(crate) fn has_waited(&self, now: Time, patience: Duration) -> bool {
        self.first_came
            .is_some_and(|since| now.since(since) > patience)
    }

    /// No job that is to be had fits a worker.
    pub(crate) fn pass_over(&mut self, id: WorkerId) {
        self.update(id, |worker| worker.passed_over = true);
    }

    /// All are asked again.
    pub(crate) fn end_passing_over(&mut self) {
        let passed_over = self.workers.iter().filter(|(_, w)| w.passed_over);
        let passed_over: Vec<_> = passed_over.map(|(id, _)| *id).collect();
        for id in passed_over {
            self.update(id, |worker| worker.passed_over = false);
        }
    }

    /// Workers with room, the fastest first, but for those that nothing fits.
    pub(crate) fn idle(&self) -> impl ExactSizeIterator<Item = WorkerId> + '_ {
        self.idle.iter().map(|&(_, worker)| worker)
    }

    pub(crate) fn first_idle(&self) -> Option<WorkerId> {
        self.idle().next()
    }

    /// A worker with room for whatever it be: the fastest that is idle, or else any.
    pub(crate) fn with_room(&self) -> Option<WorkerId> {
        let any = || self.workers.iter().find(|(_, worker)| worker.has_room());
        self.first_idle().or_else(|| any().map(|(id, _)| *id))
    }

    /// Time passes: notes whether there is more than one.
    pub(crate) fn note_company(&mut self, now: Time) {
        if self.working > 0 {
            self.first_came.get_or_insert(now);
        }
        if self.working > 1 {
            self.last_company = Some(now);
        }
    }

    /// Whether it is so long since there was more than one worker that nobody else is waited for.
    /// Others are given the same time to come after the first, which may be a liar.
    pub(crate) fn is_alone(&self, now: Time, patience: Duration) -> bool {
        let since = self.last_company.or(self.first_came);
        self.working <= 1 && since.is_some_and(|since| now.since(since) > patience)
    }

    /// Changes a worker and keeps the list of those with room for a job true.
    fn update(&mut self, id: WorkerId, change: impl FnOnce(&mut Worker)) {
        let worker = self
            .workers
            .get_mut(&id)
            .expect("workers are never forgotten");
        self.idle.remove(&(Reverse(worker.speed), id));
        self.working -= usize::from(worker.takes_jobs());
        change(worker);
        self.working += usize::from(worker.takes_jobs());
        if worker.has_room() && !worker.passed_over {
            self.idle.insert((Reverse(worker.speed), id));
        }
    }
}
