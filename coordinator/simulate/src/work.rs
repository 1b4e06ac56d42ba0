//! What virtual workers do.

use super::grid::Grid;
use super::hostile::Strategy;
use super::worker::{LinkState, SimEvent, VirtualJob};
use super::world::{Run, World};
use gridproof_certificate::ContentHash;
use gridproof_proofs::KnownAnswer;
use gridproof_search::{
    Departure, Event, Handled, Hello, JobEnd, JobId, JobResult, JobSpec, LeaseId, Order, WorkerId,
};

impl<W: World> Grid<'_, W> {
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

    pub(super) fn tell_progress(&mut self) {
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

    pub(super) fn job_done(&mut self, index: usize, lease: LeaseId) {
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
        let (answers, lies) = (worker.answers, worker.lies);
        let run = match worker.strategy {
            Some(strategy) => strategy.answer(self.world, &asked, &honest, answers, &mut self.dice),
            None if lies > 0 && self.dice.percent(lies) => {
                self.world.lie(&asked, &honest, &mut self.dice)
            }
            None => honest,
        };
        self.workers[index].answers += 1;
        let is_false = match run.result {
            JobResult::Won => !self.world.is_won(&asked),
            JobResult::Refuted => !self.world.is_refuted(&asked),
            _ => false,
        };
        self.workers[index].drop_job(lease);
        self.busy.change(self.now, -1);
        if is_false {
            self.ban(index);
            return;
        }
        self.world.delivered(&asked, &run.result);
        self.keep_answers(from.worker, asked.id, &run);
        let event = Event::Ended {
            from,
            end: JobEnd::Answered(run.result),
            spent: run.spent,
        };
        let handled = self.tell(event.clone());
        if let Handled::Ignored(reason) = handled
            && reason.is_worker_fault()
        {
            let (end, spent) = (JobEnd::Refused, 0);
            self.tell(Event::Ended { from, end, spent });
        }
        // Said again, what made no sense might make sense.
        self.last_message = (handled == Handled::Done).then_some(event);
    }

    /// Plays the shell that keeps the certificates of replies. An audit brings none.
    fn keep_answers(&mut self, by: WorkerId, job: JobId, run: &Run) {
        let node = self.core.node(job.node);
        if !run.result.is_open() || node.is_none_or(|node| node.answers != job.serial) {
            return;
        }
        for mv in &run.answered {
            let answer = KnownAnswer {
                mv: mv.clone(),
                by,
                certificate: ContentHash([0; 32]),
                serial: job.serial,
            };
            self.answers.add(job.node, answer);
        }
    }

    /// A worker forgets what it was at.
    pub(super) fn lose_jobs(&mut self, index: usize) {
        let jobs = std::mem::take(&mut self.workers[index].jobs);
        self.busy.change(self.now, -(jobs.len() as i64));
    }

    /// The shell has caught a worker lying.
    fn ban(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        worker.banned = true;
        worker.link = LinkState::Down;
        let (id, generation) = (worker.id, worker.generation);
        self.lose_jobs(index);
        self.tell(Event::Departed {
            worker: id,
            generation,
            how: Departure::Banned,
        });
        self.tell(Event::Order(Order::Withdraw { worker: id }));
    }

    pub(super) fn finding(&mut self, index: usize, lease: LeaseId, finding: usize) {
        let worker = &self.workers[index];
        if !worker.is_up() || worker.lies > 0 || worker.strategy.is_some() {
            return;
        }
        let Some(job) = worker.find(lease) else {
            return;
        };
        let (_, mv) = job.run.findings[finding].clone();
        let from = worker.sender(job);
        self.tell(Event::Finding { from, mv });
    }

    pub(super) fn start(&mut self, worker: WorkerId, lease: LeaseId, job: Box<JobSpec>) {
        let index = worker.0 as usize;
        if !self.workers[index].is_up() {
            return;
        }
        let known = self.answers.known_to(job.id);
        let known: Vec<_> = known.map(|answer| answer.mv.clone()).collect();
        let run = self.world.run_knowing(&job, &known);
        let speed = self.workers[index].speed;
        let millis = |nodes: u64| nodes.saturating_mul(1000) / speed;
        let latency = self.settings.latency;
        if self.settings.tells_findings {
            for (i, (at, _)) in run.findings.iter().enumerate() {
                let finding = SimEvent::Finding {
                    worker: index,
                    lease,
                    index: i,
                };
                self.after(latency + millis(*at), finding);
            }
        }
        let (kind, honest) = (job.id.kind, millis(run.spent).max(1));
        let strategy = self.workers[index].strategy;
        let takes = strategy.map_or(Some(honest), |strategy| strategy.millis(kind, honest));
        let (worker, soon) = (index, latency + 1);
        match (takes, strategy) {
            (_, Some(Strategy::HandBack)) => self.after(soon, SimEvent::HandBack { worker, lease }),
            (Some(millis), _) => self.after(latency + millis, SimEvent::JobDone { worker, lease }),
            (None, Some(Strategy::Flap)) => self.after(soon, SimEvent::HangUp { worker }),
            (None, _) => {}
        }
        self.workers[index].jobs.push(VirtualJob {
            lease,
            job,
            run,
            is_done: false,
        });
        self.busy.change(self.now, 1);
    }

    /// A hostile worker breaks its link, and is back in a moment.
    pub(super) fn hang_up(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        if !worker.is_up() {
            return;
        }
        worker.link = LinkState::Down;
        let generation = worker.generation;
        let worker = index;
        self.after(50, SimEvent::Noticed { worker, generation });
        self.after(500, SimEvent::Dial { worker });
    }

    /// A hostile worker gives a job back that it could do.
    pub(super) fn hand_back(&mut self, index: usize, lease: LeaseId) {
        let worker = &self.workers[index];
        let job = worker.find(lease).filter(|_| worker.is_up());
        let Some(from) = job.map(|job| worker.sender(job)) else {
            return;
        };
        self.workers[index].drop_job(lease);
        self.busy.change(self.now, -1);
        let (end, spent) = (JobEnd::HandedBack, 0);
        self.tell(Event::Ended { from, end, spent });
    }

    pub(super) fn abort(&mut self, worker: WorkerId, lease: LeaseId) {
        let worker = &mut self.workers[worker.0 as usize];
        if worker.is_up() && worker.find(lease).is_some() {
            worker.drop_job(lease);
            self.busy.change(self.now, -1);
        }
    }
}
