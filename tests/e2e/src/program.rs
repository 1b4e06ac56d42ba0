//! The programs under test.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The folder where cargo puts this profile's programs; they are built first, once. Or any
/// other that GRIDPROOF_PROGRAMS names, with whatever programs are there.
#[must_use]
pub fn programs() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        if let Some(folder) = env::var_os("GRIDPROOF_PROGRAMS") {
            return folder.into();
        }
        let test = env::current_exe().expect("a test knows where it is");
        let folder = test
            .ancestors()
            .nth(2)
            .expect("tests are in a folder below the programs'");
        let mut build = Command::new(env!("CARGO"));
        build.args([
            "build",
            "--quiet",
            "-p",
            "gridproof",
            "-p",
            "gridproof-worker",
            "--bins",
        ]);
        if folder.ends_with("release") {
            build.arg("--release");
        }
        // The same folder that this test was built in, wherever that is.
        let target = folder.parent().expect("the profile's folder is in another");
        build.env("CARGO_TARGET_DIR", target);
        let built = build.status().expect("cargo can be started");
        assert!(built.success(), "the programs under test do not build");
        folder.to_owned()
    })
}

/// The folder that holds README.md.
#[must_use]
pub fn repository() -> &'static Path {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    above.expect("these tests are two folders deep")
}

/// The command `gridproof`.
#[must_use]
pub fn gridproof() -> Command {
    let mut command = Command::new(programs().join("gridproof"));
    command.env("NO_COLOR", "1");
    command
}

/// The command `gridproof-worker`.
#[must_use]
pub fn worker_program() -> Command {
    let mut command = Command::new(programs().join("gridproof-worker"));
    command.env("NO_COLOR", "1");
    command
}

/// Runs a command to its end; what it printed is shown if the test fails.
#[must_use]
pub fn run_to_end(command: &mut Command) -> Output {
    let output = command.output().expect("the program can be started");
    println!(
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Whether a command of the system does as it is told; why not is shown if the test fails.
#[must_use]
pub fn does(program: &str, words: &[&str]) -> bool {
    let output = Command::new(program).args(words).output();
    output.is_ok_and(|output| {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        output.status.success()
    })
}
