//! Events that make no sense: each changes nothing and is counted by its name, and no name is
//! left without a test.

mod support;

use std::collections::BTreeSet;

use gridproof_game::{Colour, Position, Rules, SquareSet};
use gridproof_search::{
    Departure, Event, Generation, Handled, Hello, IgnoreReason, JobEnd, JobKind, JobResult,
    LeaseId, NodeId, NodeKey, Order, Revision, SearchId, Sender, Settled, Status, WorkerId,
};
use support::{Given, Harness, SEARCH, mv, open, opening, suggest, suggest_as};

struct Critic {
    harness: Harness,
    seen: BTreeSet<IgnoreReason>,
}

impl Critic {
    fn expect(&mut self, event: &Event, reason: IgnoreReason) {
        let counted = |harness: &Harness| {
            let counts = &harness.core.stats().ignored;
            counts.get(&reason).copied().unwrap_or(0)
        };
        let (digest, leases) = (
            self.harness.core.digest(),
            self.harness.core.leases().count(),
        );
        let before = counted(&self.harness);
        let handled = self.harness.tell(event);
        assert_eq!(handled, Handled::Ignored(reason), "{event:?}");
        assert_eq!(self.harness.core.digest(), digest, "{event:?}");
        assert_eq!(self.harness.core.leases().count(), leases, "{event:?}");
        assert_eq!(counted(&self.harness), before + 1, "{reason}");
        self.seen.insert(reason);
    }

    fn order(&mut self, order: Order, reason: IgnoreReason) {
        self.expect(&Event::Order(order), reason);
    }

    fn answer(&mut self, from: Sender, outcome: JobResult, reason: IgnoreReason) {
        let spent = 1;
        let event = Event::Ended {
            from,
            end: JobEnd::Answered(outcome),
            spent,
        };
        self.expect(&event, reason);
    }

    /// What is wrong with the sender is wrong with all that it says.
    fn any_message(&mut self, from: Sender, reason: IgnoreReason) {
        self.answer(from, JobResult::Won, reason);
        self.expect(&Event::Progress { from, spent: 5 }, reason);
        self.expect(
            &Event::Ended {
                from,
                end: JobEnd::Broken,
                spent: 0,
            },
            reason,
        );
    }

    fn strangers(&mut self, given: &Given) {
        let good = given.sender();
        let nobody = WorkerId(9);
        let from = Sender {
            worker: nobody,
            ..good
        };
        self.any_message(from, IgnoreReason::UnknownWorker);
        let gone = Event::Departed {
            worker: nobody,
            generation: Generation(1),
            how: Departure::Lost,
        };
        self.expect(&gone, IgnoreReason::UnknownWorker);
        for generation in [0, 2] {
            let generation = Generation(generation);
            self.any_message(Sender { generation, ..good }, IgnoreReason::StaleConnection);
        }
        let lease = LeaseId::from_bits(77);
        self.any_message(Sender { lease, ..good }, IgnoreReason::UnknownLease);
        let worker = WorkerId(2);
        self.any_message(Sender { worker, ..good }, IgnoreReason::ForeignLease);
        let key = NodeKey([1, 2]);
        self.any_message(Sender { key, ..good }, IgnoreReason::WrongPosition);
    }

    fn answers(&mut self, given: &Given) {
        let from = given.sender();
        self.answer(from, open(&["A1 A2"]), IgnoreReason::WrongKind);
        self.answer(from, suggest("J10 A1"), IgnoreReason::IllegalMove);
        assert_eq!(
            self.harness.finish(given, suggest("K11 L10")),
            Handled::Done
        );
        self.any_message(from, IgnoreReason::Twice);
        self.harness.finish_job_of(1, JobResult::Refuted);
        let second = self.harness.job_of(2);
        self.answer(second.sender(), suggest("K11 L10"), IgnoreReason::KnownMove);
        self.harness
            .finish(&second, suggest_as("K11 K12", Status::Won));
        let jobs = [1, 2].map(|worker| self.harness.job_of(worker));
        let of_kind = |kind| jobs.iter().find(|given| given.job.id.kind == kind).unwrap();
        let (verifier, sibling) = (of_kind(JobKind::Verifier), of_kind(JobKind::Engine));
        self.harness.finish(verifier, JobResult::Won);
        self.any_message(sibling.sender(), IgnoreReason::Late);
    }

    fn orders(&mut self) {
        let (root, nowhere) = (self.harness.root(), NodeId(99));
        self.order(Order::Pause { node: nowhere }, IgnoreReason::UnknownNode);
        let search = SearchId(9);
        self.order(Order::Stop { search }, IgnoreReason::UnknownSearch);
        let start = |search, share| Order::Start {
            search,
            root: Box::new(opening()),
            attacker: Colour::Black,
            share,
        };
        self.order(start(SEARCH, 1), IgnoreReason::SearchExists);
        self.order(start(SearchId(5), 0), IgnoreReason::NothingToSearch);
        self.order(Order::Forget { node: root }, IgnoreReason::WrongSide);
        self.order(Order::Resume { node: root }, IgnoreReason::NoChange);
        let settled = |node, revision| {
            Event::Settled(Settled {
                node,
                revision,
                excused: Vec::new(),
                needed: Vec::new(),
                closed: true,
            })
        };
        self.expect(&settled(root, Revision(0)), IgnoreReason::NotAsked);
        self.expect(&settled(nowhere, Revision(0)), IgnoreReason::UnknownNode);
    }

    fn hints(&mut self) {
        let four: SquareSet = ["A1", "B1", "C1", "D1"]
            .map(|s| s.parse().unwrap())
            .into_iter()
            .collect();
        let nearly =
            Position::of_stones(Rules::CONNECT6, &four, &SquareSet::EMPTY, Colour::Black).unwrap();
        self.harness.start(SearchId(2), &nearly, Colour::Black);
        let (node, symmetry) = self.harness.core.find(&nearly, Colour::Black).unwrap();
        let ends = mv("E1 F1").map(|square| symmetry.apply(nearly.rules(), square));
        let hint = |node, mv| Order::Try {
            node,
            mv,
            status: Status::Won,
        };
        self.order(hint(node, ends), IgnoreReason::EndsTheGame);
        let root = self.harness.root();
        self.order(hint(root, mv("A1 A2")), IgnoreReason::Solved);
    }

    fn the_banned(&mut self) {
        self.harness.gone(2, Departure::Banned);
        let hello = Event::Hello(Hello {
            worker: WorkerId(2),
            generation: Generation(2),
            slots: 1,
            until: None,
            running: Vec::new(),
        });
        self.expect(&hello, IgnoreReason::BannedWorker);
    }
}

#[test]
fn every_kind_of_nonsense_changes_nothing_and_is_counted_by_its_name() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.hello(2);
    let given = harness.job_of(1);
    let mut critic = Critic {
        harness,
        seen: BTreeSet::new(),
    };
    critic.strangers(&given);
    critic.answers(&given);
    critic.orders();
    critic.hints();
    critic.the_banned();
    assert_eq!(critic.seen, BTreeSet::from(IgnoreReason::ALL));
}

#[test]
fn no_two_kinds_of_nonsense_share_a_name() {
    let names: BTreeSet<_> = IgnoreReason::ALL
        .iter()
        .map(|kind| kind.to_string())
        .collect();
    assert_eq!(names.len(), IgnoreReason::ALL.len());
}
