//! How fast the core is and how much memory it takes, with a large graph in it.
//!
//! `cargo bench -p gridproof-search --bench core`; the figures are in `docs/benchmarks/search.md`.

use std::sync::OnceLock;
use std::time::Duration;

use divan::Bencher;
use gridproof_game::{Colour, Move, Opening, Position, Square};
use gridproof_search::{
    Core, Effect, Event, Fact, Generation, Handled, Hello, JobEnd, JobKind, JobResult, JobSpec,
    Options, Order, SearchId, Sender, Settled, Status, Suggestion, Time, WorkerId,
};
use gridproof_simulate::Dice;

fn main() {
    divan::main();
}

/// A core with a crowd of workers that answer at once.
struct Crowd {
    core: Core,
    facts: Vec<Fact>,
    keeps_facts: bool,
    given: Vec<(Sender, Box<JobSpec>)>,
    questions: Vec<Settled>,
    effects: Vec<Effect>,
    now: u64,
}

const WORKERS: u32 = 256;

impl Crowd {
    fn new(keeps_facts: bool) -> Self {
        let mut crowd = Self {
            core: Core::new(Options::default()),
            facts: Vec::new(),
            keeps_facts,
            given: Vec::new(),
            questions: Vec::new(),
            effects: Vec::new(),
            now: 0,
        };
        let mut effects = Vec::new();
        crowd.core.resume(Time(0), &mut effects);
        crowd.effects = effects;
        crowd.take_effects();
        crowd.tell(&Event::Order(Order::Start {
            search: SearchId(1),
            root: Box::new(root()),
            attacker: Colour::Black,
            share: 1,
        }));
        for worker in 0..WORKERS {
            crowd.tell(&Event::Hello(Hello {
                worker: WorkerId(worker),
                generation: Generation(1),
                slots: 1,
                until: None,
                running: Vec::new(),
            }));
        }
        crowd
    }

    fn tell(&mut self, event: &Event) -> Handled {
        self.now += 1;
        let handled = self.core.handle(Time(self.now), event, &mut self.effects);
        self.take_effects();
        handled
    }

    fn take_effects(&mut self) {
        for effect in self.effects.drain(..) {
            match effect {
                Effect::Assign {
                    worker,
                    generation,
                    lease,
                    job,
                    ..
                } => {
                    let key = job.id.key;
                    let from = Sender {
                        worker,
                        generation,
                        lease,
                        key,
                    };
                    self.given.push((from, job));
                }
                Effect::Record(fact) if self.keeps_facts => self.facts.push(fact),
                Effect::Abort { lease, .. } => self.given.retain(|(from, _)| from.lease != lease),
                Effect::Settle { node, revision } => self.questions.push(Settled {
                    node,
                    revision,
                    excused: Vec::new(),
                    needed: Vec::new(),
                    closed: false,
                }),
                _ => {}
            }
        }
    }

    /// One more result. The shell answers at once, workers in no order.
    fn step(&mut self) {
        while let Some(settled) = self.questions.pop() {
            self.tell(&Event::Settled(settled));
        }
        let at = self.now as usize * 7 % self.given.len();
        let (from, job) = self.given.swap_remove(at);
        // What is made up may be a known move, or end the game: then something else is.
        loop {
            let outcome = answer(&job, self.now);
            let event = Event::Ended {
                from,
                end: JobEnd::Answered(outcome),
                spent: 10_000,
            };
            if self.tell(&event) == Handled::Done {
                return;
            }
        }
    }

    fn grow_to(&mut self, nodes: usize) {
        while self.core.node_count() < nodes {
            self.step();
        }
    }
}

/// With the defender to move, so that no single win ends the search.
fn root() -> Position {
    let opening: Opening = "TX-H9".parse().expect("a known opening");
    let [first, second] = [Square::new(10, 10), Square::new(11, 9)];
    opening.position().after(&Move::full([first, second]))
}

/// A quarter of the attacker's positions are won; nothing else ever closes.
fn answer(job: &JobSpec, salt: u64) -> JobResult {
    let mut dice = Dice::of(job.id.key.0[0], salt);
    let some_move = |dice: &mut Dice| {
        let column = || 0..19u8;
        let taken = |square: &Square| job.position.at(*square).is_some();
        let free: Vec<Square> = column()
            .flat_map(|c| {
                [
                    Square::new(c, dice.below(19) as u8),
                    Square::new(c, dice.below(19) as u8),
                ]
            })
            .filter(|square| !taken(square))
            .take(24)
            .collect();
        let first = dice.below(free.len() as u64 - 1) as usize;
        let second = free
            .iter()
            .skip(first + 1)
            .find(|square| **square != free[first]);
        Move::full([free[first], *second.unwrap_or(&free[0])])
    };
    match job.id.kind {
        JobKind::Engine if job.known.is_empty() && dice.percent(25) => JobResult::Won,
        JobKind::Engine => {
            let mv = some_move(&mut dice);
            let status = *dice.pick(&Status::ALL).unwrap_or(&Status::Unclear);
            JobResult::Moves(vec![Suggestion { mv, status }])
        }
        JobKind::Verifier => {
            let count = 1 + dice.below(20);
            JobResult::Open((0..count).map(|_| some_move(&mut dice)).collect())
        }
    }
}

fn facts(nodes: usize) -> Vec<Fact> {
    let mut crowd = Crowd::new(true);
    crowd.grow_to(nodes);
    crowd.facts
}

/// Results a second with a million nodes in memory: each is applied, numbers go up the graph,
/// and the worker gets its next job.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_thousand_results_with_a_million_nodes(bencher: Bencher<'_, '_>) {
    let mut crowd = Crowd::new(false);
    crowd.grow_to(1_000_000);
    let (nodes, bytes) = (crowd.core.node_count(), crowd.core.graph_bytes());
    println!(
        "{} bytes a node, {} edges for {nodes} nodes",
        bytes / nodes,
        crowd.core.edge_count()
    );
    let (mut results, mut busy) = (0, Duration::ZERO);
    bencher
        .counter(divan::counter::ItemsCount::new(1_000u32))
        .bench_local(|| {
            let before = processor_time();
            for _ in 0..1_000 {
                crowd.step();
            }
            results += 1_000;
            busy += processor_time().saturating_sub(before);
        });
    if !busy.is_zero() {
        let rate = f64::from(results) / busy.as_secs_f64();
        println!("{rate:.0} results a second of processor time");
    }
}

/// What this thread has had of its processor: on a machine that others use too, the clock
/// tells nothing. Zero where the system does not say.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// The same events without the core: what the benchmark itself costs.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_thousand_answers_made_up(bencher: Bencher<'_, '_>) {
    let mut crowd = Crowd::new(false);
    crowd.grow_to(10_000);
    bencher
        .counter(divan::counter::ItemsCount::new(1_000u32))
        .bench_local(|| {
            for i in 0..1_000 {
                let (_, job) = &crowd.given[i % crowd.given.len()];
                divan::black_box(answer(job, i as u64));
            }
        });
}

/// A tenth of the ten million nodes that must come back in a minute.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn a_million_nodes_from_their_facts(bencher: Bencher<'_, '_>) {
    static FACTS: OnceLock<Vec<Fact>> = OnceLock::new();
    let facts = FACTS.get_or_init(|| facts(1_000_000));
    bencher
        .with_inputs(|| facts.clone())
        .bench_local_values(|facts| {
            Core::replay(Options::default(), facts).expect("facts fit together")
        });
}

/// All ten million; takes some GB of memory, so only when GRIDPROOF_LARGE is set.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn ten_million_nodes_from_stored_facts(bencher: Bencher<'_, '_>) {
    if std::env::var_os("GRIDPROOF_LARGE").is_none() {
        println!("skipped: set GRIDPROOF_LARGE=1 to run it");
        return;
    }
    let mut crowd = Crowd::new(true);
    let mut stored: Vec<u8> = Vec::new();
    let mut ends = Vec::new();
    while crowd.core.node_count() < 10_000_000 {
        let more = crowd.core.node_count() + 100_000;
        crowd.grow_to(more);
        for fact in crowd.facts.drain(..) {
            stored.extend(fact.encode());
            ends.push(stored.len());
        }
    }
    println!("{} facts, {} bytes", ends.len(), stored.len());
    drop(crowd);
    bencher.bench_local(|| {
        let mut start = 0;
        let facts = ends.iter().map(|&end| {
            let fact = Fact::decode(&stored[start..end]).expect("stored facts are in order");
            start = end;
            fact
        });
        let before = processor_time();
        let core = Core::replay(Options::default(), facts).expect("facts fit together");
        let busy = processor_time().saturating_sub(before);
        println!("{:.1} s of processor time", busy.as_secs_f64());
        assert!(core.node_count() >= 10_000_000);
        core
    });
}
