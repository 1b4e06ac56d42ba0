//! What whoever sets up a machine reads when something is not right, and the exit codes.

#[path = "../../tests/e2e/src/transcript.rs"]
mod transcript;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

fn worker(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridproof-worker"));
    command
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null());
    command
}

/// What a worker that does not start says.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = worker(folder, arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    transcript::look_through(&said);
    assert!(said.starts_with("error: "), "{arguments:?}: {said}");
    said
}

#[test]
fn what_makes_no_sense_is_told_before_anything_is_begun() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.txt"), "no certificate and no token").unwrap();
    fs::write(folder.join("slip.toml"), "corse = 2\n").unwrap();
    fs::write(folder.join("value.toml"), "cores = \"many\"\n").unwrap();
    let local = ["--coordinator", "http://127.0.0.1:1"];
    let lab = ["--coordinator", "https://127.0.0.1:1"];
    for (arguments, words) in [
        (
            &["--coordinator", "127.0.0.1:4100"][..],
            "is no coordinator's address",
        ),
        (
            &["--coordinator", "http://198.51.100.1:4100"],
            "no TLS and no token",
        ),
        (&lab, "an address with https needs the lab's certificate"),
        (
            &[&lab[..], &["--ca", "no.pem"]].concat(),
            "cannot read no.pem",
        ),
        (
            &[&lab[..], &["--ca", "words.txt"]].concat(),
            "words.txt holds no certificate",
        ),
        (
            &[&local[..], &["--token-file", "no.token"]].concat(),
            "cannot read no.token",
        ),
        (
            &[&local[..], &["--token-file", "words.txt"]].concat(),
            "holds no good token",
        ),
        (&["--config", "no.toml"], "there is no file no.toml"),
        (&["--config", "words.txt"], "words.txt"),
        (
            &["--config", "slip.toml"],
            "slip.toml sets \"corse\", which is no option",
        ),
        (&["--config", "value.toml"], "write a number of cores"),
        (&["--no-such-option"], "unexpected argument"),
        (&["--cores", "0"], "write a number of cores"),
        (&["--memory", "1KiB"], "is no amount of memory"),
        (&["--hours", "never"], "invalid value"),
        (&["--max-backoff", "long"], "write a time like"),
        (
            &[&local[..], &["--log", "loud,,=x"]].concat(),
            "is no log filter",
        ),
    ] {
        let said = refusal(folder, arguments);
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn a_coordinator_that_does_not_answer_is_told_in_plain_words() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--coordinator", "http://127.0.0.1:1", "--cores", "1"];
    let mut started = worker(folder.path(), &arguments)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(started.stderr.take().unwrap()).lines();
    let mut log = log
        .map_while(Result::ok)
        .inspect(|line| transcript::look_through(line));
    let told = log.find(|line| line.contains("no connection"));
    started.kill().unwrap();
    started.wait().unwrap();
    let told = told.expect("it tries, and says how that goes");
    assert!(told.contains("nobody listens there"), "{told}");
    assert!(told.contains("trying again"), "{told}");
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    let folder = TempDir::new().unwrap();
    for option in ["--print-config", "--help", "--version"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = worker(folder.path(), &[option])
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{option}");
        assert!(output.stderr.is_empty(), "{option}");
    }
}
