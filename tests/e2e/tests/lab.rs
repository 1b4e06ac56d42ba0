//! A lab of five hosts, made with deploy/'s own files as deploy/README.md says. What systemd
//! does around a program (users, sandbox) is not tried: there is no systemd on these hosts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gridproof_tests::{
    Coordinator, Link, Machine, Network, Worker, path_text, programs, repository, run_to_end,
    stdout, wait_until,
};

/// Black wins this one after some forty jobs.
const OPENING: &str = "J7-M7";
const WORKERS: [&str; 4] = ["pc-01", "pc-02", "pc-03", "pc-04"];
/// Where the coordinator keeps everything.
const HOME: &str = "/var/lib/gridproof";
const OPERATORS_CREDENTIALS: [&str; 6] = [
    "--coordinator",
    "https://localhost:4100",
    "--ca",
    "gridproof-data/certs/ca.pem",
    "--token-file",
    "gridproof-data/tokens/operator.token",
];

struct Lab<'a> {
    folder: &'a Path,
    coordinator: Machine<'a>,
    workers: Vec<Machine<'a>>,
}

impl<'a> Lab<'a> {
    /// Installs all five and switches them on; none where no file system can be mounted.
    fn install(network: &'a Network, folder: &'a Path) -> Option<Self> {
        let (first, others) = network.hosts().split_first()?;
        let coordinator = Machine::new(first, folder.join("grid.lab"));
        install(&coordinator, &["coordinator"]);
        name_the_coordinator(&coordinator, first.address());
        if !coordinator.boot() {
            return None;
        }
        let mut lab = Self {
            folder,
            coordinator,
            workers: Vec::new(),
        };
        lab.make_keys();
        for (host, name) in others.iter().zip(WORKERS) {
            let machine = Machine::new(host, folder.join(name));
            install(&machine, &lab.worker_options(name));
            name_the_coordinator(&machine, first.address());
            assert!(machine.boot());
            lab.workers.push(machine);
        }
        Some(lab)
    }

    /// As install.sh does on a machine that runs.
    fn make_keys(&self) {
        let home = self.data("");
        fs::create_dir_all(home).unwrap();
        self.must(&["cert", "ca"]);
        self.must(&["cert", "server", "grid.lab"]);
        let new = ["token", "new", "--out", "gridproof-data/tokens"];
        self.must(&[&new[..], &["--role", "operator", "operator"]].concat());
        self.must(&[&new[..], &WORKERS].concat());
    }

    fn worker_options(&self, name: &str) -> Vec<String> {
        let token = self.data(&format!("gridproof-data/tokens/{name}.token"));
        let ca = self.data("gridproof-data/certs/ca.pem");
        let words = ["worker", "--coordinator", "https://grid.lab:4100"];
        let words = words.into_iter().chain(["--hours", "always", "--ca"]);
        let words = words.map(str::to_owned);
        words
            .chain([path_text(&ca), "--token", path_text(&token)].map(str::to_owned))
            .collect()
    }

    /// A file of the coordinator's, seen from outside.
    fn data(&self, name: &str) -> PathBuf {
        let home = self.coordinator.root().join(HOME.trim_start_matches('/'));
        home.join(name)
    }

    fn start_coordinator(&self) -> Coordinator {
        Coordinator::start(self.coordinator.service("gridproof.service"))
    }

    fn start_worker(&self, machine: &Machine<'_>, name: &str) -> Worker {
        let mut command = machine.service("gridproof-worker.service");
        // The hosts share this machine with other tests, and are not to make way for them.
        command.env("GRIDPROOF_WORKER_PAUSE_WHEN", "never");
        command.env("GRIDPROOF_WORKER_PRIORITY", "normal");
        Worker::start(command, &self.folder.join(format!("{name}.log")))
    }

    /// A gridproof command on the coordinator.
    fn run(&self, words: &[&str]) -> Output {
        let words = [&["/usr/local/bin/gridproof"], words].concat();
        run_to_end(&mut self.coordinator.command(HOME, &words))
    }

    fn must(&self, words: &[&str]) {
        assert!(self.run(words).status.success(), "{words:?}");
    }

    /// What an operator is told.
    fn ask(&self, words: &[&str]) -> String {
        let output = self.run(&[words, &OPERATORS_CREDENTIALS].concat());
        assert!(output.status.success(), "{words:?}");
        stdout(&output)
    }

    fn wait_for(&self, what: &str, words: &[&str], is_so: impl Fn(&str) -> bool) {
        wait_until(what, || is_so(&self.ask(words)));
    }
}

fn install(machine: &Machine<'_>, words: &[impl AsRef<str>]) {
    let mut command = Command::new(repository().join("deploy/install.sh"));
    command.args(words.iter().map(AsRef::as_ref));
    command.arg("--bin").arg(programs());
    command.arg("--root").arg(machine.files());
    assert!(run_to_end(&mut command).status.success());
}

fn name_the_coordinator(machine: &Machine<'_>, address: &str) {
    let hosts = format!("127.0.0.1 localhost\n{address} grid.lab\n");
    fs::create_dir_all(machine.files().join("etc")).unwrap();
    fs::write(machine.files().join("etc/hosts"), hosts).unwrap();
}

#[test]
fn a_lab_that_loses_two_of_its_hosts_finishes_its_proof() {
    let Some(network) = Network::of_hosts(1 + WORKERS.len()) else {
        gridproof_tests::skip("no network namespaces can be made here");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(lab) = Lab::install(&network, folder.path()) else {
        gridproof_tests::skip("no file system can be mounted here");
        return;
    };
    let coordinator = lab.start_coordinator();
    let started = lab.workers.iter().zip(WORKERS);
    let mut workers: Vec<_> = started
        .map(|(machine, name)| lab.start_worker(machine, name))
        .collect();
    let _ = lab.ask(&["submit", OPENING]);
    lab.wait_for("every host has a job", &["workers"], |told| {
        told.matches(" 1 of 1 ").count() == WORKERS.len()
    });

    // The power goes: no goodbye gets out, not even the system's.
    for (machine, worker) in lab.workers.iter().zip(&mut workers).take(2) {
        machine.host().set_link(Link::Down);
        worker.kill();
    }
    assert!(
        lab.ask(&["list"]).contains("open"),
        "the proof came before the loss"
    );
    lab.wait_for("two are missed", &["workers"], |told| {
        told.matches(" away ").count() == 2
    });
    lab.wait_for("proved", &["list"], |told| told.contains("proved"));
    assert_eq!(coordinator.lines_with("worker lost").len(), 2);
    assert!(workers[2..].iter_mut().all(|worker| !worker.has_ended()));

    let _ = lab.ask(&["fetch", "1", "--out", "proof.gpf"]);
    lab.must(&["check", "proof.gpf"]);
}
