//! What the pages tell people to type works. Commands that stand apart are run, in order, in
//! a folder for each page; those that cannot be (they need root, a cluster or hours) and those
//! within the text have their flags and files looked up.

mod flags;
mod pages;
mod setup;

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use gridproof_tests::{Coordinator, Worker, free_port, programs, repository, run_to_end};
use tempfile::TempDir;

use self::flags::CommandIndex;
use self::pages::Page;
use self::setup::PageSetup;

/// Lines that stand apart and are no commands: what programs say.
const OUTPUT: [&str; 2] = ["TX-H9 12/48", "line 1, column 9"];
/// The page whose tree of folders looks like commands.
const FOLDERS: &str = "ARCHITECTURE.md";
/// What no test can do. The lab test and `deploy/check` try most of it in their own way.
const ELSEWHERE: [&str; 10] = [
    "cargo ",
    "bash tests/run",
    "sudo apt ",
    "sudo deploy/install.sh",
    "deploy/deb.sh",
    "ssh ",
    "cd deploy/ansible && ansible-playbook",
    "sbatch ",
    "grpcurl ",
    "pip ",
];

/// A folder in which a page's commands are run, and what was started there and stays.
struct PageRun {
    setup: PageSetup,
    folder: TempDir,
    port: u16,
    coordinator: Option<Coordinator>,
    workers: Vec<Worker>,
}

impl PageRun {
    fn of(page: &Page) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Read, and never written to.
        for name in ["deploy", "proto", "tests"] {
            symlink(repository().join(name), folder.path().join(name)).unwrap();
        }
        let mut run = Self {
            setup: PageSetup::of(&page.name),
            folder,
            port: free_port(),
            coordinator: None,
            workers: Vec::new(),
        };
        for command in run.setup.before {
            run.follow(command);
        }
        run
    }

    /// A shell in the folder that knows the programs.
    fn shell(&self, words: &str) -> Command {
        let path = env::var("PATH").unwrap();
        let mut shell = Command::new("bash");
        shell
            .args(["-euo", "pipefail", "-c", words])
            .env("PATH", format!("{}:{path}", programs().display()))
            .env("PROGRAMS", programs())
            .env("NO_COLOR", "1")
            .current_dir(self.folder.path());
        shell
    }

    /// Does what the page says. Servers are left running until the page is at its end.
    fn follow(&mut self, command: &str) {
        let command = self.setup.adapt(command, self.port);
        if command.starts_with("gridproof serve") {
            let shell = self.shell(&format!("exec {command}"));
            self.coordinator = Some(Coordinator::start(shell));
        } else if command.starts_with("gridproof-worker") {
            let log = self.folder.path().join("worker.log");
            let shell = self.shell(&format!("exec {command}"));
            self.workers.push(Worker::start(shell, &log));
            let coordinator = self.coordinator.as_ref().expect("the page starts one");
            let _ = coordinator.wait_for_line("worker came");
        } else {
            let output = run_to_end(&mut self.shell(&command));
            assert!(output.status.success(), "{command}");
        }
    }

    fn compare_what_it_made(&self) {
        for name in self.setup.makes {
            let made = fs::read(self.folder.path().join(name)).unwrap();
            let kept = fs::read(repository().join(name)).unwrap();
            assert!(made == kept, "{name} is not what its command makes");
        }
    }
}

fn is_a_command(page: &Page, line: &str) -> bool {
    page.name != FOLDERS
        && !OUTPUT
            .iter()
            .any(|line_of_output| line.starts_with(line_of_output))
}

fn is_for_elsewhere(line: &str) -> bool {
    let is_ours = line.starts_with("cargo run --release -- ");
    let is_cargo_with_settings = line.starts_with("GRIDPROOF_");
    !is_ours && (is_cargo_with_settings || ELSEWHERE.iter().any(|one| line.starts_with(one)))
}

#[test]
fn commands_that_stand_apart_can_be_followed() {
    for page in Page::all() {
        let commands = page
            .commands
            .iter()
            .filter(|line| is_a_command(&page, line));
        let (elsewhere, here): (Vec<_>, Vec<_>) = commands.partition(|line| is_for_elsewhere(line));
        if !here.is_empty() {
            println!("== {}", page.name);
            let mut run = PageRun::of(&page);
            for command in here {
                run.follow(command);
            }
            run.compare_what_it_made();
        }
        for command in elsewhere {
            let parsed = run_to_end(Command::new("bash").args(["-n", "-c", command]));
            assert!(parsed.status.success(), "{}: {command}", page.name);
        }
    }
}

#[test]
fn every_flag_file_and_target_that_pages_name_exists() {
    let mut commands = CommandIndex::new();
    let mut wrong = Vec::new();
    for page in Page::all() {
        for command in page.commands.iter().chain(&page.spans) {
            for word in commands.unknown_in(command) {
                wrong.push(format!("{}: {word} in `{command}`", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_does_not_exist_is_noticed() {
    let mut commands = CommandIndex::new();
    for (command, word) in [
        ("gridproof slove TX-H9", "slove"),
        ("gridproof token nwe pc-01", "nwe"),
        ("cd x && gridproof solve TX-H9 --worker 2", "--worker"),
        ("gridproof-worker --hour always", "--hour"),
        ("sudo deploy/install.sh worker --tokens x", "--tokens"),
        ("deploy/instal.sh worker", "deploy/instal.sh"),
        (
            "GRIDPROOF_LONG=1 cargo test -p gridproof-tests --test kill",
            "kill",
        ),
        ("cargo bench -p gridprof", "gridprof"),
    ] {
        assert_eq!(commands.unknown_in(command), [word], "{command}");
    }
}

/// The example of a client needs a package that few machines have.
#[test]
fn the_client_in_python_works() {
    let has_grpc = Command::new("python3")
        .args(["-c", "import grpc_tools"])
        .output();
    if !has_grpc.is_ok_and(|output| output.status.success()) {
        gridproof_tests::skip("python3 with grpcio-tools is not here");
        return;
    }
    let pages = Page::all();
    let page = pages.iter().find(|page| !page.python.is_empty());
    let page = page.expect("there is an example");
    let mut run = PageRun::of(page);
    run.follow("gridproof serve");
    let program = run.setup.adapt(&page.python, run.port);
    fs::write(run.folder.path().join("client.py"), program).unwrap();
    let output = run_to_end(&mut run.shell("python3 client.py"));
    assert!(output.status.success());
}
