//! `gridproof win --batch` and `gridproof verify --batch`, as programs run them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Black has four in a row and completes them.
const FOUR: &str = "j10,a1,b2,k10,l10,s1,s3,m10,j11,s5,s7";
/// Connect(6,6,4,2,1): Black has three in the middle and completes them.
const ROWS: [&str; 6] = ["......", "......", ".BBB..", "......", "......", "WWW..W"];

fn batch(task: &str, arguments: &[&str]) -> Command {
    let mut command = cargo_bin_cmd!("gridproof");
    command.args([task, "--batch", "-"]).args(arguments);
    command
}

fn rows(id: &str, rows: &[&str], to_move: &str) -> Value {
    json!({
        "id": id, "m": 6, "n": 6, "k": 4, "p": 2, "q": 1, "rows": rows, "to_move": to_move,
    })
}

fn moves(id: &str, moves: &str) -> Value {
    json!({ "id": id, "moves": moves })
}

fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The answers to some lines, in the order in which they are printed.
fn answers(command: &mut Command, input: impl Into<Vec<u8>>) -> Vec<Value> {
    let done = command.write_stdin(input).assert().success().stderr("");
    let printed = String::from_utf8(done.get_output().stdout.clone()).expect("we print UTF-8");
    let lines = printed.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect()
}

fn fields(answer: &Value) -> BTreeSet<&str> {
    let object = answer.as_object().expect("each line is an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn a_win_is_told_with_all_its_fields() {
    let input = [moves("four", FOUR), rows("rows", &ROWS, "B")];
    for answer in answers(&mut batch("win", &[]), text(&input)) {
        let all = [
            "id", "result", "winner", "move", "nodes", "lambda", "checked",
        ];
        assert_eq!(fields(&answer), all.into(), "{answer}");
        assert_eq!(answer["result"], "won", "{answer}");
        assert_eq!(answer["winner"], "B");
        assert_eq!(answer["checked"], true);
        assert!(answer["nodes"].is_u64() && answer["lambda"].is_u64());
        let mv = answer["move"].as_str().expect("a move");
        assert_eq!(mv.split(' ').count(), 2, "{mv}");
        assert_eq!(mv, mv.to_lowercase());
    }
}

#[test]
fn a_verified_position_is_won_by_the_side_that_is_not_to_move() {
    let input = [
        moves("four", "j10,a1,b2,k10,l10,s1,s3,m10,j11"),
        moves("start", "j10"),
    ];
    let told = answers(&mut batch("verify", &["--nodes", "2000"]), text(&input));
    let [won, open] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(
        (&won["result"], &won["winner"]),
        (&json!("won"), &json!("B"))
    );
    assert_eq!(won["checked"], true);
    assert_eq!(won.get("move"), None, "the winner is not to move: {won}");
    assert_eq!(open["result"], "unknown");
    assert_eq!(fields(open), ["id", "nodes", "open", "result"].into());
    assert_eq!(
        open["open"],
        json!(["- -"]),
        "the null move stays open: {open}"
    );
    assert_eq!(open.get("winner"), None);
}

#[test]
fn the_answer_depends_on_the_nodes_allowed() {
    let empty = ".".repeat(19);
    let mut rows = vec![empty; 19];
    rows[8].replace_range(10..11, "B");
    rows[9].replace_range(9..12, "B.B");
    let line = json!({
        "id": 623, "m": 19, "n": 19, "k": 6, "p": 2, "q": 3, "rows": rows, "to_move": "W",
    });
    for (nodes, result) in [("1000", "unknown"), ("100000", "won")] {
        let mut command = batch("verify", &["--nodes", nodes]);
        let told = answers(&mut command, text(std::slice::from_ref(&line)));
        assert_eq!(told[0]["id"], 623, "an id comes back as it was given");
        assert_eq!(told[0]["result"], result, "{nodes} nodes");
    }
}

#[test]
fn one_thread_answers_in_order_and_many_answer_all() {
    let ids: Vec<String> = (0..12).map(|number| number.to_string()).collect();
    let lines: Vec<Value> = ids.iter().map(|id| moves(id, FOUR)).collect();
    let id = |answer: &Value| answer["id"].as_str().expect("a text").to_owned();
    for threads in ["1", "3"] {
        let told = answers(&mut batch("win", &["--threads", threads]), text(&lines));
        let mut told: Vec<String> = told.iter().map(id).collect();
        if threads != "1" {
            told.sort_by_key(|id| id.parse::<u32>().expect("a number"));
        }
        assert_eq!(told, ids, "{threads} threads");
    }
}

/// What is said of each line that cannot be searched.
#[test]
fn a_bad_line_is_an_error_of_its_own() {
    let won = "j10,a1,b2,k10,l10,s1,s3,m10,n10,s5,s7,i10,j11";
    let full = json!({
        "id": "full", "m": 3, "n": 3, "k": 3, "p": 1, "q": 1, "rows": ["BWB", "BWW", "WBB"],
        "to_move": "W",
    });
    let mut no_rules = rows("no rules", &ROWS, "B");
    no_rules["k"] = Value::Null;
    let mut other_game = rows("other game", &ROWS, "B");
    other_game["moves"] = json!("a1");
    other_game["rows"] = Value::Null;
    let mut both = rows("both", &ROWS, "B");
    both["moves"] = json!("j10");
    let mut large = rows("large", &ROWS, "B");
    large["m"] = json!(1000);
    let cases = [
        (moves("won", won), "the game is over: Black has won"),
        (full, "the game is over: the board is full"),
        (
            rows("count", &ROWS, "W"),
            "cannot arise in Connect(6,6,4,2,1)",
        ),
        (moves("half a turn", "j10,k11"), "2 stones this turn, not 1"),
        (moves("taken", "j10,j10,k11"), "taken"),
        (
            moves("off the board", "j10,k11,t20"),
            "T20 is not on the board",
        ),
        (moves("nonsense", "hello"), "hello"),
        (
            rows("few rows", &ROWS[1..], "B"),
            "there are 5 rows; n is 6",
        ),
        (
            rows("short row", &["....."; 6], "B"),
            "row 1 from the top has 5 squares; m is 6",
        ),
        (rows("letter", &["..X..."; 6], "B"), "has \"X\""),
        (rows("side", &ROWS, "Red"), "\"to_move\" must be"),
        (no_rules, "all of m, n, k, p and q"),
        (other_game, "\"moves\" is for 19x19 Connect6"),
        (both, "needs \"moves\", or \"rows\""),
        (large, "1000"),
        (json!({ "id": "nothing" }), "needs \"moves\", or \"rows\""),
        (json!({ "id": "type", "moves": 7 }), "invalid type"),
    ];
    for task in ["win", "verify"] {
        let mut input: Vec<Value> = cases.iter().map(|(line, _)| line.clone()).collect();
        input.push(moves("good", "j10"));
        let told = answers(&mut batch(task, &["--nodes", "10"]), text(&input));
        assert_eq!(told.len(), cases.len() + 1);
        for ((line, words), answer) in cases.iter().zip(&told) {
            assert_eq!(fields(answer), ["error", "id", "result"].into(), "{answer}");
            assert_eq!(
                (&answer["result"], &answer["id"]),
                (&json!("error"), &line["id"])
            );
            let said = answer["error"].as_str().expect("words");
            assert!(said.contains(words), "{words} in {said}");
        }
        assert_eq!(told[cases.len()]["result"], "unknown", "all else goes on");
    }
}

#[test]
fn what_is_no_json_and_no_text_is_an_error_without_an_id() {
    let input = [
        b"{\"id\": 1\n\n  \n\xff\xfe\n[]\n",
        text(&[moves("good", FOUR)]).as_bytes(),
    ]
    .concat();
    let told = answers(&mut batch("win", &[]), input);
    let [broken, bytes, list, good] = &told[..] else {
        panic!("{told:?}");
    };
    for answer in [broken, bytes, list] {
        assert_eq!(answer["result"], "error", "{answer}");
        assert_eq!(answer["id"], Value::Null);
    }
    assert_eq!(good["result"], "won");
}

/// A line of an empty board of a side with one black stone in the middle.
fn one_stone(side: usize, k: u8, p: u8) -> Value {
    let mut rows = vec![".".repeat(side); side];
    rows[side / 2].replace_range(side / 2..=side / 2, "B");
    json!({
        "id": p, "m": side, "n": side, "k": k, "p": p, "q": 1, "rows": rows, "to_move": "W",
    })
}

#[test]
fn games_that_are_not_searched_are_refused_at_once_with_the_rule() {
    let no_checker = "proofs can be checked for at most 4 stones a turn";
    let too_many = "a board may have at most 361 squares for 3 stones a turn, 64 for 4";
    let cases = [
        (one_stone(19, 12, 5), no_checker),
        (one_stone(19, 6, 4), too_many),
    ];
    for task in ["win", "verify"] {
        let input: Vec<Value> = cases.iter().map(|(line, _)| line.clone()).collect();
        let told = answers(&mut batch(task, &[]), text(&input));
        for ((_, words), answer) in cases.iter().zip(&told) {
            assert_eq!(answer["result"], "error", "{answer}");
            let said = answer["error"].as_str().expect("words");
            assert!(said.contains(words), "{words} in {said}");
        }
        for (position, words) in [
            ("Connect(19,19,12,5,1): j10", no_checker),
            ("Connect(19,19,6,2,5): j10 k10 l10 a1 b1", no_checker),
            ("Connect(19,19,6,4,1): j10 a1 d4 g7 s1", too_many),
        ] {
            let mut command = cargo_bin_cmd!("gridproof");
            let refused = command.args([task, position]).assert().failure().code(2);
            let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
            assert!(said.contains(words), "{words} in {said}");
        }
    }
}

fn accepted(path: &Path) {
    let mut check = cargo_bin_cmd!("gridproof");
    check.arg("check").arg(path).assert().success();
}

#[test]
fn certificates_go_to_a_folder_and_are_not_overwritten() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("deep/down");
    let name = folder.to_str().expect("a plain path");
    let input = text(&[moves("four/in a row", FOUR), moves("start", "j10")]);
    let arguments = ["--nodes", "100", "--certificates", name];
    let first = answers(&mut batch("win", &arguments), &*input);
    assert_eq!(first[0]["result"], "won");
    let files: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(files.len(), 1, "nothing is written of what is unknown");
    let certificate = folder.join("four-in-a-row.gpf");
    accepted(&certificate);

    fs::write(&certificate, "mine").unwrap();
    let again = answers(&mut batch("win", &arguments), &*input);
    assert_eq!(again[0]["result"], "error");
    let said = again[0]["error"].as_str().expect("words");
    assert!(said.contains("four-in-a-row.gpf"), "{said}");
    assert_eq!(fs::read_to_string(&certificate).unwrap(), "mine");

    let replace = [&arguments[..], &["--replace"]].concat();
    let replaced = answers(&mut batch("win", &replace), &*input);
    assert_eq!(replaced[0]["result"], "won");
    accepted(&certificate);
}

#[test]
fn a_batch_comes_from_a_file_too_and_a_missing_one_is_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("positions.jsonl");
    fs::write(&path, text(&[moves("four", FOUR)])).unwrap();
    let mut command = cargo_bin_cmd!("gridproof");
    let told = answers(command.args(["win", "--batch"]).arg(&path), "");
    assert_eq!(told[0]["result"], "won");

    let missing = folder.path().join("missing.jsonl");
    let mut command = cargo_bin_cmd!("gridproof");
    let refused = command.args(["win", "--batch"]).arg(&missing).assert();
    let refused = refused.failure().code(2).stdout("");
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("missing.jsonl"), "{said}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for arguments in [
        &["win", "--batch", "-", "j10"][..],
        &["win", "j10", "--threads", "2"],
        &["win", "j10", "--certificates", "proofs"],
        &["win", "--batch", "-", "--out", "a.gpf"],
        &["win", "--batch", "-", "--threads", "0"],
        &["verify"],
    ] {
        let mut command = cargo_bin_cmd!("gridproof");
        command
            .args(arguments)
            .assert()
            .failure()
            .code(2)
            .stdout("");
    }
}
