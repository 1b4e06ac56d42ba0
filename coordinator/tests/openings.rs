//! Campaigns over openings, as a user runs them.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn openings(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gridproof").expect("the program is built");
    command.arg("openings").args(args);
    command
}

fn campaign(folder: &Path, only: &str) -> Command {
    let folder = folder.to_str().expect("a plain path");
    openings(&["--data", folder, "--only", only, "--nodes", "3000000"])
}

fn check(folder: &Path) -> Command {
    openings(&["check", folder.to_str().expect("a plain path")])
}

#[test]
fn a_campaign_goes_on_where_it_stopped_and_its_certificates_pass() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    campaign(folder, "G7-M13").assert().success();
    let first = fs::read(folder.join("certificates/G7-M13.gpf")).unwrap();
    let output = campaign(folder, "H7-M8").assert().success();
    let told = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(told.contains("H7-M8    won with"), "{told}");
    assert!(
        !told.contains("G7-M13"),
        "what is solved is not done again: {told}"
    );
    assert_eq!(
        fs::read(folder.join("certificates/G7-M13.gpf")).unwrap(),
        first
    );
    let table = fs::read_to_string(folder.join("openings.tsv")).unwrap();
    assert_eq!(table.lines().count(), 3);
    assert!(
        fs::read_to_string(folder.join("map.svg"))
            .unwrap()
            .contains("2 of 2")
    );
    let accepted = check(folder).assert().success();
    let said = String::from_utf8_lossy(&accepted.get_output().stdout).into_owned();
    assert!(said.contains("all 2 certificates accepted"), "{said}");
}

#[test]
fn a_certificate_of_another_opening_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    campaign(folder, "G7-M13,H7-M8").assert().success();
    let certificates = folder.join("certificates");
    fs::copy(
        certificates.join("G7-M13.gpf"),
        certificates.join("H7-M8.gpf"),
    )
    .unwrap();
    let refused = check(folder).assert().failure();
    let said = String::from_utf8_lossy(&refused.get_output().stdout).into_owned();
    assert!(
        said.contains("H7-M8    REFUSED: it proves something else"),
        "{said}"
    );
}

#[test]
fn bad_input_is_told_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let missing = check(folder.path()).assert().failure();
    let said = String::from_utf8_lossy(&missing.get_output().stderr).into_owned();
    assert!(said.contains("index.json"), "{said}");
    campaign(folder.path(), "Z1-Z2").assert().failure();
}
