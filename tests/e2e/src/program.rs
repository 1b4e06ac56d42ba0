//! The programs under test.

use std::env;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::transcript::look_through;

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

/// Runs a command to its end; what it printed is looked through, and shown if the test fails.
#[must_use]
pub fn run_to_end(command: &mut Command) -> Output {
    let output = command.output().expect("the program can be started");
    let said = [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said));
    println!("{command:?}\n{}", said.concat());
    said.iter().for_each(|said| look_through(said));
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

/// What a program printed.
#[must_use]
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a program complained about.
#[must_use]
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A path that a test made.
#[must_use]
pub fn path_text(path: &Path) -> &str {
    path.to_str().expect("the folder's name is text")
}

/// A port of loopback that nobody listens on. It is freed at once: another process may take
/// it, but none is likely to.
#[must_use]
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("loopback has free ports")
        .port()
}

/// Waits for something. Nothing in these tests takes longer than this, however slow the
/// machine.
pub fn wait_until(what: &str, mut has_happened: impl FnMut() -> bool) {
    const TIMEOUT: Duration = Duration::from_secs(1200);
    let started = Instant::now();
    while !has_happened() {
        assert!(started.elapsed() < TIMEOUT, "{what}: never");
        thread::park_timeout(Duration::from_millis(50));
    }
}

/// Says that the running test was skipped, and why: to whoever reads its output, and to the
/// list that `tests/run` prints at its end.
pub fn skip(why: &str) {
    println!("skipped: {why}");
    let Some(list) = env::var_os("GRIDPROOF_SKIPPED") else {
        return;
    };
    let thread = thread::current();
    let line = format!("{}: {why}\n", thread.name().unwrap_or("a test"));
    let list = std::fs::File::options()
        .append(true)
        .create(true)
        .open(list);
    let written = list.and_then(|mut list| std::io::Write::write_all(&mut list, line.as_bytes()));
    written.expect("the list of skipped tests can be written");
}
