//! What commands say to input that makes no sense: positions, numbers, files.

use std::fs;

use tempfile::TempDir;

use crate::failures::refusal;
use crate::operator::run;

#[test]
fn what_is_no_position_is_refused_by_every_command_that_takes_one() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.txt"), "this is no record").unwrap();
    for position in [
        "nonsense",
        "TX-Q99",
        "j10,j10",
        "words.txt",
        "gomoku: z99",
        "",
    ] {
        for command in [
            &["show"][..],
            &["solve"],
            &["win"],
            &["verify"],
            &["convert", "--to", "stones"],
            &["play", "--position"],
            &["serve", "--submit"],
            &["simulate", "record", "--out", "a.tape"],
        ] {
            refusal(folder, &[command, &[position]].concat(), 2);
        }
    }
    assert!(!folder.join("gridproof-data").exists(), "nothing was begun");
}

#[test]
fn numbers_and_times_that_make_no_sense_are_told_what_makes_some() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for arguments in [
        &["solve", "TX-H9", "--workers"][..],
        &["solve", "TX-H9", "--time"],
        &["solve", "TX-H9", "--engine-budget"],
        &["solve", "TX-H9", "--log-every"],
        &["solve", "TX-H9", "--attacker"],
        &["openings", "--within"],
        &["openings", "--nodes"],
        &["openings", "--workers"],
        &["family", "--nodes"],
        &["serve", "--listen"],
        &["serve", "--metrics"],
        &["serve", "--store-limit"],
        &["serve", "--grace"],
        &["win", "TX-H9", "--nodes"],
        &["win", "TX-H9", "--memory"],
        &["win", "TX-H9", "--order"],
        &["verify", "TX-H9", "--coverage"],
        &["win", "--batch", "a.jsonl", "--threads"],
        &["check", "a.gpf", "--memory"],
        &["show", "TX-H9", "--move"],
        &["show", "--node"],
        &["show", "h8", "--rules"],
        &["report", "--since"],
        &["match", "engine", "beam", "--games"],
        &["simulate", "compare", "--workers"],
        &["simulate", "compare", "--spread"],
        &["simulate", "faults", "--count"],
        &["submit", "TX-H9", "--share"],
        &["share", "TX-H9"],
        &["book", "grow", "a.gpb", "--time"],
        &["book", "grow", "a.gpb", "--threads"],
    ] {
        for value in ["many", "-3x", "99999999999999999999999"] {
            let option = arguments.last().unwrap();
            let value = match option.starts_with("--") {
                true => format!("{option}={value}"),
                false => value.to_owned(),
            };
            let rest = match option.starts_with("--") {
                true => &arguments[..arguments.len() - 1],
                false => arguments,
            };
            let said = refusal(folder, &[rest, &[value.as_str()]].concat(), 2);
            // A dash begins an option, where none is expected either.
            let is_told = ["invalid value", "unexpected argument"]
                .iter()
                .any(|words| said.contains(words));
            assert!(is_told, "{arguments:?}: {said}");
        }
    }
}

#[test]
fn files_of_another_kind_are_told() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.txt"), "this is none of ours\n").unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    for file in ["words.txt", "folder", "missing"] {
        for command in [
            &["explain"][..],
            &["simulate", "compare", "--tree"],
            &["store", "--store", "new", "import"],
            &["book", "show"],
            &["openings", "map"],
            &["openings", "check"],
            &["report", "--data"],
            &["match", "engine:100", "engine:100", "--openings"],
            &["serve", "--tokens"],
            &["token", "list", "--tokens"],
        ] {
            let arguments = [command, &[file]].concat();
            // A list of tokens that is not there yet has none.
            if arguments.contains(&"--tokens") && file == "missing" {
                continue;
            }
            let said = run(folder, &arguments);
            assert!(
                said.code == 1 || said.code == 2,
                "{arguments:?}: {}",
                said.error
            );
            let error = said.error;
            assert!(
                error.starts_with("error: ") && error.contains(file),
                "{arguments:?}: {error}"
            );
        }
        let checked = run(folder, &["check", file]);
        assert!(checked.out.contains(file), "{}", checked.out);
        assert_eq!(
            checked.code,
            if file == "words.txt" { 1 } else { 2 },
            "{file}"
        );
        let batch = run(folder, &["win", "--batch", file]);
        assert_eq!(
            batch.code,
            if file == "words.txt" { 0 } else { 2 },
            "{file}"
        );
        let store = run(folder, &["store", "--store", file, "verify"]);
        assert!(store.code == 1 || store.code == 2, "{file}");
        assert!(store.error.contains(file), "{}", store.error);
    }
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("words.txt"), "a file").unwrap();
    for arguments in [
        &["solve", "connect623", "--store", "words.txt"][..],
        &["solve", "connect623", "--store", "words.txt/store"],
        &["openings", "--only", "G7-M13", "--data", "words.txt"],
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--store",
            "words.txt/store",
        ],
        &["token", "new", "--tokens", "words.txt/tokens.toml", "pc-01"],
        &["cert", "ca", "--certs", "words.txt"],
        &["man", "words.txt"],
        &["show", "TX-H9", "--svg", "words.txt/a.svg"],
        &["family", "3,3,3,1,1", "--out", "words.txt"],
    ] {
        let said = run(folder, arguments);
        assert!(
            said.code == 1 || said.code == 2,
            "{arguments:?}: {}",
            said.error
        );
        let error = said.error;
        assert!(error.contains("words.txt"), "{arguments:?}: {error}");
        assert!(
            error.matches("os error").count() <= 1,
            "{arguments:?}: {error}"
        );
    }
}
