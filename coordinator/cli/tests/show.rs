//! `gridproof show`, as users run it.

mod common;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;

fn show(arguments: &[&str]) -> Command {
    let mut command = cargo_bin_cmd!("gridproof");
    command.arg("show").args(arguments);
    command
}

fn output(command: &mut Command) -> String {
    let done = command.assert().success();
    common::words(&done.get_output().stdout)
}

/// Standard error of a command that must fail with nothing on standard output.
fn refusal(command: &mut Command, code: i32) -> String {
    let done = command.assert().failure().code(code).stdout("");
    common::words(&done.get_output().stderr)
}

const BLACK_FOURS: &str = "j10 a1,b2 k10,l10 s1,s3 m10,j11";

#[test]
fn an_opening_is_drawn_by_its_name() {
    let text = output(&mut show(&["TX-H9"]));
    assert!(text.starts_with("Opening TX-H9\nConnect(19,19,6,2,1), after turn 2: Black to move"));
    assert!(text.contains("  9  ├─┼─┼─┼─┼─┼─┼─◎─┼─"));
    assert!(text.ends_with("Black has no threat.\nWhite has no threat.\n"));
    assert!(
        !text.contains('\u{1b}'),
        "no colours when it is no terminal"
    );
}

#[test]
fn each_sides_threats_are_drawn_and_told() {
    let text = output(&mut show(&[BLACK_FOURS]));
    assert!(text.contains(" 10  ├─┼─┼─╋─┼─┼─┼─×─×─●─●─●─◉─×─×─╋"));
    assert!(text.contains(
        "Black has 2 threats: completed by H10 I10, or I10 N10, or N10 O10. \
         White stops them with H10 N10, or I10 N10, or I10 O10.\n\
         White has no threat.\n"
    ));
    assert!(text.contains("×  completes a line for Black"));
}

#[test]
fn a_position_within_a_game_is_chosen_by_its_turn() {
    let text = output(&mut show(&[BLACK_FOURS, "--move", "3"]));
    assert!(text.contains("after turn 3 of 5: White to move"));
    let empty = output(&mut show(&[BLACK_FOURS, "--move", "0"]));
    assert!(empty.contains("after turn 0 of 5: Black to move"));
    let error = refusal(&mut show(&[BLACK_FOURS, "--move", "6"]), 2);
    assert_eq!(
        error,
        "error: the game has 5 turns: there is no position after turn 6\n"
    );
}

#[test]
fn records_come_from_files_and_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.sgf");
    std::fs::write(&file, "(;PB[Ann]PW[Bob]RE[B+];B[j10];W[i8h9])").unwrap();
    let from_file = output(&mut show(&[file.to_str().unwrap()]));
    assert!(from_file.starts_with("Ann (Black) – Bob (White), Opening TX-H9, Black won\n"));
    let from_stdin = output(show(&["-"]).write_stdin("(;B[JJ];W[IH];W[HI])"));
    assert_eq!(from_stdin, output(&mut show(&["TX-H9"])));
}

#[test]
fn an_svg_is_written_beside_the_text_or_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.svg");
    let text = output(&mut show(&[
        BLACK_FOURS,
        "--numbers",
        "--svg",
        file.to_str().unwrap(),
    ]));
    assert!(text.contains("Black has 2 threats"));
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("number-white"));
    let alone = output(&mut show(&[BLACK_FOURS, "--svg", "-"]));
    assert!(alone.starts_with("<svg ") && alone.ends_with("</svg>\n"));
    let error = refusal(&mut show(&["TX-H9", "--svg", "/no/such/folder/x.svg"]), 2);
    assert!(error.starts_with("error: cannot write /no/such/folder/x.svg: "));
}

#[test]
fn colours_come_when_asked_for() {
    let text = output(&mut show(&["TX-H9", "--color", "always"]));
    assert!(text.contains("\u{1b}["));
}

#[test]
fn a_finished_game_has_a_winner_and_no_threats() {
    let game = "Connect(9,9,4,2,1): e5 a1,b9 e6,e7 c9,f1 e8";
    let text = output(&mut show(&[game]));
    assert!(text.contains("after turn 5: Black has won"));
    assert!(!text.contains("threat"));
    let svg = output(&mut show(&[game, "--svg", "-"]));
    assert_eq!(svg.matches("class=\"bar threat-black\"").count(), 1);
}

#[test]
fn bad_input_is_refused_in_one_line_with_its_place_and_rule() {
    for (input, words) in [
        (
            "j10,k11,j10",
            "the record is refused: line 1, column 9: J10 is taken: Black has a stone there",
        ),
        (
            "(;SZ[40];B[j10])",
            "the record is refused: line 1, column 6: a board of 40 columns and 40 rows: each \
             side must be from 1 to 32",
        ),
        (
            "nonsense",
            "\"nonsense\" is no file that exists, no opening like TX-H9 and no record in a known \
             format",
        ),
        (
            "TX-J10",
            "the record is refused: line 1, column 4: J10 is taken: Black has a stone there",
        ),
        (
            "X-i9",
            "the record is refused: line 1, column 3: I9 is taken: White has a stone there",
        ),
        (
            "TX-Z9",
            "the record is refused: line 1, column 4: Z9 is not on the board: it has columns A to S \
             and rows 1 to 19",
        ),
        (
            "TX-H9 k11",
            "the record is refused: line 1, column 7: Black places 2 stones this turn, not 1: \
             write - for a null stone",
        ),
        (
            "{[C6];B(\u{1b},1)}",
            "the record is refused: line 1, column 9: \"\\u{1b}1\" is no square: write a column \
             letter and a row number counted from the bottom, like J10",
        ),
    ] {
        assert_eq!(refusal(&mut show(&[input]), 2), format!("error: {words}\n"));
    }
    let broken = refusal(show(&["-"]).write_stdin("j10,j10,k1"), 2);
    assert_eq!(
        broken,
        "error: the record on standard input is refused: line 1, column 5: J10 is taken: Black \
         has a stone there\n"
    );
}

#[test]
fn any_rules_can_be_shown_in_a_moment() {
    for rules in ["Connect(32,32,6,6,1):", "Connect(32,32,32,255,255):"] {
        let text = output(&mut show(&[rules]));
        assert!(text.contains("threats or more"), "{rules}");
    }
}
