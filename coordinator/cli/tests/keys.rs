//! `gridproof token` and `gridproof cert`, as users run them.

use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use gridproof_host::Token;

fn gridproof(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = cargo_bin_cmd!("gridproof");
    command.current_dir(folder).args(arguments);
    command
}

fn output(folder: &Path, arguments: &[&str]) -> String {
    let done = gridproof(folder, arguments).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_token_is_shown_once_listed_without_its_secret_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let shown = output(folder.path(), &["token", "new", "lab-pc-07"]);
    let token: Token = shown.parse().unwrap();
    let list = output(folder.path(), &["token", "list"]);
    assert!(list.contains(&token.id.to_string()) && list.contains("lab-pc-07"));
    assert!(!list.contains(shown.split('.').nth(2).unwrap()));
    gridproof(folder.path(), &["token", "revoke", "lab-pc-07"])
        .assert()
        .success()
        .stdout(format!("revoked {} lab-pc-07\n", token.id));
    assert!(output(folder.path(), &["token", "list"]).contains("revoked 2"));
}

#[test]
fn tokens_for_a_whole_room_go_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let made = output(
        folder.path(),
        &["token", "new", "--out", "room", "pc-1", "pc-2"],
    );
    assert_eq!(made, "room/pc-1.token\nroom/pc-2.token\n");
    let text = std::fs::read_to_string(folder.path().join("room/pc-2.token")).unwrap();
    text.parse::<Token>().unwrap();
}

#[test]
fn a_name_that_has_a_token_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    output(folder.path(), &["token", "new", "pc"]);
    gridproof(folder.path(), &["token", "new", "pc"])
        .assert()
        .failure()
        .stderr("error: pc has a token already: revoke it first, or choose another name\n");
}

#[test]
fn a_lab_gets_its_certificates_in_three_commands() {
    let folder = tempfile::tempdir().unwrap();
    let certs = "gridproof-data/certs";
    assert_eq!(
        output(folder.path(), &["cert", "ca"]),
        format!("{certs}/ca.pem\n{certs}/ca.key\n")
    );
    assert_eq!(
        output(folder.path(), &["cert", "server", "grid.lab", "10.0.0.7"]),
        format!("{certs}/server.pem\n{certs}/server.key\n")
    );
    assert_eq!(
        output(folder.path(), &["cert", "worker", "pc-1"]),
        format!("{certs}/workers/pc-1.pem\n{certs}/workers/pc-1.key\n")
    );
}

#[test]
fn what_is_there_is_replaced_only_when_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    output(folder.path(), &["cert", "ca"]);
    gridproof(folder.path(), &["cert", "ca"]).assert().failure();
    output(folder.path(), &["cert", "server"]);
    gridproof(folder.path(), &["cert", "server"])
        .assert()
        .failure()
        .stderr("error: gridproof-data/certs/server.key is there already: say --replace to make a new one\n");
    output(folder.path(), &["cert", "server", "--replace"]);
}
