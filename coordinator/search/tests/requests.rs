//! A job that an operator asks for comes before all others, and is a fact.

mod support;

use gridproof_search::{
    AbortReason, Departure, Handled, IgnoreReason, JobKind, JobResult, NamedBy, NodeId, Order,
};
use support::{Harness, mv, open, suggest};

/// A root with two moves, of which the search looks at the first one next.
fn two_moves() -> (Harness, NodeId, NodeId) {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest("K11 L10"));
    harness.order(Order::Try {
        node: harness.root(),
        mv: mv("K11 L12"),
        status: gridproof_search::Status::Weak3,
    });
    let (first, second) = (
        harness.child(harness.root(), 0),
        harness.child(harness.root(), 1),
    );
    assert_eq!(harness.core.leases().next().unwrap().node, first);
    (harness, first, second)
}

fn run(node: NodeId, budget: u64) -> Order {
    Order::Run { node, budget }
}

#[test]
fn a_request_goes_to_the_first_worker_that_has_room_with_its_own_budget() {
    let (mut harness, _, second) = two_moves();
    assert_eq!(harness.order(run(second, 77_000)), Handled::Done);
    assert!(harness.core.is_requested(second));
    harness.hello(2);
    let job = harness.job_of(2).job;
    assert_eq!((job.id.node, job.budget), (second, 77_000));
    assert_eq!(job.id.kind, JobKind::Verifier);
    let leases = harness.core.leases_at(second);
    assert_eq!(leases.len(), 1);
    assert!(leases[0].requested);
}

#[test]
fn a_request_is_served_even_where_the_search_has_nothing_left_to_ask() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest("K11 L10"));
    let node = harness.child(harness.root(), 0);
    harness.finish_job_of(1, open(&["J9 K9"]));
    assert!(harness.core.node(node).unwrap().complete);
    harness.order(run(node, 9_000_000));
    harness.hello(2);
    let given = harness.job_of(2);
    assert_eq!(given.job.id.node, node);
    assert!(given.job.known.is_empty(), "every reply is looked at");
    harness.finish(&given, open(&["J9 K8"]));
    assert!(!harness.core.is_requested(node));
}

#[test]
fn a_smaller_job_gives_way_to_a_request_and_a_larger_one_answers_it() {
    let (mut harness, first, _) = two_moves();
    let running = harness.core.leases().next().unwrap();
    harness.order(run(first, running.budget + 1));
    assert_eq!(harness.aborted, [(running.lease, AbortReason::Ordered)]);
    let again = harness.job_of(1);
    assert_eq!(again.job.budget, running.budget + 1);
    harness.order(run(first, 5));
    assert_eq!(harness.aborted.len(), 1);
    harness.finish(&again, JobResult::Unknown);
    assert!(!harness.core.is_requested(first));
}

#[test]
fn that_a_small_request_finds_nothing_means_nothing() {
    let (mut harness, _, second) = two_moves();
    let before = harness.core.node(second).unwrap();
    harness.order(run(second, 2_000));
    harness.hello(2);
    harness.finish_job_of(2, JobResult::Unknown);
    let after = harness.core.node(second).unwrap();
    assert_eq!(after.answers, before.answers);
    assert_eq!(after.numbers, before.numbers);
    harness.order(run(second, 2_000));
    assert!(
        harness.has_job(2),
        "who has just answered may be asked again"
    );
}

#[test]
fn what_a_small_request_leaves_open_is_found_and_no_more() {
    let (mut harness, _, second) = two_moves();
    harness.order(run(second, 2_000));
    harness.hello(2);
    harness.finish_job_of(2, open(&["J9 K9", "J9 K8"]));
    assert_eq!(harness.core.children(second).len(), 2);
    assert!(!harness.core.node(second).unwrap().complete);
    assert!(!harness.core.is_requested(second));
}

#[test]
fn a_request_survives_a_restart_and_an_answered_one_does_not_come_back() {
    let (mut harness, _, second) = two_moves();
    harness.order(run(second, 2_000));
    harness.restart();
    harness.hello(1);
    assert_eq!(harness.job_of(1).job.budget, 2_000);
    let (mut harness, _, second) = two_moves();
    harness.order(run(second, 2_000));
    harness.hello(2);
    harness.finish_job_of(2, JobResult::Unknown);
    harness.restart();
    assert!(!harness.core.is_requested(second));
}

#[test]
fn a_lost_worker_gives_a_request_back() {
    let (mut harness, _, second) = two_moves();
    harness.order(run(second, 2_000));
    harness.hello(2);
    harness.gone(2, Departure::Goodbye);
    harness.hello(3);
    assert_eq!(harness.job_of(3).job.id.node, second);
}

#[test]
fn a_request_can_be_taken_back() {
    let (mut harness, _, second) = two_moves();
    let node = second;
    let cancel = Order::CancelRun { node };
    assert_eq!(
        harness.order(cancel.clone()),
        Handled::Ignored(IgnoreReason::NoChange)
    );
    harness.order(run(node, 2_000));
    harness.hello(2);
    let lease = harness.core.leases_at(node)[0].lease;
    assert_eq!(harness.order(cancel), Handled::Done);
    assert!(!harness.core.is_requested(node));
    assert_eq!(harness.aborted, [(lease, AbortReason::Ordered)]);
}

#[test]
fn nothing_can_be_asked_of_what_is_solved_or_of_no_use() {
    let (mut harness, first, second) = two_moves();
    let ignored = |reason| Handled::Ignored(reason);
    assert_eq!(
        harness.order(run(NodeId(99), 1)),
        ignored(IgnoreReason::UnknownNode)
    );
    assert_eq!(
        harness.order(run(second, 0)),
        ignored(IgnoreReason::NothingToSearch)
    );
    harness.order(Order::Forget { node: second });
    assert_eq!(
        harness.order(run(second, 1)),
        ignored(IgnoreReason::NothingToSearch)
    );
    harness.finish_job_of(1, JobResult::Refuted);
    assert_eq!(harness.order(run(first, 1)), ignored(IgnoreReason::Solved));
}

#[test]
fn an_operator_can_have_a_reply_looked_at() {
    let (mut harness, first, _) = two_moves();
    let reply = |node| Order::Reply {
        node,
        mv: mv("J9 K9"),
    };
    let root = harness.root();
    assert_eq!(
        harness.order(reply(root)),
        Handled::Ignored(IgnoreReason::WrongSide)
    );
    assert_eq!(harness.order(reply(first)), Handled::Done);
    assert_eq!(
        harness.order(reply(first)),
        Handled::Ignored(IgnoreReason::NoChange)
    );
    let child = &harness.core.children(first)[0];
    assert_eq!(child.by, NamedBy::Operator);
    let child = child.node;
    harness.order(run(child, 2_000));
    harness.hello(2);
    assert_eq!(harness.job_of(2).job.id.kind, JobKind::Engine);
}
