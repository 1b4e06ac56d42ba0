//! Workers come, go, return, lie and fall asleep.

mod support;

use std::time::Duration;

use gridproof_game::Colour;
use gridproof_search::{
    AbortReason, Departure, Event, Generation, Handled, Hello, IgnoreReason, JobResult, LeaseId,
    NodeKey, Options, Order, Sender, Status, Time, Verdict, WorkerId,
};
use support::{Desk, Given, SEARCH, mv, open, opening, suggest, suggest_as};

#[test]
fn a_lost_worker_gives_its_job_back_after_the_grace() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let first = desk.job_of(1);
    desk.gone(1, Departure::Lost);
    desk.hello(2);
    assert!(!desk.has_job(2), "it may come back");
    desk.pass(desk.options.grace + Duration::from_secs(1));
    let second = desk.job_of(2);
    assert_eq!(second.job.name, first.job.name);
    assert_eq!((first.attempt, second.attempt), (1, 2));
    assert_ne!(first.lease, second.lease);
}

#[test]
fn a_goodbye_gives_the_job_back_at_once() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.hello(2);
    let first = desk.job_of(1);
    desk.gone(1, Departure::Goodbye);
    assert_eq!(desk.job_of(2).job.name, first.job.name);
    assert_eq!(desk.core.stats().wasted[&AbortReason::WorkerLost].leases, 1);
}

#[test]
fn a_worker_that_falls_silent_loses_its_job() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let given = desk.job_of(1);
    let half = desk.options.silence / 2 + Duration::from_secs(1);
    desk.pass(half);
    desk.tell(&Event::Progress {
        from: given.sender(),
        spent: 500,
    });
    desk.pass(half);
    assert!(desk.aborted.is_empty(), "it has said something");
    desk.pass(half);
    assert_eq!(desk.aborted, [(given.lease, AbortReason::WorkerLost)]);
    assert_eq!(
        desk.core.stats().wasted[&AbortReason::WorkerLost].nodes,
        500
    );
}

#[test]
fn a_worker_that_comes_back_in_time_keeps_its_job() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let given = desk.job_of(1);
    desk.gone(1, Departure::Lost);
    desk.pass(Duration::from_secs(5));
    desk.hello_again(1, 2, vec![given.running()]);
    assert_eq!(desk.kept, [given.lease]);
    assert_eq!(
        desk.finish(&given, JobResult::Won),
        Handled::Ignored(IgnoreReason::StaleConnection)
    );
    let generation = Generation(2);
    let given = Given {
        generation,
        ..given
    };
    assert_eq!(desk.finish(&given, JobResult::Won), Handled::Done);
}

#[test]
fn a_worker_that_comes_back_with_nothing_gives_its_job_back() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let given = desk.job_of(1);
    desk.hello_again(1, 2, Vec::new());
    let again = desk.job_of(1);
    assert_eq!(again.job.name, given.job.name);
    assert_eq!(again.attempt, 2);
}

#[test]
fn running_jobs_are_adopted_after_a_restart() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest("K11 L10"));
    let given = desk.job_of(1);
    desk.restart();
    desk.hello_again(1, 1, vec![given.running()]);
    assert_eq!(desk.kept, [given.lease]);
    assert_eq!(desk.finish(&given, open(&["- -"])), Handled::Done);
    assert_eq!(desk.core.stats().adopted, 1);
    let next = desk.job_of(1);
    assert!(
        next.lease.epoch > given.lease.epoch,
        "no lease id comes twice"
    );
}

#[test]
fn a_job_from_before_the_restart_that_was_answered_is_not_adopted() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    let given = desk.finish_job_of(1, suggest("K11 L10"));
    desk.restart();
    desk.hello_again(1, 1, vec![given.running()]);
    assert!(desk.kept.is_empty());
    assert_eq!(
        desk.aborted.last(),
        Some(&(given.lease, AbortReason::Duplicate))
    );
}

#[test]
fn messages_that_make_no_sense_are_counted_by_name() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.hello(2);
    let given = desk.job_of(1);
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
        let before = desk.core.digest();
        let outcome = JobResult::Won;
        let event = Event::Finished {
            from,
            outcome,
            spent: 1,
        };
        assert_eq!(desk.tell(&event), Handled::Ignored(reason));
        assert_eq!(desk.core.digest(), before);
        assert!(desk.core.stats().ignored[&reason] > 0);
    }
    assert_eq!(desk.finish(&given, suggest("K11 L10")), Handled::Done);
    assert_eq!(
        desk.finish(&given, suggest("K11 L10")),
        Handled::Ignored(IgnoreReason::Twice)
    );
}

#[test]
fn an_answer_to_an_aborted_job_is_late_and_no_error() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    desk.hello(2);
    let (verifier, sibling) = (desk.job_of(1), desk.job_of(2));
    desk.finish(&verifier, JobResult::Won);
    assert_eq!(desk.verdict, Verdict::Proved);
    assert_eq!(
        desk.aborted,
        [(sibling.lease, AbortReason::AncestorSettled)]
    );
    assert_eq!(
        desk.finish(&sibling, suggest("A1 B1")),
        Handled::Ignored(IgnoreReason::Late)
    );
}

#[test]
fn a_straggler_is_given_to_a_second_worker_and_the_first_answer_counts() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.work(1, 60, Duration::from_millis(100), 1_000);
    let slow = desk.job_of(1);
    desk.hello(2);
    assert!(!desk.has_job(2), "nothing else is to be done");
    desk.pass(Duration::from_secs(30));
    let second = desk.job_of(2);
    assert_eq!(second.job.name, slow.job.name);
    assert_eq!(second.attempt, slow.attempt + 1);
    desk.finish(&second, JobResult::Won);
    assert!(desk.aborted.contains(&(slow.lease, AbortReason::Duplicate)));
}

#[test]
fn a_machine_that_must_go_soon_gets_no_long_job() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.work(1, 60, Duration::from_secs(60), 6_000_000);
    desk.gone(1, Departure::Goodbye);
    let hello = |worker, until| {
        Event::Hello(Hello {
            worker: WorkerId(worker),
            generation: Generation(1),
            slots: 1,
            until: Some(until),
            running: Vec::new(),
        })
    };
    let soon = desk.now.after(Duration::from_secs(10));
    desk.tell(&hello(2, soon));
    assert!(
        !desk.has_job(2),
        "jobs take a minute, and it has ten seconds"
    );
    let later = Time(desk.now.0 + 3_600_000);
    desk.tell(&hello(3, later));
    assert!(desk.has_job(3));
}

#[test]
fn a_banned_worker_is_not_let_in_again_not_even_after_a_restart() {
    let mut desk = Desk::with_search();
    desk.hello(1);
    desk.gone(1, Departure::Banned);
    assert_eq!(
        desk.hello_again(1, 2, Vec::new()),
        Handled::Ignored(IgnoreReason::BannedWorker)
    );
    desk.restart();
    assert_eq!(
        desk.hello_again(1, 3, Vec::new()),
        Handled::Ignored(IgnoreReason::BannedWorker)
    );
}

#[test]
fn withdrawing_a_worker_takes_back_what_rested_on_its_results() {
    let mut desk = Desk::new(Options::default());
    let root = opening().after(&mv("K11 L10"));
    desk.start(SEARCH, &root, Colour::Black);
    desk.hello(1);
    let top = desk.finish_job_of(1, open(&["A1 A2"])).job.name.node;
    desk.gone(1, Departure::Goodbye);
    desk.hello(2);
    let reply = desk.finish_job_of(2, JobResult::Won).job.name.node;
    desk.settle(Vec::new(), Vec::new(), true);
    assert_eq!(desk.verdict, Verdict::Proved);
    desk.gone(2, Departure::Goodbye);
    desk.order(Order::Withdraw {
        worker: WorkerId(2),
    });
    assert_eq!(desk.verdict, Verdict::Open);
    desk.unproved.sort_unstable();
    assert_eq!(desk.unproved, [top, reply]);
    desk.hello(3);
    assert_eq!(desk.job_of(3).job.name.node, reply, "it must be done again");
}

#[test]
fn an_answer_of_the_shell_that_a_withdrawal_overtook_has_no_effect() {
    let mut desk = Desk::new(Options::default());
    let root = opening().after(&mv("K11 L10"));
    desk.start(SEARCH, &root, Colour::Black);
    desk.hello(1);
    desk.finish_job_of(1, open(&["A1 A2"]));
    desk.finish_job_of(1, JobResult::Won);
    let (node, round) = desk.questions[0];
    desk.order(Order::Withdraw {
        worker: WorkerId(1),
    });
    let stale = gridproof_search::Settled {
        node,
        round,
        excused: Vec::new(),
        needed: Vec::new(),
        closed: true,
    };
    assert_eq!(
        desk.tell(&Event::Settled(stale)),
        Handled::Ignored(IgnoreReason::NotAsked)
    );
    assert_eq!(desk.verdict, Verdict::Open);
}
