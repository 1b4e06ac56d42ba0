//! What may break, breaks.

use std::fs;

use gridproof_tests::{Grid, HARD, LONG_JOB, SMALL, solve};

#[test]
fn a_frozen_worker_holds_nobody_up() {
    let grid = Grid::new("connect623", &SMALL);
    let _coordinator = grid.coordinator();
    let frozen = grid.worker("frozen");
    grid.wait_for("the worker comes", |grid| {
        let list = grid.order(&["workers"]);
        String::from_utf8_lossy(&list.stdout).contains("here")
    });
    frozen.freeze();
    let _other = grid.worker("other");
    grid.wait_until_proved();
    frozen.thaw();
}

#[test]
fn a_worker_that_is_asked_to_leave_says_goodbye() {
    let grid = Grid::new("connect623", &SMALL);
    let _coordinator = grid.coordinator();
    let mut worker = grid.worker("polite");
    grid.wait_until_proved();
    worker.ask_to_leave();
    assert!(worker.wait().success());
}

#[test]
fn a_worker_that_is_asked_to_leave_does_not_wait_for_ever_for_a_lost_coordinator() {
    let grid = Grid::new(HARD, &LONG_JOB);
    let mut coordinator = grid.coordinator();
    let mut worker = grid.worker("patient");
    grid.wait_for("the job begins", |grid| grid.count("jobs") == 1);
    coordinator.kill();
    worker.ask_to_leave();
    assert!(worker.wait().success());
    assert!(
        grid.log_of("patient")
            .contains("leaving without the coordinator")
    );
}

#[test]
fn a_store_from_a_newer_version_is_refused_with_words() {
    let grid = Grid::new("connect623", &[]);
    let folder = grid.path("newer");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("gridproof-store"),
        "gridproof store, version 99\n",
    )
    .unwrap();
    let output = solve("connect623", &folder, &[]);
    assert!(!output.status.success());
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("version 99"), "{words}");
}

#[test]
fn a_folder_with_other_things_in_it_is_left_alone() {
    let grid = Grid::new("connect623", &[]);
    let folder = grid.path("other");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("thesis.tex"), "years of work").unwrap();
    let output = solve("connect623", &folder, &[]);
    assert!(!output.status.success());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}
