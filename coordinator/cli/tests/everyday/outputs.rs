//! What commands say whose output nobody takes: a pipe that was closed, and a full disk.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;
use tempfile::TempDir;

use crate::common::words;
use crate::failures::refusal;
use crate::operator::run;

/// What a command says whose output goes somewhere that takes none.
fn with_output_to(folder: &Path, output: Stdio, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(cargo_bin("gridproof"));
    command.current_dir(folder).args(arguments);
    let output = command
        .stdout(output)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code(), words(&output.stderr))
}

/// Commands that print a screen and end by themselves.
const PRINTING: [&[&str]; 12] = [
    &["show", "TX-H9"],
    &["show", "TX-H9", "--svg", "-"],
    &["convert", "--to", "sgf", "TX-H9"],
    &["check", "connect623.gpf"],
    &["check", "connect623.gpf", "--json"],
    &["explain", "connect623.gpf"],
    &["explain", "connect623.gpf", "--svg", "-"],
    &["config"],
    &["completions", "bash"],
    &["family", "3,3,3,1,1"],
    &["report", "--data", "one"],
    &[
        "simulate",
        "compare",
        "--workers",
        "1,2",
        "--policies",
        "detour",
    ],
];

fn prepare(folder: &Path) {
    let proof = [
        "solve",
        "connect623",
        "--store",
        "one",
        "--proof",
        "connect623.gpf",
    ];
    let solved = run(folder, &[&proof[..], &["--quiet"]].concat());
    assert_eq!(solved.code, 0, "{}", solved.error);
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    prepare(folder);
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, said) = with_output_to(folder, writer.into(), arguments);
        assert_eq!((code, &*said), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_is_told_and_is_a_failure() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    prepare(folder);
    for arguments in PRINTING {
        let output = full.try_clone().unwrap();
        let (code, said) = with_output_to(folder, output.into(), arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {said}");
        assert!(
            said.contains("No space left on device"),
            "{arguments:?}: {said}"
        );
        assert!(
            said.starts_with("error: cannot write"),
            "{arguments:?}: {said}"
        );
    }
    for arguments in [
        &["show", "TX-H9", "--svg", "/dev/full"][..],
        &["explain", "connect623.gpf", "--svg", "/dev/full"],
        &["explain", "connect623.gpf", "--sgf", "/dev/full"],
        &["report", "--data", "one", "--html", "/dev/full"],
        &["report", "--data", "one", "--json", "/dev/full"],
    ] {
        let said = refusal(folder, arguments, 1);
        assert!(
            said.contains("cannot write /dev/full"),
            "{arguments:?}: {said}"
        );
    }
}
