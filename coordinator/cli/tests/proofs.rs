//! `gridproof check` and `gridproof explain`, as users run them.

mod common;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use gridproof_certificate::{IfExists, Node, Proof, ProofBuilder, read_proof, save};
use tempfile::TempDir;

fn gridproof(arguments: &[&str], file: &Path) -> Command {
    let mut command = cargo_bin_cmd!("gridproof");
    command.args(arguments).arg(file);
    command
}

fn text(bytes: &[u8]) -> String {
    common::words(bytes)
}

fn output(command: &mut Command) -> String {
    text(&command.assert().success().get_output().stdout)
}

/// The proof of Connect(6,2,3), as the verifier makes it.
fn proved(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("connect623.gpf");
    let mut verify = gridproof(&["verify", "connect623", "--out"], &path);
    verify.assert().success();
    path
}

fn load(path: &Path) -> Proof {
    read_proof(&std::fs::read(path).unwrap()[..]).unwrap().0
}

#[test]
fn an_accepted_proof_says_what_it_proves() {
    let folder = TempDir::new().unwrap();
    let path = proved(&folder);
    let said = output(&mut gridproof(&["check"], &path));
    assert!(said.contains("White to move: Black wins"), "{said}");
    assert!(said.contains("PROVED. Black wins."), "{said}");
    for fact in [
        " nodes, ",
        " moves deep, order Λ",
        " explicit defender's moves; ",
        "\nblake3 ",
    ] {
        assert!(said.contains(fact), "{fact} in {said}");
    }
    let stdin = std::fs::read(&path).unwrap();
    let piped = output(gridproof(&["check"], Path::new("-")).write_stdin(stdin));
    assert!(piped.contains("PROVED"));
}

#[test]
fn a_refused_proof_is_told_with_the_move_that_is_not_answered() {
    let folder = TempDir::new().unwrap();
    let path = proved(&folder);
    let proof = load(&path);
    let Node::Defend { replies } = proof.node(proof.root()) else {
        panic!("White is to move");
    };
    let mut builder = ProofBuilder::new(proof.start().clone(), proof.attacker());
    builder.graft(&proof).unwrap();
    let missing = replies.last().unwrap().mv.clone();
    let root = builder
        .defend(replies[..replies.len() - 1].to_vec())
        .unwrap();
    let broken = folder.path().join("broken.gpf");
    save(&builder.finish(root).unwrap(), &broken, IfExists::Refuse).unwrap();

    let mut command = gridproof(&["check"], &broken);
    let done = command.arg(&path).assert().failure().code(1);
    let said = text(&done.get_output().stdout);
    let refusal = format!(
        "REFUSED. the proof does not hold at the start: the defender's move {missing} is not answered"
    );
    assert!(said.contains(&refusal), "{said}");
    assert!(
        said.contains("PROVED"),
        "the other file is checked all the same"
    );
    assert_eq!(
        text(&done.get_output().stderr),
        "error: 1 of 2 proof files not accepted\n"
    );
}

#[test]
fn what_is_no_proof_file_is_refused_in_words() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("record.sgf");
    std::fs::write(&path, "(;GM[1])").unwrap();
    let done = gridproof(&["check"], &path).assert().failure().code(1);
    assert!(text(&done.get_output().stdout).contains("this is no proof file"));
    let missing = folder.path().join("missing.gpf");
    gridproof(&["check"], &missing).assert().failure().code(1);
    gridproof(&["explain"], &missing).assert().failure().code(2);
}

#[test]
fn the_main_line_is_shown_board_by_board_to_the_end() {
    let folder = TempDir::new().unwrap();
    let path = proved(&folder);
    let said = output(&mut gridproof(&["explain"], &path));
    assert!(said.starts_with("From here\n"), "{said}");
    assert!(said.contains("\n2. White "), "{said}");
    assert!(said.contains("\n3. Black "), "{said}");
    assert!(said.contains(": Black wins\n"), "{said}");
}

#[test]
fn any_defence_is_answered_to_the_end() {
    let folder = TempDir::new().unwrap();
    let path = proved(&folder);
    let far_away = output(&mut gridproof(&["explain", "--line", "a1 s19"], &path));
    assert!(
        far_away.contains("2. White A1 S19: answered like "),
        "{far_away}"
    );
    assert!(far_away.contains(": Black wins\n"));

    let questions = "nonsense\nj10 a1\na1 b1 c1\nmoves\na1 s19\nback\na2 s18\nmain\na1\nquit\n";
    let mut ask = gridproof(&["explain", "--ask"], &path);
    let said = output(ask.write_stdin(questions));
    for words in [
        "\"nonsense\" is no square",
        "J10 is taken: Black has a stone there",
        "a turn has 2 stones, and these are 3",
        " moves: ",
        "2. White A1 S19",
        "Back here",
        "2. White A2 S18",
        ": Black wins\n",
        "The game is over: say back, or quit.",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
}

#[test]
fn a_line_goes_into_a_picture_and_a_record() {
    let folder = TempDir::new().unwrap();
    let path = proved(&folder);
    let svg = output(&mut gridproof(&["explain", "--svg", "-"], &path));
    assert!(
        svg.starts_with("<svg ") && svg.contains("Black wins"),
        "{svg}"
    );
    assert!(svg.contains("number-"), "its moves are numbered");
    let text = output(&mut gridproof(&["explain"], &path));
    let numbers = text.lines().filter_map(|line| {
        let number: u32 = line.split_once(". ")?.0.parse().ok()?;
        assert!(svg.contains(&format!(">{number}</text>")), "{line}");
        Some(number)
    });
    let numbers: Vec<_> = numbers.collect();
    let expected: Vec<_> = (2..).take(numbers.len()).collect();
    assert_eq!(numbers, expected, "text and picture count alike");
    let sgf = output(&mut gridproof(
        &["explain", "--sgf", "-", "--line", "a1 s19"],
        &path,
    ));
    assert!(
        sgf.starts_with("(;") && sgf.contains(";W[as];W[sa]"),
        "{sgf}"
    );
    let mut show = cargo_bin_cmd!("gridproof");
    let shown = output(show.args(["show", "-"]).write_stdin(sgf));
    assert!(shown.contains("Black has won"), "{shown}");
}

#[test]
fn programs_read_what_was_checked_as_json() {
    let folder = TempDir::new().unwrap();
    let path = proved(&folder);
    let json = output(&mut gridproof(&["check", "--json"], &path));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["accepted"], true);
    assert_eq!(json[0]["winner"], "black");
    let missing = folder.path().join("missing.gpf");
    let done = gridproof(&["check", "--json"], &missing)
        .assert()
        .failure()
        .code(1);
    let json: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!(json[0]["accepted"], false);
}
