//! Events in, effects out: the owners of the state, brought together.

mod audits;
mod check;
mod dispatch;
mod facts;
mod leases;
mod moves;
mod opinions;
mod orders;
mod requests;
mod results;
mod settle;
mod standings;
mod view;
mod workers;

pub use view::{ChildView, LeaseView, NamedBy, NodeView, ReplyState, SearchView};

use crate::audits::Audits;
use crate::effect::{Effect, Verdict};
use crate::event::Event;
use crate::graph::Graph;
use crate::ids::{Revision, Time};
use crate::jobs::Jobs;
use crate::numbers::{Detour, Policy};
use crate::opinions::Opinions;
use crate::options::Options;
use crate::requests::Requests;
use crate::roster::Roster;
use crate::searches::Searches;
use crate::standings::Standings;
use crate::stats::{Handled, Stats};

/// The state of all searches and of all workers.
#[derive(Debug)]
pub struct Core<P = Detour> {
    options: Options,
    now: Time,
    revision: Revision,
    graph: Graph<P>,
    searches: Searches,
    roster: Roster,
    jobs: Jobs,
    opinions: Opinions,
    requests: Requests,
    standings: Standings,
    audits: Audits,
    stats: Stats,
}

impl Core {
    /// A core that knows nothing. Call [`Core::resume`] before the first event.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::with_policy(options, Detour)
    }
}

impl<P: Policy> Core<P> {
    /// As [`Core::new`], with another policy.
    #[must_use]
    pub fn with_policy(options: Options, policy: P) -> Self {
        Self {
            now: Time::default(),
            revision: Revision::default(),
            graph: Graph::new(&options, policy),
            searches: Searches::default(),
            roster: Roster::default(),
            jobs: Jobs::default(),
            opinions: Opinions::default(),
            requests: Requests::default(),
            standings: Standings::default(),
            audits: Audits::with_secret(options.secret),
            stats: Stats::default(),
            options,
        }
    }

    /// Takes in an event. What is to be done is added to `effects`: see [`Effect`] for what
    /// must be done first.
    pub fn handle(&mut self, now: Time, event: &Event, effects: &mut Vec<Effect>) -> Handled {
        self.now = self.now.max(now);
        self.roster.note_company(self.now);
        let done = match event {
            Event::Hello(hello) => self.hello(hello, effects),
            Event::Departed {
                worker,
                generation,
                how,
            } => self.departed(*worker, *generation, *how, effects),
            Event::Progress { from, spent } => self.progress(*from, *spent),
            Event::Finding { from, mv } => self.finding(*from, mv, effects),
            Event::Ended { from, end, spent } => self.ended(*from, end, *spent, effects),
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
        self.roster.measure_all();
        self.expire(effects);
        self.look_at_parked(effects);
        self.roster.end_passing_over();
        self.roster.end_rests(self.now);
        self.propagate(effects);
        self.dispatch(effects);
        self.second_stragglers(effects);
        self.audit_with_spare_time(effects);
    }

    /// Works out what an event has changed and hands out jobs.
    fn carry_on(&mut self, effects: &mut Vec<Effect>) {
        self.propagate(effects);
        self.dispatch(effects);
        if self.graph.take_roots_changed() {
            self.tell_verdicts(effects);
        }
    }

    /// Works out everything that changed, and drops the jobs that nobody waits for any more.
    fn propagate(&mut self, effects: &mut Vec<Effect>) {
        loop {
            self.graph.propagate();
            for node in self.graph.take_proved() {
                let how = self.graph.how_proved(node);
                effects.push(Effect::Proved { node, how });
            }
            let unwanted = self.graph.take_unwanted();
            if unwanted.is_empty() {
                break;
            }
            for (job, reason) in unwanted {
                self.drop_job(job, reason, effects);
            }
        }
        let revision = self.revision;
        let questions = self.graph.take_questions().into_iter();
        effects.extend(questions.map(|node| Effect::Settle { node, revision }));
    }

    fn tell_verdicts(&mut self, effects: &mut Vec<Effect>) {
        let graph = &self.graph;
        let changed = self.searches.judge(|root| {
            let numbers = graph.node(root).numbers();
            if numbers.is_proved() {
                Verdict::Proved
            } else if numbers.is_solved() {
                Verdict::Failed
            } else {
                Verdict::Open
            }
        });
        for (search, verdict) in changed {
            effects.push(Effect::Verdict { search, verdict });
        }
    }
}
