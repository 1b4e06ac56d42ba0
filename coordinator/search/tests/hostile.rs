//! Workers that hoard, lie and flap: what they cost, and what becomes of them.

mod support;

use std::time::Duration;

use gridproof_game::{Colour, Move};
use gridproof_search::{
    AbortReason, Departure, Event, Handled, IgnoreReason, JobEnd, JobKind, JobResult, Options,
    Order, QuarantineReason, Status, Suggestion, Verdict, WorkerId,
};
use support::{Given, Harness, SEARCH, mv, opening, suggest, suggest_as};

/// As in production: answers are looked at again.
fn audited() -> Harness {
    let mut harness = Harness::new(Options::default());
    harness.start(SEARCH, &opening(), Colour::Black);
    harness
}

fn end(harness: &mut Harness, given: &Given, end: JobEnd) -> Handled {
    harness.tell(&Event::Ended {
        from: given.sender(),
        end,
        spent: 0,
    })
}

fn praise(moves: &[&str]) -> JobResult {
    let suggestion = |name: &&str| Suggestion {
        mv: mv(name),
        status: Status::Won,
    };
    JobResult::Moves(moves.iter().map(suggestion).collect())
}

#[test]
fn a_hoarder_of_the_first_job_does_not_stop_the_search() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let hoarded = harness.job_of(1);
    harness.hello(2);
    assert!(!harness.has_job(2));
    // Nobody has answered anything yet, so nothing is known of how long jobs take.
    for _ in 0..6 {
        harness.tell(&Event::Progress {
            from: hoarded.sender(),
            spent: 10,
        });
        harness.pass(Duration::from_secs(1));
    }
    let second = harness.job_of(2);
    assert_eq!(second.job.id, hoarded.job.id);
    harness.finish(&second, JobResult::Won);
    assert_eq!(harness.verdict, Verdict::Proved);
}

#[test]
fn a_second_attempt_gives_way_to_a_job_that_nobody_is_at() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let first = harness.job_of(1);
    harness.hello(2);
    harness.pass(Duration::from_secs(6));
    let second = harness.job_of(2);
    let node = harness.root();
    harness.order(Order::Try {
        node,
        mv: mv("K11 L10"),
        status: Status::Won,
    });
    assert_eq!(harness.aborted, [(second.lease, AbortReason::Duplicate)]);
    let better = harness.job_of(2);
    assert_ne!(better.job.id, first.job.id);
}

#[test]
fn every_lease_has_a_deadline_whatever_its_worker_tells() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let hoarded = harness.job_of(1);
    harness.hello(2);
    harness.pass(Duration::from_secs(6));
    let second = harness.job_of(2);
    for _ in 0..20 {
        for from in [hoarded.sender(), second.sender()] {
            harness.tell(&Event::Progress { from, spent: 10 });
        }
        harness.pass(Duration::from_secs(60));
    }
    assert!(
        harness
            .aborted
            .contains(&(hoarded.lease, AbortReason::WorkerLost))
    );
    assert!(harness.core.reliability(WorkerId(1)).late > 0);
}

#[test]
fn who_works_alone_keeps_its_job_beyond_the_deadline() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let slow = harness.job_of(1);
    for _ in 0..100 {
        harness.tell(&Event::Progress {
            from: slow.sender(),
            spent: 10,
        });
        harness.pass(Duration::from_secs(60));
    }
    assert!(harness.aborted.is_empty());
    assert_eq!(harness.finish(&slow, suggest("K11 L10")), Handled::Done);
}

#[test]
fn who_gives_jobs_back_again_and_again_leaves_them_to_others() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    for _ in 0..2 {
        let given = harness.job_of(1);
        end(&mut harness, &given, JobEnd::HandedBack);
    }
    assert!(!harness.has_job(1), "it rests");
    harness.hello(2);
    assert!(harness.has_job(2));
    harness.gone(2, Departure::Goodbye);
    harness.pass(Duration::from_secs(2));
    assert!(harness.has_job(1), "it may try again");
}

#[test]
fn answers_that_make_no_sense_put_a_worker_into_quarantine_until_it_is_released() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let worker = WorkerId(1);
    for _ in 0..3 {
        harness.pass(Duration::from_secs(10));
        let given = harness.job_of(1);
        assert_eq!(
            harness.finish(&given, suggest("J10 A1")),
            Handled::Ignored(IgnoreReason::IllegalMove)
        );
        end(&mut harness, &given, JobEnd::Refused);
    }
    assert_eq!(harness.quarantined, [(worker, QuarantineReason::Refused)]);
    harness.pass(Duration::from_secs(600));
    assert!(!harness.has_job(1));
    harness.restart();
    harness.hello_again(1, 1, Vec::new());
    assert!(!harness.has_job(1), "a restart changes nothing");
    assert_eq!(harness.order(Order::Release { worker }), Handled::Done);
    assert!(harness.has_job(1));
    assert_eq!(harness.core.reliability(worker).refused, 3);
    assert_eq!(
        harness.order(Order::Release { worker }),
        Handled::Ignored(IgnoreReason::NoChange)
    );
}

#[test]
fn a_certificate_too_large_to_be_checked_counts_for_nothing_and_against_its_worker() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    let given = harness.job_of(1);
    end(&mut harness, &given, JobEnd::TooLarge);
    let record = harness.core.reliability(WorkerId(1));
    assert_eq!((record.answers, record.refused, record.wins), (1, 1, 0));
}

/// Runs honest workers 2 to 4 and a first one that praises worthless moves, and returns how many
/// answers the liar could give before it was put aside.
fn answers_before_quarantine(lie: &JobResult) -> usize {
    let mut harness = audited();
    for worker in 1..=4 {
        harness.hello(worker);
    }
    let mut lies = 0;
    for round in 0..200 {
        if !harness.quarantined.is_empty() {
            assert_eq!(
                harness.quarantined,
                [(WorkerId(1), QuarantineReason::Contradicted)],
                "and nobody else"
            );
            return lies;
        }
        harness.pass(Duration::from_millis(10));
        let worker = 1 + round % 4;
        if !harness.has_job(worker) {
            continue;
        }
        let given = harness.job_of(worker);
        // The same answer to the same job, whoever is asked.
        let empties: Vec<_> = given.job.position.empties().iter().collect();
        let full = |at: usize| Move::full([empties[at], empties[at + 1]]);
        let honest = match given.job.id.kind {
            JobKind::Verifier => JobResult::Open(vec![full(100), full(102)]),
            JobKind::Engine => JobResult::Moves(vec![Suggestion {
                mv: full(2 * given.job.known.len()),
                status: Status::Quiet,
            }]),
        };
        let is_lie = worker == 1 && given.job.id.kind == JobKind::Engine;
        lies += usize::from(is_lie);
        let answer = if is_lie { lie.clone() } else { honest };
        let handled = harness.finish(&given, answer);
        if handled != Handled::Done {
            end(&mut harness, &given, JobEnd::Refused);
        }
    }
    panic!("it was never put aside");
}

#[test]
fn who_says_that_no_move_is_left_is_contradicted_and_put_aside() {
    assert!(answers_before_quarantine(&JobResult::NoMoreMoves) <= 4);
}

#[test]
fn who_praises_worthless_moves_is_contradicted_and_put_aside() {
    let lie = praise(&["A1 A2", "A3 A4", "A5 A6", "B1 B2", "B3 B4"]);
    assert!(answers_before_quarantine(&lie) <= 4);
}

#[test]
fn what_a_worker_in_quarantine_thought_counts_no_longer_and_what_it_proved_does() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, praise(&["A1 A2", "A3 A4", "K11 L10"]));
    let root = harness.root();
    assert_eq!(harness.core.children(root).len(), 3);
    harness.finish_job_of(1, JobResult::Refuted);
    let worker = WorkerId(1);
    assert_eq!(harness.order(Order::Quarantine { worker }), Handled::Done);
    assert_eq!(harness.core.children(root).len(), 0);
    harness.hello(2);
    let given = harness.job_of(2);
    assert_eq!(given.job.id.node, root, "the root is asked anew");
    assert!(given.job.known.is_empty());
    harness.finish(&given, suggest_as("K11 L10", Status::Won));
    harness.finish_job_of(2, JobResult::Won);
    assert_eq!(harness.verdict, Verdict::Proved);
}

#[test]
fn a_proof_stays_when_its_worker_is_put_into_quarantine() {
    let mut harness = Harness::with_search();
    harness.hello(1);
    harness.finish_job_of(1, suggest_as("K11 L10", Status::Won));
    harness.finish_job_of(1, JobResult::Won);
    assert_eq!(harness.verdict, Verdict::Proved);
    let worker = WorkerId(1);
    harness.order(Order::Quarantine { worker });
    assert_eq!(harness.verdict, Verdict::Proved);
    assert!(harness.unproved.is_empty());
}

#[test]
fn two_who_say_that_no_move_is_left_do_not_end_a_search() {
    let mut harness = audited();
    for worker in [1, 2] {
        harness.hello(worker);
    }
    for _ in 0..20 {
        for worker in [1, 2] {
            if harness.has_job(worker) {
                let given = harness.job_of(worker);
                harness.finish(&given, JobResult::NoMoreMoves);
            }
        }
        harness.pass(Duration::from_secs(1));
    }
    assert_eq!(harness.verdict, Verdict::Open);
    harness.hello(3);
    let given = harness.job_of(3);
    harness.finish(&given, suggest("K11 L10"));
    assert_eq!(harness.verdict, Verdict::Open, "somebody knows a move");
}

#[test]
fn a_search_with_nothing_left_ends_when_all_say_so_and_others_had_time_to_come() {
    let mut harness = audited();
    for worker in [1, 2] {
        harness.hello(worker);
    }
    let patience = harness.options.opinion_patience;
    for _ in 0..4 {
        for worker in [1, 2] {
            if harness.has_job(worker) {
                let given = harness.job_of(worker);
                harness.finish(&given, JobResult::NoMoreMoves);
            }
        }
        harness.pass(patience);
    }
    assert_eq!(harness.verdict, Verdict::Failed);
}
