//! A coordinator's harness for tests: the core, its effects, and a pen.

#![allow(dead_code, reason = "each test file uses its part")]

use std::time::Duration;

use gridproof_game::{Colour, Move, Opening, Position, Square};
use gridproof_search::{
    AbortReason, AuditRate, Core, Departure, Effect, Event, Fact, Generation, Handled, HeldJob,
    Hello, JobEnd, JobKind, JobResult, JobSpec, LeaseId, NodeId, Options, Order, QuarantineReason,
    Revision, SearchId, Sender, Settled, Status, Suggestion, Time, Verdict, WorkerId,
};

pub const SEARCH: SearchId = SearchId(1);

/// A job that a worker was given.
#[derive(Clone, Debug)]
pub struct Given {
    pub worker: WorkerId,
    pub generation: Generation,
    pub lease: LeaseId,
    pub attempt: u16,
    pub job: JobSpec,
}

impl Given {
    pub fn sender(&self) -> Sender {
        Sender {
            worker: self.worker,
            generation: self.generation,
            lease: self.lease,
            key: self.job.id.key,
        }
    }

    pub fn running(&self) -> HeldJob {
        HeldJob {
            lease: self.lease,
            job: self.job.id,
        }
    }
}

pub struct Harness {
    pub core: Core,
    pub options: Options,
    pub now: Time,
    pub facts: Vec<Fact>,
    /// Jobs that were given out and not taken away again.
    pub given: Vec<Given>,
    pub aborted: Vec<(LeaseId, AbortReason)>,
    pub kept: Vec<LeaseId>,
    pub questions: Vec<(NodeId, Revision)>,
    pub proved: Vec<NodeId>,
    pub unproved: Vec<NodeId>,
    pub verdict: Verdict,
    pub quarantined: Vec<(WorkerId, QuarantineReason)>,
}

impl Harness {
    pub fn new(options: Options) -> Self {
        let core = Core::new(options.clone());
        let mut harness = Self {
            core,
            options,
            now: Time(0),
            facts: Vec::new(),
            given: Vec::new(),
            aborted: Vec::new(),
            kept: Vec::new(),
            questions: Vec::new(),
            proved: Vec::new(),
            unproved: Vec::new(),
            verdict: Verdict::Open,
            quarantined: Vec::new(),
        };
        let mut effects = Vec::new();
        harness.core.resume(harness.now, &mut effects);
        harness.take(effects);
        harness
    }

    /// A harness with a search of TX-H9 for Black: an attacker's node is the root.
    pub fn with_search() -> Self {
        let mut harness = Self::new(options());
        harness.start(SEARCH, &opening(), Colour::Black);
        harness
    }

    pub fn start(&mut self, search: SearchId, root: &Position, attacker: Colour) {
        let root = Box::new(root.clone());
        let share = 1;
        self.order(Order::Start {
            search,
            root,
            attacker,
            share,
        });
    }

    pub fn tell(&mut self, event: &Event) -> Handled {
        let mut effects = Vec::new();
        let handled = self.core.handle(self.now, event, &mut effects);
        if handled != Handled::Done {
            assert!(effects.is_empty(), "reason has no effect");
        }
        self.take(effects);
        self.core.check_invariants().unwrap();
        let again = Core::replay(self.options.clone(), self.facts.iter().cloned()).unwrap();
        assert_eq!(
            again.digest(),
            self.core.digest(),
            "a replay comes to the same"
        );
        handled
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Record(fact) => self.facts.push(fact),
                Effect::Assign {
                    worker,
                    generation,
                    lease,
                    attempt,
                    job,
                } => self.given.push(Given {
                    worker,
                    generation,
                    lease,
                    attempt,
                    job: *job,
                }),
                Effect::Keep { lease, .. } => self.kept.push(lease),
                Effect::Abort { lease, reason, .. } => {
                    self.given.retain(|given| given.lease != lease);
                    self.aborted.push((lease, reason));
                }
                Effect::Settle { node, revision } => self.questions.push((node, revision)),
                Effect::Proved { node, .. } => self.proved.push(node),
                Effect::Unproved { nodes } => self.unproved.extend(nodes),
                Effect::Verdict { verdict, .. } => self.verdict = verdict,
                Effect::Quarantined { worker, reason } => self.quarantined.push((worker, reason)),
            }
        }
    }

    pub fn order(&mut self, order: Order) -> Handled {
        self.tell(&Event::Order(order))
    }

    pub fn hello(&mut self, worker: u32) -> Handled {
        self.hello_again(worker, 1, Vec::new())
    }

    pub fn hello_again(&mut self, worker: u32, generation: u32, running: Vec<HeldJob>) -> Handled {
        self.tell(&Event::Hello(Hello {
            worker: WorkerId(worker),
            generation: Generation(generation),
            slots: 1,
            until: None,
            running,
        }))
    }

    pub fn gone(&mut self, worker: u32, how: Departure) -> Handled {
        self.tell(&Event::Departed {
            worker: WorkerId(worker),
            generation: Generation(1),
            how,
        })
    }

    /// Takes the job that a worker has.
    pub fn job_of(&mut self, worker: u32) -> Given {
        let at = self
            .given
            .iter()
            .position(|given| given.worker == WorkerId(worker));
        self.given
            .remove(at.unwrap_or_else(|| panic!("worker {worker} has no job")))
    }

    pub fn has_job(&self, worker: u32) -> bool {
        self.given
            .iter()
            .any(|given| given.worker == WorkerId(worker))
    }

    pub fn finish(&mut self, given: &Given, outcome: JobResult) -> Handled {
        self.tell(&Event::Ended {
            from: given.sender(),
            end: JobEnd::Answered(outcome),
            spent: 1_000,
        })
    }

    /// The worker's job ends like this.
    pub fn finish_job_of(&mut self, worker: u32, outcome: JobResult) -> Given {
        let given = self.job_of(worker);
        assert_eq!(self.finish(&given, outcome), Handled::Done);
        given
    }

    /// The worker does so many jobs: every move that is suggested gets refuted.
    pub fn work(&mut self, worker: u32, jobs: u8, each: Duration, spent: u64) {
        for i in 0..jobs {
            let given = self.job_of(worker);
            self.now = self.now.after(each);
            let outcome = match given.job.id.kind {
                JobKind::Engine => {
                    let edges = [(i % 19, 0), (i % 19, 14 + i / 19)];
                    let mv = Move::full(edges.map(|(column, row)| Square::new(column, row)));
                    let status = Status::Unclear;
                    JobResult::Moves(vec![Suggestion { mv, status }])
                }
                JobKind::Verifier => JobResult::Refuted,
            };
            let from = given.sender();
            let event = Event::Ended {
                from,
                end: JobEnd::Answered(outcome),
                spent,
            };
            assert_eq!(self.tell(&event), Handled::Done);
        }
    }

    pub fn find(&mut self, given: &Given, mv: Move) -> Handled {
        self.tell(&Event::Finding {
            from: given.sender(),
            mv,
        })
    }

    /// Answers the oldest question of the core.
    pub fn settle(&mut self, excused: Vec<Move>, needed: Vec<Move>, closed: bool) -> NodeId {
        let (node, revision) = self.questions.remove(0);
        let settled = Settled {
            node,
            revision,
            excused,
            needed,
            closed,
        };
        assert_eq!(self.tell(&Event::Settled(settled)), Handled::Done);
        node
    }

    pub fn pass(&mut self, time: Duration) {
        self.now = self.now.after(time);
        self.tell(&Event::Tick);
    }

    /// The coordinator dies and starts again from its facts.
    pub fn restart(&mut self) {
        self.core = Core::replay(self.options.clone(), self.facts.clone()).unwrap();
        self.given.clear();
        self.questions.clear();
        let mut effects = Vec::new();
        self.core.resume(self.now, &mut effects);
        self.take(effects);
    }

    pub fn root(&self) -> NodeId {
        self.core.searches().next().unwrap().root
    }

    pub fn numbers(&self, node: NodeId) -> gridproof_search::Numbers {
        self.core.node(node).unwrap().numbers
    }

    pub fn child(&self, node: NodeId, index: usize) -> NodeId {
        self.core.children(node)[index].node
    }
}

/// Audits would give workers jobs that most tests do not speak of.
pub fn options() -> Options {
    Options {
        audits: AuditRate::Never,
        ..Options::default()
    }
}

pub fn opening() -> Position {
    "TX-H9".parse::<Opening>().unwrap().position()
}

pub fn mv(names: &str) -> Move {
    let stones = names.split(' ').filter(|name| *name != "-");
    let stones: Vec<Square> = stones.map(|name| name.parse().unwrap()).collect();
    let nulls = names.split(' ').filter(|name| *name == "-").count();
    Move::new(stones, nulls as u8)
}

pub fn moves(list: &[&str]) -> Vec<Move> {
    list.iter().map(|names| mv(names)).collect()
}

pub fn suggest(names: &str) -> JobResult {
    suggest_as(names, Status::Unclear)
}

pub fn suggest_as(names: &str, status: Status) -> JobResult {
    JobResult::Moves(vec![Suggestion {
        mv: mv(names),
        status,
    }])
}

pub fn open(list: &[&str]) -> JobResult {
    JobResult::Open(moves(list))
}
