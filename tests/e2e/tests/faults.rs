//! What may break, breaks.

use std::fs;

use gridproof_tests::{Cluster, HARD, LONG_JOB, SMALL, solve, stderr, stdout, worker_program};

#[test]
fn a_frozen_worker_holds_nobody_up() {
    let cluster = Cluster::new("connect623", &SMALL);
    let _coordinator = cluster.coordinator();
    let frozen = cluster.worker("frozen");
    cluster.wait_for("the worker comes", |cluster| {
        let list = cluster.order(&["workers"]);
        stdout(&list).contains("here")
    });
    frozen.freeze();
    let _other = cluster.worker("other");
    cluster.wait_until_proved();
    frozen.thaw();
}

#[test]
fn a_worker_that_is_asked_to_leave_says_goodbye() {
    let cluster = Cluster::new("connect623", &SMALL);
    let _coordinator = cluster.coordinator();
    let mut worker = cluster.worker("polite");
    cluster.wait_until_proved();
    worker.ask_to_leave();
    assert!(worker.wait().success());
}

#[test]
fn a_worker_that_is_asked_to_leave_does_not_wait_for_ever_for_a_lost_coordinator() {
    let cluster = Cluster::new(HARD, &LONG_JOB);
    let mut coordinator = cluster.coordinator();
    // The coordinator counts a job as running before the worker has it.
    let talkative = ["--log".to_owned(), "debug".to_owned()];
    let mut worker = cluster.worker_by(worker_program(), "patient", &talkative);
    cluster.wait_for("the job begins", |cluster| {
        cluster.log_of("patient").contains("job begun")
    });
    coordinator.kill();
    worker.ask_to_leave();
    assert!(worker.wait().success());
    assert!(
        cluster
            .log_of("patient")
            .contains("leaving without the coordinator")
    );
}

#[test]
fn a_store_from_a_newer_version_is_refused_with_words() {
    let cluster = Cluster::new("connect623", &[]);
    let folder = cluster.path("newer");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("gridproof-store"),
        "gridproof store, version 99\n",
    )
    .unwrap();
    let output = solve("connect623", &folder, &[]);
    assert!(!output.status.success());
    let words = stderr(&output);
    assert!(words.contains("version 99"), "{words}");
}

#[test]
fn a_folder_with_other_things_in_it_is_left_alone() {
    let cluster = Cluster::new("connect623", &[]);
    let folder = cluster.path("other");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("thesis.tex"), "years of work").unwrap();
    let output = solve("connect623", &folder, &[]);
    assert!(!output.status.success());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}
