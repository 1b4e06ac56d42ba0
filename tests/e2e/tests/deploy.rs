//! Everything in deploy/ that this machine has a tool for.

use std::fs;
use std::process::Command;

use gridproof_grid::security::Limits;
use gridproof_tests::{programs, repository, run_to_end};

/// Tools that are missing are named in what it says; `deploy/check --strict` wants them all.
#[test]
fn what_is_in_deploy_passes_its_checks() {
    let mut check = Command::new(repository().join("deploy/check"));
    let told = run_to_end(check.env("GRIDPROOF_BIN", programs()));
    assert!(told.status.success());
}

/// A file of the repository.
fn text(path: &str) -> String {
    let path = repository().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// 4,096 for 4096.
fn with_comma(number: u32) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", number / 1_000, number % 1_000),
    }
}

#[test]
fn docs_trust_names_the_limits_that_are_in_force() {
    let docs = text("docs/trust.md");
    let limits = Limits::default();
    let pair = |all, of_address| format!("{} and {}", with_comma(all), with_comma(of_address));
    let seconds = |time: std::time::Duration| format!("{} s", time.as_secs());
    for words in [
        pair(limits.connections, limits.of_address),
        pair(limits.strangers, limits.strangers_of_address),
        seconds(limits.introduction),
        seconds(limits.unread),
    ] {
        assert!(docs.contains(&words), "{words}");
    }
}

#[test]
fn coordinators_that_are_deployed_have_files_for_all_connections() {
    const FILES: u32 = 65_536;
    assert!(text("docs/trust.md").contains(&with_comma(FILES)));
    let unit = text("deploy/systemd/gridproof.service");
    assert!(unit.contains(&format!("LimitNOFILE={FILES}\n")));
    let compose = text("deploy/container/compose.yaml");
    assert!(compose.contains(&format!("nofile: {FILES}}}")));
    let limits = Limits::default();
    assert!(limits.connections + limits.for_browsers().connections + 1_024 < FILES);
}

/// The least that a worker with a core can use, and what each deployment gives it.
#[test]
fn workers_that_are_deployed_have_memory_enough() {
    assert!(text("deploy/slurm/workers.sbatch").contains("--mem-per-cpu=1G\n"));
    let pods = text("deploy/kubernetes/workers.yaml");
    assert!(pods.contains("cpu: \"4\"\n              memory: 4Gi\n"));
    assert!(pods.contains("memory = \"90%\""));
    // Half of the machine, and systemd ends it beyond a little more.
    assert!(text("deploy/worker.toml").contains("memory = \"50%\""));
    assert!(text("deploy/systemd/gridproof-worker.service").contains("MemoryMax=60%"));
}
