//! After a restart of the coordinator, jobs that workers still run are adopted, not redone.

use gridproof_tests::{Cluster, HARD, LONG_JOB, Worker, worker_program};

fn talkative(cluster: &Cluster, name: &str) -> Worker {
    let mut program = worker_program();
    program.args(["--log", "warn,gridproof=debug"]);
    cluster.worker_by(program, name, &[])
}

fn jobs_begun(cluster: &Cluster, worker: &str) -> usize {
    cluster.log_of(worker).matches("job begun").count()
}

#[test]
fn a_job_is_adopted_though_its_worker_comes_back_last() {
    let cluster = Cluster::new(HARD, &[&LONG_JOB[..], &["--homecoming", "6"]].concat());
    let mut coordinator = cluster.coordinator();
    let busy = talkative(&cluster, "busy");
    cluster.wait_for("the job begins", |cluster| jobs_begun(cluster, "busy") == 1);
    let _idle = talkative(&cluster, "idle");
    let _ = coordinator.wait_for_line("worker=\"idle\"");

    // The one that has the job is slow to notice, and the other is there first.
    busy.freeze();
    coordinator.kill();
    let coordinator = cluster.coordinator();
    let _ = coordinator.wait_for_line("worker=\"idle\"");
    busy.thaw();
    let back = coordinator.wait_for_line("worker=\"busy\"");
    assert!(back.contains("held=1"), "{back}");
    assert_eq!(
        jobs_begun(&cluster, "idle"),
        0,
        "the other was not given it"
    );
    let over = coordinator.wait_for_line("the wait is over");
    assert!(over.contains("adopted=1"), "{over}");
    assert_eq!(
        cluster.count("jobs_wasted"),
        0,
        "nothing was done for nothing"
    );
}

#[test]
fn a_job_that_nobody_brings_back_is_given_out_again() {
    let cluster = Cluster::new(HARD, &[&LONG_JOB[..], &["--homecoming", "1"]].concat());
    let mut coordinator = cluster.coordinator();
    let mut lost = talkative(&cluster, "lost");
    cluster.wait_for("the job begins", |cluster| jobs_begun(cluster, "lost") == 1);
    lost.kill();
    coordinator.kill();
    let _coordinator = cluster.coordinator();
    let _other = talkative(&cluster, "other");
    cluster.wait_for("another gets it", |cluster| {
        jobs_begun(cluster, "other") == 1
    });
}

#[test]
fn an_answer_found_while_the_coordinator_was_away_is_brought_along() {
    let cluster = Cluster::new(HARD, &["--engine-budget", "4000000", "--homecoming", "1"]);
    let mut coordinator = cluster.coordinator();
    let _worker = talkative(&cluster, "a");
    cluster.wait_for("the job begins", |cluster| jobs_begun(cluster, "a") == 1);
    coordinator.kill();
    // Long enough for the job to end; what it found waits at the worker.
    let log = |cluster: &Cluster| cluster.log_of("a");
    cluster.wait_for("the job ends", |cluster| log(cluster).contains("job ended"));
    let coordinator = cluster.coordinator();
    let back = coordinator.wait_for_line("worker came");
    assert!(back.contains("held=1"), "{back}");
    cluster.wait_for("it is stored", |cluster| cluster.count("jobs_done") >= 1);
    assert_eq!(
        cluster.count("jobs_wasted"),
        0,
        "nothing was done for nothing"
    );
}
