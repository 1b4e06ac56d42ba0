//! What the programs say of themselves.

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

use crate::operator::run;

#[test]
fn helps_name_what_there_is() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let help = |arguments: &[&str]| run(folder, arguments).out;
    assert!(help(&["match", "--help"]).contains("beam-tuned"));
    assert!(help(&["--help"]).contains("Exit codes: 0 done"));
    let missing = run(folder, &["openings", "check", "--data", "nowhere"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.error.contains("nowhere/index.json"),
        "{}",
        missing.error
    );
    for shell in ["bash", "zsh", "fish"] {
        let mut command = cargo_bin_cmd!("gridproof");
        let done = command.args(["completions", shell]).assert().success();
        let script = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(script.contains("withdraw"), "{shell}");
    }
    assert_eq!(run(folder, &["man", "pages"]).code, 0);
    for (page, words) in [
        ("pages/gridproof-status.1", "how a search stands"),
        (
            "pages/gridproof-worker.1",
            "when nobody else needs this machine",
        ),
    ] {
        let page = std::fs::read_to_string(folder.join(page)).unwrap();
        assert!(page.contains(words), "{page}");
    }
    let mut command = cargo_bin_cmd!("gridproof");
    let done = command.args(["completions", "bash", "gridproof-worker"]);
    let worker = done.assert().success().get_output().stdout.clone();
    let worker = String::from_utf8(worker).unwrap();
    assert!(worker.contains("--max-backoff"), "{worker}");
}
