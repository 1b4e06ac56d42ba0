//! Campaigns over openings, as a user runs them.

use std::fs;
use std::path::Path;
use std::process::{self, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use gridproof_grid::campaign::{Entry, Index, State};

fn openings(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gridproof").expect("the program is built");
    command.arg("openings").args(args);
    command
}

fn campaign(folder: &Path, only: &str) -> Command {
    short_campaign(folder, only, "3000000")
}

fn short_campaign(folder: &Path, only: &str, nodes: &str) -> Command {
    let folder = folder.to_str().expect("a plain path");
    openings(&["--data", folder, "--only", only, "--nodes", nodes])
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

/// Nothing in these tests takes longer, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// The openings that an index tells to be won; none as long as there is no index.
fn won(folder: &Path) -> Vec<Entry> {
    let entries = Index::load(folder).map_or_else(|_| Vec::new(), |index| index.openings);
    let is_won = |entry: &Entry| matches!(entry.state, State::Won(_));
    entries.into_iter().filter(is_won).collect()
}

/// Starts a campaign, and kills it when so many openings are won and the next is under way.
fn kill_after(folder: &Path, only: &str, count: usize) {
    let mut command = process::Command::new(cargo_bin("gridproof"));
    command.args(campaign(folder, only).get_args());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while won(folder).len() < count {
        assert!(started.elapsed() < PATIENCE, "nothing is won");
        thread::park_timeout(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_killed_campaign_goes_on_and_loses_nothing() {
    const ONLY: &str = "G7-M13,H7-M8,J7-M13,H7-M13";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut before = Vec::new();
    for count in [1, 3] {
        kill_after(folder, ONLY, count);
        let now = won(folder);
        assert!(now.len() < 4, "it was killed in time");
        assert!(before.iter().all(|entry| now.contains(entry)));
        check(folder).assert().success();
        before = now;
    }
    let output = campaign(folder, ONLY).assert().success();
    let told = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    let after = won(folder);
    assert_eq!(after.len(), 4);
    for entry in before {
        assert!(!told.contains(&entry.name), "done again: {told}");
        assert!(after.contains(&entry));
    }
    check(folder).assert().success();
}

#[test]
fn campaigns_over_one_store_share_what_they_find_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("facts");
    let run = |name: &str, nodes: &str, attacker: &str| {
        let data = folder.path().join(name);
        let mut command = short_campaign(&data, "H7-H13", nodes);
        command.arg("--store").arg(&store);
        command.args(["--attacker", attacker]).assert().success();
        Index::load(&data).unwrap().openings.remove(0)
    };
    let first = run("first", "3000000", "black");
    assert!(first.effort.jobs > 2, "it takes several jobs");
    let second = run("second", "3000000", "black");
    assert!(matches!(second.state, State::Won(_)));
    assert_eq!(second.effort.jobs, 0, "all was known");
    check(&folder.path().join("second")).assert().success();

    // What Black wins is nothing that White has proved.
    let white = run("white", "1000", "white");
    assert_eq!(white.state, State::Unknown);
    assert!(white.effort.jobs > 0);
    check(&folder.path().join("white")).assert().failure();
    assert_eq!(run("first", "3000000", "black"), first);
}

#[test]
fn each_side_has_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut white = short_campaign(folder.path(), "G7-M13", "1000");
    white.args(["--attacker", "white"]).assert().success();
    let table = fs::read_to_string(folder.path().join("openings.tsv")).unwrap();
    assert_eq!(table.lines().count(), 2);
    let refused = campaign(folder.path(), "G7-M13").assert().failure();
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(
        said.contains("give each side a folder of its own"),
        "{said}"
    );
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
