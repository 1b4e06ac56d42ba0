//! `gridproof convert`, as users run it.

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;

fn convert(arguments: &[&str]) -> Command {
    let mut command = cargo_bin_cmd!("gridproof");
    command.arg("convert").args(arguments);
    command
}

#[test]
fn a_record_is_written_in_any_format() {
    for (format, written) in [
        ("littlegolem", "(;FF[4]CA[UTF-8];B[j10];W[i8h9])\n"),
        (
            "sgf",
            "(;FF[4]GM[4]CA[UTF-8]SZ[19]RU[Connect(19,19,6,2,1)];B[jj];W[il];W[hk])\n",
        ),
        ("ccgc", "{[C6][ B][ W][][][];B(J,10);W(I,8);W(H,9)}\n"),
        ("engine", "new black\nblack JJ\nwhite IHHI\n"),
        ("stones", "j10,i8,h9\n"),
    ] {
        convert(&["TX-H9", "--to", format])
            .assert()
            .success()
            .stdout(written);
    }
}

#[test]
fn a_record_goes_to_a_file_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    convert(&["-", "--to", "stones", "--out", file.to_str().unwrap()])
        .write_stdin("(;B[j10];W[i8h9])")
        .assert()
        .success()
        .stdout("");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "j10,i8,h9\n");
}

#[test]
fn a_record_that_can_be_read_both_ways_says_how_it_was_read() {
    let told = |arguments: &[&str]| {
        let done = convert(arguments).assert().success();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (
            text(&done.get_output().stdout),
            text(&done.get_output().stderr),
        )
    };
    let capitals = "(;B[JJ];W[IH];W[HI])";
    let (stones, note) = told(&[capitals, "--to", "stones"]);
    assert_eq!(stones, "j10,i8,h9\n");
    assert!(note.contains("could be read both ways up"), "{note}");
    assert!(note.contains("from the bottom"), "{note}");
    let (stones, note) = told(&[capitals, "--to", "stones", "--rows", "bottom"]);
    assert_eq!((&*stones, &*note), ("j10,i8,h9\n", ""));

    let small = "(;B[jj];W[ih];W[hi])";
    let (stones, note) = told(&[small, "--to", "stones"]);
    assert_eq!(stones, "j10,h11,i12\n");
    assert!(note.contains("from the top, as SGF has it"), "{note}");
    let (stones, note) = told(&[small, "--to", "stones", "--rows", "bottom"]);
    assert_eq!((&*stones, &*note), ("j10,i8,h9\n", ""));

    let (sgf, note) = told(&["TX-H9", "--to", "sgf"]);
    assert_eq!(note, "");
    let (stones, note) = told(&[&sgf, "--to", "stones"]);
    assert_eq!(
        (&*stones, &*note),
        ("j10,i8,h9\n", ""),
        "what we write is plain"
    );
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    convert(&["connect623", "--to", "ccgc"])
        .assert()
        .failure()
        .code(2)
        .stdout("")
        .stderr(
            "error: ccgc can only hold Connect(19,19,6,2,1), not Connect(19,19,6,2,3): SGF and \
             stone lists can hold it\n",
        );
    convert(&["j10,k11,-", "--to", "engine"])
        .assert()
        .failure()
        .stderr(
            "error: engine has no null stones, and turn 2 has one: SGF and stone lists can hold \
             it\n",
        );
    convert(&["TX-H9", "--to", "pgn"]).assert().failure();
}
