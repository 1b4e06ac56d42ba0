//! A coordinator and workers, each a process of its own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::program::{gridproof, run_to_end, worker_program};

/// A folder, a port, and what to search.
#[derive(Debug)]
pub struct Grid {
    folder: TempDir,
    port: u16,
    game: &'static str,
    extra: Vec<String>,
}

/// Nothing in these tests takes longer, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(600);

impl Grid {
    #[must_use]
    pub fn new(game: &'static str, extra: &[&str]) -> Self {
        // Freed at once: another process may take it, but none is likely to.
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("loopback has free ports")
            .port();
        Self {
            folder: tempfile::tempdir().expect("there is room for a folder"),
            port,
            game,
            extra: extra.iter().map(ToString::to_string).collect(),
        }
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the coordinator, or starts it again, and waits until it listens.
    #[must_use]
    pub fn coordinator(&self) -> Coordinator {
        let mut command = gridproof();
        command
            .arg("serve")
            .args(["--listen", &format!("127.0.0.1:{}", self.port)])
            .arg("--store")
            .arg(self.path("store"))
            .args(["--submit", self.game])
            .args(&self.extra)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the coordinator can be started");
        let stderr = child.stderr.take().expect("it is a pipe");
        let mut lines = BufReader::new(stderr).lines();
        let listens = lines.by_ref().map_while(Result::ok).any(|line| {
            println!("coordinator: {line}");
            line.contains("listening at")
        });
        assert!(listens, "the coordinator ended before it listened");
        // Somebody must read on, or the coordinator stops when the pipe is full.
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                println!("coordinator: {line}");
            }
        });
        Coordinator { child }
    }

    #[must_use]
    pub fn worker(&self, name: &str) -> Worker {
        let log = File::create(self.path(&format!("{name}.log"))).expect("the folder is ours");
        let mut command = worker_program();
        command
            .args(["--coordinator", &self.url(), "--name", name, "--cores", "1"])
            .args([
                "--priority",
                "normal",
                "--memory",
                "none",
                "--max-backoff",
                "1s",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let child = command.spawn().expect("the worker can be started");
        Worker { child }
    }

    /// An operator's command.
    #[must_use]
    pub fn order(&self, words: &[&str]) -> Output {
        run_to_end(gridproof().args(words).args(["--coordinator", &self.url()]))
    }

    /// Fetches the proof and confirms it with the checker.
    #[must_use]
    pub fn fetch(&self) -> PathBuf {
        let file = self.path("fetched.gpf");
        let path = file.to_str().expect("the folder's name is text");
        assert!(
            self.order(&["fetch", path, "--search", "1"])
                .status
                .success()
        );
        file
    }

    /// Waits until the search is proved, asking now and then.
    pub fn wait_until_proved(&self) {
        self.wait_for("proved", |grid| {
            let list = grid.order(&["list"]);
            String::from_utf8_lossy(&list.stdout).contains("proved")
        });
    }

    pub fn wait_for(&self, what: &str, mut has_happened: impl FnMut(&Self) -> bool) {
        let started = Instant::now();
        while !has_happened(self) {
            assert!(started.elapsed() < PATIENCE, "{what}: never");
            thread::park_timeout(Duration::from_millis(100));
        }
    }
}

/// A process that is killed when the test forgets it.
#[derive(Debug)]
pub struct Coordinator {
    child: Child,
}

#[derive(Debug)]
pub struct Worker {
    child: Child,
}

macro_rules! process {
    ($name:ident) => {
        impl $name {
            /// As a power failure would, as far as the process can tell.
            pub fn kill(&mut self) {
                let _ = self.child.kill();
                let _ = self.child.wait();
            }

            pub fn freeze(&self) {
                self.signal(Signal::STOP);
            }

            pub fn thaw(&self) {
                self.signal(Signal::CONT);
            }

            /// Asks it to leave in order.
            pub fn ask_to_leave(&self) {
                self.signal(Signal::TERM);
            }

            #[must_use]
            pub fn wait(&mut self) -> ExitStatus {
                self.child.wait().expect("it is our child")
            }

            /// The number that the system knows it by.
            #[must_use]
            pub fn id(&self) -> u32 {
                self.child.id()
            }

            #[must_use]
            pub fn has_ended(&mut self) -> bool {
                self.child.try_wait().expect("it is our child").is_some()
            }

            fn signal(&self, signal: Signal) {
                let pid = Pid::from_child(&self.child);
                kill_process(pid, signal).expect("it is our child");
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.kill();
            }
        }
    };
}

process!(Coordinator);
process!(Worker);

/// Runs `gridproof solve` in a folder.
#[must_use]
pub fn solve(game: &str, folder: &Path, extra: &[&str]) -> Output {
    let mut command: Command = gridproof();
    command
        .args(["solve", game])
        .arg("--store")
        .arg(folder)
        .args(extra);
    run_to_end(&mut command)
}
