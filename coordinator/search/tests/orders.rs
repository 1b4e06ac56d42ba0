//! What operators want is done, and what makes no sense is not.

mod support;

use std::time::Duration;

use gridproof_game::Colour;
use gridproof_search::{
    AbortReason, Handled, IgnoreReason, JobResult, NamedBy, NodeId, Order, SearchId, Status,
    Suggestion, Verdict,
};
use support::{Harness, SEARCH, mv, opening, suggest, suggest_as};

#[test]
fn a_hint_is_tried_first() {
    let mut harness = Harness::with_search();
    let node = harness.root();
    let order = Order::Try {
        node,
        mv: mv("K11 L10"),
        status: Status::AlmostWon,
    };
    assert_eq!(harness.order(order.clone()), Handled::Done);
    harness.hello(1);
    assert_eq!(harness.job_of(1).job.id.node, harness.child(node, 0));
    assert_eq!(
        harness.order(order),
        Handled::Ignored(IgnoreReason::NoChange)
    );
}

#[test]
fn moves_tried_in_vain_count_against_an_engines_next_one_but_not_against_a_hint() {
    let after_moves_in_vain = |count: u8| {
        let mut harness = Harness::with_search();
        harness.hello(1);
        harness.work(1, 2 * count, Duration::from_secs(1), 1_000);
        harness.finish_job_of(1, suggest_as("K11 L10", Status::Strong3));
        harness
    };
    let proof = |harness: &Harness| harness.numbers(harness.root()).proof;
    let first = proof(&after_moves_in_vain(0));
    let mut harness = after_moves_in_vain(10);
    assert!(proof(&harness) > first);
    harness.order(Order::Try {
        node: harness.root(),
        mv: mv("K11 L12"),
        status: Status::Strong3,
    });
    assert_eq!(proof(&harness), first);
}

#[test]
fn a_hint_of_a_move_that_an_engine_named_makes_it_the_operators() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.work(1, 20, Duration::from_secs(1), 1_000);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Weak1));
    let proof = |harness: &Harness| harness.numbers(harness.root()).proof;
    let late = proof(&harness);
    let hint = Order::Try {
        node: harness.root(),
        mv: mv("K11 L10"),
        status: Status::Strong3,
    };
    assert_eq!(harness.order(hint.clone()), Handled::Done);
    assert!(proof(&harness) < late, "it is late no longer");
    let last = harness.core.children(harness.root()).pop().unwrap();
    assert_eq!(last.by, NamedBy::Operator);
    assert_eq!(
        harness.order(hint),
        Handled::Ignored(IgnoreReason::NoChange)
    );
}

#[test]
fn a_forgotten_move_can_be_hinted() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Strong3));
    let node = harness.child(harness.root(), 0);
    harness.order(Order::Forget { node });
    assert_ne!(harness.job_of(1).job.id.node, node);
    let hint = Order::Try {
        node: harness.root(),
        mv: mv("K11 L10"),
        status: Status::Strong3,
    };
    assert_eq!(harness.order(hint), Handled::Done);
    harness.hello(2);
    assert_eq!(harness.job_of(2).job.id.node, node);
}

#[test]
fn a_hint_brings_a_failed_search_back_to_life() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.hello(2);
    harness.finish_job_of(1, JobResult::NoMoreMoves);
    harness.finish_job_of(2, JobResult::NoMoreMoves);
    harness.pass(harness.options.opinion_patience * 2);
    assert_eq!(harness.verdict, Verdict::Failed);
    let node = harness.root();
    harness.order(Order::Try {
        node,
        mv: mv("K11 L10"),
        status: Status::Unclear,
    });
    assert_eq!(harness.verdict, Verdict::Open);
    let worker = harness.given[0].worker.0;
    harness.finish_job_of(worker, JobResult::Won);
    assert_eq!(harness.verdict, Verdict::Proved);
}

#[test]
fn a_forgotten_branch_is_dropped_until_it_is_remembered() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    let verifier = harness.job_of(1);
    let node = verifier.job.id.node;
    assert_eq!(harness.order(Order::Forget { node }), Handled::Done);
    assert_eq!(harness.aborted, [(verifier.lease, AbortReason::Ordered)]);
    let next = harness.job_of(1);
    assert_eq!(
        next.job.id.node,
        harness.root(),
        "another move is asked for"
    );
    harness.order(Order::Remember { node });
    harness.finish(&next, suggest_as("A1 B1", Status::Lost));
    assert_eq!(harness.job_of(1).job.id.node, node);
}

#[test]
fn a_search_whose_last_move_is_forgotten_ends_until_it_is_remembered() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.hello(2);
    harness.finish_job_of(1, suggest("K11 L10"));
    let node = harness.child(harness.root(), 0);
    harness.order(Order::Forget { node });
    for _ in 0..2 {
        let given = harness
            .given
            .iter()
            .find(|given| given.job.id.node == harness.root());
        let worker = given.unwrap().worker.0;
        harness.finish_job_of(worker, JobResult::NoMoreMoves);
    }
    harness.pass(harness.options.opinion_patience * 2);
    assert_eq!(harness.verdict, Verdict::Failed);
    harness.order(Order::Remember { node });
    assert_eq!(harness.verdict, Verdict::Open);
    harness.pass(Duration::from_secs(1));
    assert!(harness.given.iter().any(|given| given.job.id.node == node));
}

#[test]
fn only_the_attackers_moves_can_be_forgotten_or_tried() {
    let mut harness = Harness::with_search();
    let node = harness.root();
    assert_eq!(
        harness.order(Order::Forget { node }),
        Handled::Ignored(IgnoreReason::WrongSide)
    );
    harness.hello(1);
    harness.finish_job_of(1, suggest("K11 L10"));
    let node = harness.child(node, 0);
    let order = Order::Try {
        node,
        mv: mv("A1 B1"),
        status: Status::Quiet,
    };
    assert_eq!(
        harness.order(order),
        Handled::Ignored(IgnoreReason::WrongSide)
    );
}

#[test]
fn a_paused_node_starts_no_job_and_a_running_one_goes_on() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let running = harness.job_of(1);
    let node = harness.root();
    harness.order(Order::Pause { node });
    assert!(harness.aborted.is_empty());
    harness.finish(&running, suggest("K11 L10"));
    assert!(!harness.has_job(1));
    harness.order(Order::Resume { node });
    assert!(harness.has_job(1));
}

#[test]
fn a_stopped_search_gives_its_workers_to_the_others() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.start(SearchId(2), &opening().after(&mv("K11 L10")), Colour::White);
    let first = harness.job_of(1);
    harness.order(Order::Stop { search: SEARCH });
    assert_eq!(harness.aborted, [(first.lease, AbortReason::Ordered)]);
    assert_eq!(harness.job_of(1).job.attacker, Colour::White);
    assert_eq!(
        harness.order(Order::Stop { search: SEARCH }),
        Handled::Ignored(IgnoreReason::UnknownSearch)
    );
}

#[test]
fn a_larger_share_gets_more_of_the_workers() {
    let mut harness = Harness::with_search();
    let other = SearchId(2);
    let root = opening().after(&mv("A1 A2"));
    harness.start(other, &root, Colour::White);
    harness.order(Order::Share {
        search: other,
        share: 3,
    });
    // Replies that give both searches plenty to do.
    harness.hello(1);
    harness.hello(2);
    let many: Vec<String> = (3..19).map(|row| format!("B{row} C{row}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for worker in [1, 2] {
        let given = harness.job_of(worker);
        let suggestions = many.iter().map(|names| Suggestion {
            mv: mv(names),
            status: Status::Unclear,
        });
        let outcome = JobResult::Moves(suggestions.collect());
        assert_eq!(harness.finish(&given, outcome), Handled::Done);
    }
    for worker in 3..9 {
        harness.hello(worker);
    }
    let of = |attacker| {
        harness
            .given
            .iter()
            .filter(|given| given.job.attacker == attacker)
            .count()
    };
    assert_eq!((of(Colour::Black), of(Colour::White)), (2, 6));
}

#[test]
fn orders_that_make_no_sense_change_nothing() {
    let mut harness = Harness::with_search();
    let nowhere = NodeId(99);
    let root = Box::new(opening());
    for (order, reason) in [
        (Order::Pause { node: nowhere }, IgnoreReason::UnknownNode),
        (Order::Forget { node: nowhere }, IgnoreReason::UnknownNode),
        (
            Order::Try {
                node: nowhere,
                mv: mv("A1 A2"),
                status: Status::Quiet,
            },
            IgnoreReason::UnknownNode,
        ),
        (
            Order::Try {
                node: NodeId(0),
                mv: mv("J10 A2"),
                status: Status::Quiet,
            },
            IgnoreReason::IllegalMove,
        ),
        (Order::Resume { node: NodeId(0) }, IgnoreReason::NoChange),
        (
            Order::Stop {
                search: SearchId(9),
            },
            IgnoreReason::UnknownSearch,
        ),
        (
            Order::Share {
                search: SEARCH,
                share: 0,
            },
            IgnoreReason::NothingToSearch,
        ),
        (
            Order::Start {
                search: SEARCH,
                root,
                attacker: Colour::Black,
                share: 1,
            },
            IgnoreReason::SearchExists,
        ),
    ] {
        let before = harness.core.digest();
        assert_eq!(harness.order(order), Handled::Ignored(reason));
        assert_eq!(harness.core.digest(), before);
    }
}
