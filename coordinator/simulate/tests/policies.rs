//! What each policy does with a second worker.

use gridproof_game::{Colour, Move, Opening, Position, Square};
use gridproof_search::{
    Core, Effect, Event, Generation, Handled, Hello, JobEnd, JobResult, JobSpec, Options, Order,
    SearchId, Sender, Time, WorkerId,
};
use gridproof_simulate::Policy;

struct Driver {
    core: Core<Policy>,
    given: Vec<(Sender, JobSpec)>,
}

impl Driver {
    fn new(policy: Policy) -> Self {
        let mut core = Core::with_policy(Options::default(), policy);
        core.resume(Time(0), &mut Vec::new());
        let given = Vec::new();
        Self { core, given }
    }

    fn tell(&mut self, event: &Event) {
        let mut effects = Vec::new();
        let handled = self.core.handle(Time(0), event, &mut effects);
        assert_eq!(handled, Handled::Done);
        for effect in effects {
            if let Effect::Assign {
                worker,
                generation,
                lease,
                job,
                ..
            } = effect
            {
                let from = Sender {
                    worker,
                    generation,
                    lease,
                    key: job.id.key,
                };
                self.given.push((from, *job));
            }
        }
    }

    fn hello(&mut self, worker: u32) {
        self.tell(&Event::Hello(Hello {
            worker: WorkerId(worker),
            generation: Generation(1),
            slots: 1,
            until: None,
            running: Vec::new(),
        }));
    }
}

/// With the defender to move.
fn root() -> Position {
    let opening: Opening = "TX-H9".parse().unwrap();
    opening.position().after(&mv("K11 L10"))
}

fn mv(names: &str) -> Move {
    let squares = names.split(' ').map(|name| name.parse::<Square>().unwrap());
    Move::full(squares)
}

#[test]
fn all_but_virtual_equal_find_work_for_two_workers_on_two_replies() {
    for policy in Policy::ALL {
        let mut driver = Driver::new(policy);
        driver.tell(&Event::Order(Order::Start {
            search: SearchId(1),
            root: Box::new(root()),
            attacker: Colour::Black,
            share: 1,
        }));
        driver.hello(1);
        let (from, _) = driver.given.remove(0);
        let end = JobEnd::Answered(JobResult::Open(vec![mv("A1 A2"), mv("B1 C5")]));
        let spent = 1_000;
        driver.tell(&Event::Ended { from, end, spent });
        driver.hello(2);
        let busy = driver.given.len();
        let expected = match policy {
            // Where both replies look alike it waits for the first: that is its weakness.
            Policy::VirtualEqual => 1,
            // The branch that fails for sure need not be helped along.
            Policy::VirtualLoss => 1,
            _ => 2,
        };
        assert_eq!(busy, expected, "{policy}");
    }
}
