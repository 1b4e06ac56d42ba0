//! Workers come, go, return, lie and fall asleep.

mod support;

use std::time::Duration;

use gridproof_game::Colour;
use gridproof_search::{
    AbortReason, Departure, Event, Generation, Handled, Hello, IgnoreReason, JobEnd, JobResult,
    LeaseId, NodeKey, Order, Sender, Status, Time, Verdict, WorkerId,
};
use support::{Given, Harness, SEARCH, mv, open, opening, suggest, suggest_as};

#[test]
fn a_lost_worker_gives_its_job_back_after_the_grace() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let first = harness.job_of(1);
    harness.gone(1, Departure::Lost);
    harness.hello(2);
    assert!(!harness.has_job(2), "it may come back");
    harness.pass(harness.options.grace + Duration::from_secs(1));
    let second = harness.job_of(2);
    assert_eq!(second.job.id, first.job.id);
    assert_eq!((first.attempt, second.attempt), (1, 2));
    assert_ne!(first.lease, second.lease);
}

#[test]
fn a_goodbye_gives_the_job_back_at_once() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.hello(2);
    let first = harness.job_of(1);
    harness.gone(1, Departure::Goodbye);
    assert_eq!(harness.job_of(2).job.id, first.job.id);
    assert_eq!(
        harness.core.stats().wasted[&AbortReason::WorkerLost].leases,
        1
    );
}

#[test]
fn a_worker_that_falls_silent_loses_its_job() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let given = harness.job_of(1);
    let half = harness.options.silence / 2 + Duration::from_secs(1);
    harness.pass(half);
    harness.tell(&Event::Progress {
        from: given.sender(),
        spent: 500,
    });
    harness.pass(half);
    assert!(harness.aborted.is_empty(), "it has said something");
    harness.pass(half);
    assert_eq!(harness.aborted, [(given.lease, AbortReason::WorkerLost)]);
    assert_eq!(
        harness.core.stats().wasted[&AbortReason::WorkerLost].nodes,
        500
    );
}

#[test]
fn a_worker_that_comes_back_in_time_keeps_its_job() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let given = harness.job_of(1);
    harness.gone(1, Departure::Lost);
    harness.pass(Duration::from_secs(5));
    harness.hello_again(1, 2, vec![given.running()]);
    assert_eq!(harness.kept, [given.lease]);
    assert_eq!(
        harness.finish(&given, JobResult::Won),
        Handled::Ignored(IgnoreReason::StaleConnection)
    );
    let generation = Generation(2);
    let given = Given {
        generation,
        ..given
    };
    assert_eq!(harness.finish(&given, JobResult::Won), Handled::Done);
}

#[test]
fn a_worker_that_comes_back_with_nothing_gives_its_job_back() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let given = harness.job_of(1);
    harness.hello_again(1, 2, Vec::new());
    let again = harness.job_of(1);
    assert_eq!(again.job.id, given.job.id);
    assert_eq!(again.attempt, 2);
}

#[test]
fn running_jobs_are_adopted_after_a_restart() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest("K11 L10"));
    let given = harness.job_of(1);
    harness.restart();
    harness.hello_again(1, 1, vec![given.running()]);
    assert_eq!(harness.kept, [given.lease]);
    assert_eq!(harness.finish(&given, open(&["- -"])), Handled::Done);
    assert_eq!(harness.core.stats().adopted, 1);
    let next = harness.job_of(1);
    assert!(
        next.lease.epoch > given.lease.epoch,
        "no lease id comes twice"
    );
}

#[test]
fn a_job_from_before_the_restart_that_was_answered_is_not_adopted() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let given = harness.finish_job_of(1, suggest("K11 L10"));
    harness.restart();
    harness.hello_again(1, 1, vec![given.running()]);
    assert!(harness.kept.is_empty());
    assert_eq!(
        harness.aborted.last(),
        Some(&(given.lease, AbortReason::Duplicate))
    );
}

#[test]
fn messages_that_make_no_sense_are_counted_by_name() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.hello(2);
    let given = harness.job_of(1);
    let good = given.sender();
    let nobody = LeaseId::from_bits(77);
    for (from, reason) in [
        (
            Sender {
                worker: WorkerId(9),
                ..good
            },
            IgnoreReason::UnknownWorker,
        ),
        (
            Sender {
                generation: Generation(0),
                ..good
            },
            IgnoreReason::StaleConnection,
        ),
        (
            Sender {
                generation: Generation(2),
                ..good
            },
            IgnoreReason::StaleConnection,
        ),
        (
            Sender {
                lease: nobody,
                ..good
            },
            IgnoreReason::UnknownLease,
        ),
        (
            Sender {
                worker: WorkerId(2),
                ..good
            },
            IgnoreReason::ForeignLease,
        ),
        (
            Sender {
                key: NodeKey([1, 2]),
                ..good
            },
            IgnoreReason::WrongPosition,
        ),
    ] {
        let before = harness.core.digest();
        let outcome = JobResult::Won;
        let event = Event::Ended {
            from,
            end: JobEnd::Answered(outcome),
            spent: 1,
        };
        assert_eq!(harness.tell(&event), Handled::Ignored(reason));
        assert_eq!(harness.core.digest(), before);
        assert!(harness.core.stats().ignored[&reason] > 0);
    }
    assert_eq!(harness.finish(&given, suggest("K11 L10")), Handled::Done);
    assert_eq!(
        harness.finish(&given, suggest("K11 L10")),
        Handled::Ignored(IgnoreReason::Twice)
    );
}

#[test]
fn an_answer_to_an_aborted_job_is_late_and_no_error() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    harness.hello(2);
    let (verifier, sibling) = (harness.job_of(1), harness.job_of(2));
    harness.finish(&verifier, JobResult::Won);
    assert_eq!(harness.verdict, Verdict::Proved);
    assert_eq!(
        harness.aborted,
        [(sibling.lease, AbortReason::AncestorSettled)]
    );
    assert_eq!(
        harness.finish(&sibling, suggest("A1 B1")),
        Handled::Ignored(IgnoreReason::Late)
    );
}

#[test]
fn a_straggler_is_given_to_a_second_worker_and_the_first_answer_counts() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.work(1, 60, Duration::from_millis(100), 1_000);
    let slow = harness.job_of(1);
    harness.hello(2);
    assert!(!harness.has_job(2), "nothing else is to be done");
    harness.pass(Duration::from_secs(30));
    let second = harness.job_of(2);
    assert_eq!(second.job.id, slow.job.id);
    assert_eq!(second.attempt, slow.attempt + 1);
    harness.finish(&second, JobResult::Won);
    assert!(
        harness
            .aborted
            .contains(&(slow.lease, AbortReason::Duplicate))
    );
}

#[test]
fn a_machine_that_must_go_soon_gets_no_long_job() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.work(1, 60, Duration::from_secs(60), 6_000_000);
    harness.gone(1, Departure::Goodbye);
    let hello = |worker, until| {
        Event::Hello(Hello {
            worker: WorkerId(worker),
            generation: Generation(1),
            slots: 1,
            until: Some(until),
            running: Vec::new(),
        })
    };
    let soon = harness.now.after(Duration::from_secs(10));
    harness.tell(&hello(2, soon));
    assert!(
        !harness.has_job(2),
        "jobs take a minute, and it has ten seconds"
    );
    let later = Time(harness.now.0 + 3_600_000);
    harness.tell(&hello(3, later));
    assert!(harness.has_job(3));
}

#[test]
fn a_banned_worker_is_not_let_in_again_not_even_after_a_restart() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.gone(1, Departure::Banned);
    assert_eq!(
        harness.hello_again(1, 2, Vec::new()),
        Handled::Ignored(IgnoreReason::BannedWorker)
    );
    harness.restart();
    assert_eq!(
        harness.hello_again(1, 3, Vec::new()),
        Handled::Ignored(IgnoreReason::BannedWorker)
    );
}

#[test]
fn withdrawing_a_worker_takes_back_what_rested_on_its_results() {
    let mut harness = Harness::new(support::options());
    let root = opening().after(&mv("K11 L10"));
    harness.start(SEARCH, &root, Colour::Black);
    harness.hello(1);
    let top = harness.finish_job_of(1, open(&["A1 A2"])).job.id.node;
    harness.gone(1, Departure::Goodbye);
    harness.hello(2);
    let reply = harness.finish_job_of(2, JobResult::Won).job.id.node;
    harness.settle(Vec::new(), Vec::new(), true);
    assert_eq!(harness.verdict, Verdict::Proved);
    harness.gone(2, Departure::Goodbye);
    harness.order(Order::Withdraw {
        worker: WorkerId(2),
    });
    assert_eq!(harness.verdict, Verdict::Open);
    harness.unproved.sort_unstable();
    assert_eq!(harness.unproved, [top, reply]);
    harness.hello(3);
    assert_eq!(
        harness.job_of(3).job.id.node,
        reply,
        "it must be done again"
    );
}

#[test]
fn an_answer_of_the_shell_that_a_withdrawal_overtook_has_no_effect() {
    let mut harness = Harness::new(support::options());
    let root = opening().after(&mv("K11 L10"));
    harness.start(SEARCH, &root, Colour::Black);
    harness.hello(1);
    harness.finish_job_of(1, open(&["A1 A2"]));
    harness.finish_job_of(1, JobResult::Won);
    let (node, revision) = harness.questions[0];
    harness.order(Order::Withdraw {
        worker: WorkerId(1),
    });
    let stale = gridproof_search::Settled {
        node,
        revision,
        excused: Vec::new(),
        needed: Vec::new(),
        closed: true,
    };
    assert_eq!(
        harness.tell(&Event::Settled(stale)),
        Handled::Ignored(IgnoreReason::NotAsked)
    );
    assert_eq!(harness.verdict, Verdict::Open);
}
