//! A job that an operator asks for comes before all others, and is a fact.

mod support;

use gridproof_search::{
    AbortReason, Departure, Handled, IgnoreReason, JobKind, JobResult, NamedBy, NodeId, Order,
};
use support::{Desk, mv, open, suggest};

/// A root with two moves, of which the search looks at the first one next.
fn two_moves() -> (Desk, NodeId, NodeId) {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest("K11 L10"));
    desk.order(Order::Try {
        node: desk.root(),
        mv: mv("K11 L12"),
        status: gridproof_search::Status::Weak3,
    });
    let (first, second) = (desk.child(desk.root(), 0), desk.child(desk.root(), 1));
    assert_eq!(desk.core.leases().next().unwrap().node, first);
    (desk, first, second)
}

fn run(node: NodeId, budget: u64) -> Order {
    Order::Run { node, budget }
}

#[test]
fn a_request_goes_to_the_first_worker_that_has_room_with_its_own_budget() {
    let (mut desk, _, second) = two_moves();
    assert_eq!(desk.order(run(second, 77_000)), Handled::Done);
    assert!(desk.core.is_requested(second));
    desk.hello(2);
    let job = desk.job_of(2).job;
    assert_eq!((job.name.node, job.budget), (second, 77_000));
    assert_eq!(job.name.kind, JobKind::Verifier);
    let leases = desk.core.leases_at(second);
    assert_eq!(leases.len(), 1);
    assert!(leases[0].requested);
}

#[test]
fn a_request_is_served_even_where_the_search_has_nothing_left_to_ask() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest("K11 L10"));
    let node = desk.child(desk.root(), 0);
    desk.finish_job_of(1, open(&["J9 K9"]));
    assert!(desk.core.node(node).unwrap().complete);
    desk.order(run(node, 9_000_000));
    desk.hello(2);
    let given = desk.job_of(2);
    assert_eq!(given.job.name.node, node);
    assert!(given.job.known.is_empty(), "every reply is looked at");
    desk.finish(&given, open(&["J9 K8"]));
    assert!(!desk.core.is_requested(node));
}

#[test]
fn a_smaller_job_gives_way_to_a_request_and_a_larger_one_answers_it() {
    let (mut desk, first, _) = two_moves();
    let running = desk.core.leases().next().unwrap();
    desk.order(run(first, running.budget + 1));
    assert_eq!(desk.aborted, [(running.lease, AbortReason::Ordered)]);
    let again = desk.job_of(1);
    assert_eq!(again.job.budget, running.budget + 1);
    desk.order(run(first, 5));
    assert_eq!(desk.aborted.len(), 1);
    desk.finish(&again, JobResult::Unknown);
    assert!(!desk.core.is_requested(first));
}

#[test]
fn that_a_small_request_finds_nothing_means_nothing() {
    let (mut desk, _, second) = two_moves();
    let before = desk.core.node(second).unwrap();
    desk.order(run(second, 2_000));
    desk.hello(2);
    desk.finish_job_of(2, JobResult::Unknown);
    let after = desk.core.node(second).unwrap();
    assert_eq!((after.level, after.answers), (before.level, before.answers));
    assert_eq!(after.numbers, before.numbers);
    desk.order(run(second, 2_000));
    assert!(desk.has_job(2), "who has just answered may be asked again");
}

#[test]
fn what_a_small_request_leaves_open_is_found_and_no_more() {
    let (mut desk, _, second) = two_moves();
    desk.order(run(second, 2_000));
    desk.hello(2);
    desk.finish_job_of(2, open(&["J9 K9", "J9 K8"]));
    assert_eq!(desk.core.children(second).len(), 2);
    assert!(!desk.core.node(second).unwrap().complete);
    assert!(!desk.core.is_requested(second));
}

#[test]
fn a_request_survives_a_restart_and_an_answered_one_does_not_come_back() {
    let (mut desk, _, second) = two_moves();
    desk.order(run(second, 2_000));
    desk.restart();
    desk.hello(1);
    assert_eq!(desk.job_of(1).job.budget, 2_000);
    let (mut desk, _, second) = two_moves();
    desk.order(run(second, 2_000));
    desk.hello(2);
    desk.finish_job_of(2, JobResult::Unknown);
    desk.restart();
    assert!(!desk.core.is_requested(second));
}

#[test]
fn a_lost_worker_gives_a_request_back() {
    let (mut desk, _, second) = two_moves();
    desk.order(run(second, 2_000));
    desk.hello(2);
    desk.gone(2, Departure::Goodbye);
    desk.hello(3);
    assert_eq!(desk.job_of(3).job.name.node, second);
}

#[test]
fn a_request_can_be_taken_back() {
    let (mut desk, _, second) = two_moves();
    let node = second;
    let cancel = Order::CancelRun { node };
    assert_eq!(
        desk.order(cancel.clone()),
        Handled::Ignored(IgnoreReason::NoChange)
    );
    desk.order(run(node, 2_000));
    desk.hello(2);
    let lease = desk.core.leases_at(node)[0].lease;
    assert_eq!(desk.order(cancel), Handled::Done);
    assert!(!desk.core.is_requested(node));
    assert_eq!(desk.aborted, [(lease, AbortReason::Ordered)]);
}

#[test]
fn nothing_can_be_asked_of_what_is_solved_or_of_no_use() {
    let (mut desk, first, second) = two_moves();
    let ignored = |reason| Handled::Ignored(reason);
    assert_eq!(
        desk.order(run(NodeId(99), 1)),
        ignored(IgnoreReason::UnknownNode)
    );
    assert_eq!(
        desk.order(run(second, 0)),
        ignored(IgnoreReason::NothingToSearch)
    );
    desk.order(Order::Forget { node: second });
    assert_eq!(
        desk.order(run(second, 1)),
        ignored(IgnoreReason::NothingToSearch)
    );
    desk.finish_job_of(1, JobResult::Refuted);
    assert_eq!(desk.order(run(first, 1)), ignored(IgnoreReason::Solved));
}

#[test]
fn an_operator_can_have_a_reply_looked_at() {
    let (mut desk, first, _) = two_moves();
    let reply = |node| Order::Reply {
        node,
        mv: mv("J9 K9"),
    };
    let root = desk.root();
    assert_eq!(
        desk.order(reply(root)),
        Handled::Ignored(IgnoreReason::WrongSide)
    );
    assert_eq!(desk.order(reply(first)), Handled::Done);
    assert_eq!(
        desk.order(reply(first)),
        Handled::Ignored(IgnoreReason::NoChange)
    );
    let child = &desk.core.children(first)[0];
    assert_eq!(child.by, NamedBy::Operator);
    let child = child.node;
    desk.order(run(child, 2_000));
    desk.hello(2);
    assert_eq!(desk.job_of(2).job.name.kind, JobKind::Engine);
}
