//! After a restart of the coordinator, jobs that workers still run are adopted, not redone.

use gridproof_tests::{Grid, HARD, LONG_JOB, Worker, worker_program};

fn talkative(grid: &Grid, name: &str) -> Worker {
    let mut program = worker_program();
    program.args(["--log", "warn,gridproof=debug"]);
    grid.worker_by(program, name, &[])
}

fn jobs_begun(grid: &Grid, worker: &str) -> usize {
    grid.log_of(worker).matches("job begun").count()
}

#[test]
fn a_job_is_adopted_though_its_worker_comes_back_last() {
    let grid = Grid::new(HARD, &[&LONG_JOB[..], &["--homecoming", "6"]].concat());
    let mut coordinator = grid.coordinator();
    let busy = talkative(&grid, "busy");
    grid.wait_for("the job begins", |grid| jobs_begun(grid, "busy") == 1);
    let _idle = talkative(&grid, "idle");
    let _ = coordinator.wait_for_line("worker=\"idle\"");

    // The one that has the job is slow to notice, and the other is there first.
    busy.freeze();
    coordinator.kill();
    let coordinator = grid.coordinator();
    let _ = coordinator.wait_for_line("worker=\"idle\"");
    busy.thaw();
    let back = coordinator.wait_for_line("worker=\"busy\"");
    assert!(back.contains("held=1"), "{back}");
    assert_eq!(jobs_begun(&grid, "idle"), 0, "the other was not given it");
    let over = coordinator.wait_for_line("the wait is over");
    assert!(over.contains("adopted=1"), "{over}");
    assert_eq!(grid.count("for"), 0, "nothing was done for nothing");
}

#[test]
fn a_job_that_nobody_brings_back_is_given_out_again() {
    let grid = Grid::new(HARD, &[&LONG_JOB[..], &["--homecoming", "1"]].concat());
    let mut coordinator = grid.coordinator();
    let mut lost = talkative(&grid, "lost");
    grid.wait_for("the job begins", |grid| jobs_begun(grid, "lost") == 1);
    lost.kill();
    coordinator.kill();
    let _coordinator = grid.coordinator();
    let _other = talkative(&grid, "other");
    grid.wait_for("another gets it", |grid| jobs_begun(grid, "other") == 1);
}

#[test]
fn an_answer_found_while_the_coordinator_was_away_is_brought_along() {
    let grid = Grid::new(HARD, &["--engine-budget", "4000000", "--homecoming", "1"]);
    let mut coordinator = grid.coordinator();
    let _worker = talkative(&grid, "a");
    grid.wait_for("the job begins", |grid| jobs_begun(grid, "a") == 1);
    coordinator.kill();
    // Long enough for the job to end; what it found waits at the worker.
    let log = |grid: &Grid| grid.log_of("a");
    grid.wait_for("the job ends", |grid| log(grid).contains("job ended"));
    let coordinator = grid.coordinator();
    let back = coordinator.wait_for_line("worker came");
    assert!(back.contains("held=1"), "{back}");
    grid.wait_for("it is stored", |grid| grid.count("done") >= 1);
    assert_eq!(grid.count("for"), 0, "nothing was done for nothing");
}
