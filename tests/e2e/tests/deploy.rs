//! Everything in deploy/ that this machine has a tool for.

use std::process::Command;

use gridproof_tests::{programs, repository, run_to_end};

/// Tools that are missing are named in what it says; `deploy/check --strict` wants them all.
#[test]
fn what_is_in_deploy_passes_its_checks() {
    let mut check = Command::new(repository().join("deploy/check"));
    let told = run_to_end(check.env("GRIDPROOF_BIN", programs()));
    assert!(told.status.success());
}
