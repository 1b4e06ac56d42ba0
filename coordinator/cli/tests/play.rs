//! Playing and matches, as people run them.

use std::path::Path;

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str], typed: &str) -> String {
    let mut command = cargo_bin_cmd!("gridproof");
    let done = command
        .current_dir(folder)
        .args(arguments)
        .write_stdin(typed.to_owned())
        .assert()
        .success();
    String::from_utf8_lossy(&done.get_output().stdout).into_owned()
}

#[test]
fn a_game_can_be_hinted_at_saved_and_taken_back_after_its_end() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    // Black completes six.
    let position = "j10 a1,a3 k10,l10 c1,c3 m10,n10 e1,e3";
    let play = ["play", "--against", "engine:500", "--position", position];
    let said = run(folder, &play, "hint\no10 p10\nundo\nsave game.sgf\nquit\n");
    assert!(said.contains("  1. "), "{said}");
    assert!(said.contains("Black has won"), "{said}");
    assert!(said.contains("saved game.sgf"), "{said}");
    let record = std::fs::read_to_string(folder.join("game.sgf")).unwrap();
    assert!(
        record.contains("m10n10") && !record.contains("o10"),
        "{record}"
    );
}

#[test]
fn a_match_counts_a_crash_as_a_loss_and_ends_when_it_is_clear() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let versus = ["match", "engine:50", "stdin:false", "--games", "40"];
    let more = ["--sprt", "0,200", "--save", "games"];
    let said = run(folder, &[&versus[..], &more[..]].concat(), "");
    assert!(said.contains("false gave up as"), "{said}");
    assert!(
        said.contains("of +200 against +0 Elo: better after"),
        "{said}"
    );
    assert!(!said.contains("game 40 of 40"), "{said}");
    let record = std::fs::read_to_string(folder.join("games/game-0001.sgf")).unwrap();
    assert!(record.contains("RE[B+]"), "{record}");
}

#[test]
fn weights_are_fitted_to_records() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let table = "id,result,end,moves\n\
                 a,B,six,\"j10,a1,a3,k10,l10,c1,c3,m10,n10,e1,e3,o10,p10\"\n\
                 b,W,six,\"a1,j10,k10,a3,c1,l10,m10,c3,e1,n10,o10\"\n";
    std::fs::write(folder.join("games.csv"), table).unwrap();
    let said = run(
        folder,
        &["tune", "games.csv", "--out", "weights.txt", "--rounds", "1"],
        "",
    );
    assert!(said.contains("2 games"), "{said}");
    let weights = std::fs::read_to_string(folder.join("weights.txt")).unwrap();
    assert!(
        weights.starts_with("# gridproof tune games.csv"),
        "{weights}"
    );
}

#[test]
fn a_gomocup_manager_leads_a_game() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let play = ["play", "--gomocup", "--against", "engine:300"];
    let commands = "START 19\r\nINFO timeout_turn 200\r\nBEGIN\r\nTURN 8,8 10,8\r\nEND\r\n";
    let said = run(folder, &play, commands);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..2], ["OK", "9,9"]);
    assert_eq!(lines[2].split([' ', ',']).count(), 4, "{said}");
    assert_eq!(lines.len(), 3);

    let five = ["--rules", "15,15,5,1,1"];
    let said = run(
        folder,
        &[&play[..], &five[..]].concat(),
        "START 20\nSTART 15\nBOARD\n0,0,1\n0,14,2\n1,0,1\n1,14,2\n2,0,1\n2,14,2\n3,0,1\n3,14,2\nDONE\n",
    );
    assert_eq!(said.lines().last(), Some("4,0"), "{said}");
}

#[test]
fn a_match_counts_the_moves_that_lose_to_threats() {
    let folder = TempDir::new().unwrap();
    let versus = ["match", "engine:0", "engine:2000", "--games", "2"];
    let said = run(
        folder.path(),
        &[&versus[..], &["--check", "1k"]].concat(),
        "",
    );
    let words = "checked with 1000 nodes, the first player and the second: ";
    let line = said.lines().find_map(|line| line.strip_prefix(words));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    // Somebody lost, and who plays without a look ahead let it happen.
    let overlooked = line.split(", ").nth(2).expect("three counts");
    assert!(!overlooked.starts_with("0 and"), "{said}");
    assert!(said.contains(" loses to threats, "), "{said}");
}
