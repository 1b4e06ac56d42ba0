//! A coordinator and workers, each a process of its own.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::program::{gridproof, run_to_end, worker_program};

/// A folder, a port, and what to search.
#[derive(Debug)]
pub struct Grid {
    folder: TempDir,
    host: String,
    port: u16,
    game: &'static str,
    extra: Vec<String>,
    doors: Doors,
}

/// What the coordinator asks of those who come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doors {
    Open,
    /// TLS, and a token each.
    Locked,
}

/// Budgets so small that many jobs are needed.
pub const SMALL: [&str; 4] = ["--verifier-budget", "100", "--engine-budget", "400"];

/// Black has stones enough to look for a win from the first job on, and it is hard to find.
pub const HARD: &str = "TX-K7 j11,k11 j8,i9";

/// A job of [`HARD`] that takes longer than whatever happens meanwhile.
pub const LONG_JOB: [&str; 2] = ["--engine-budget", "50000000"];

/// The operator of a grid with locks.
const OPERATOR: &str = "operator";

/// Nothing in these tests takes longer, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(600);

impl Grid {
    /// Everyone on this machine may come in.
    #[must_use]
    pub fn new(game: &'static str, extra: &[&str]) -> Self {
        Self::with_doors(game, extra, Doors::Open)
    }

    /// With a lab's own authority, and tokens for these workers and for an operator.
    #[must_use]
    pub fn locked(game: &'static str, extra: &[&str], workers: &[&str]) -> Self {
        Self::locked_at("127.0.0.1", game, extra, workers)
    }

    /// The same at another address of this machine.
    #[must_use]
    pub fn locked_at(host: &str, game: &'static str, extra: &[&str], workers: &[&str]) -> Self {
        let grid = Self {
            host: host.to_owned(),
            ..Self::with_doors(game, extra, Doors::Locked)
        };
        let certs = grid.text("certs");
        grid.succeed(&["cert", "--certs", &certs, "ca"]);
        grid.succeed(&["cert", "--certs", &certs, "server", host]);
        let tokens = ["token", "--tokens", &grid.text("tokens.toml"), "new"];
        let out = ["--out", &grid.text("tokens")];
        grid.succeed(&[&tokens, workers, &out].concat());
        grid.succeed(&[&tokens[..], &[OPERATOR, "--role", "operator"], &out].concat());
        grid
    }

    fn with_doors(game: &'static str, extra: &[&str], doors: Doors) -> Self {
        // Freed at once: another process may take it, but none is likely to.
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("loopback has free ports")
            .port();
        Self {
            folder: tempfile::tempdir().expect("there is room for a folder"),
            host: "127.0.0.1".to_owned(),
            port,
            game,
            extra: extra.iter().map(ToString::to_string).collect(),
            doors,
        }
    }

    #[must_use]
    pub fn url(&self) -> String {
        let scheme = match self.doors {
            Doors::Open => "http",
            Doors::Locked => "https",
        };
        format!("{scheme}://{}", self.address())
    }

    #[must_use]
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// What a worker or operator shows to come in.
    #[must_use]
    pub fn keys_of(&self, name: &str) -> Vec<String> {
        match self.doors {
            Doors::Open => Vec::new(),
            Doors::Locked => [
                "--ca",
                &self.text("certs/ca.pem"),
                "--token-file",
                &self.text(&format!("tokens/{name}.token")),
            ]
            .map(str::to_owned)
            .into(),
        }
    }

    fn succeed(&self, words: &[&str]) {
        assert!(run_to_end(gridproof().args(words)).status.success());
    }

    /// A path in the grid's folder, as text.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        let path = self.path(name);
        path.to_str().expect("the folder's name is text").to_owned()
    }

    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the coordinator, or starts it again, and waits until it listens.
    #[must_use]
    pub fn coordinator(&self) -> Coordinator {
        self.coordinator_by(gridproof())
    }

    /// The same, by a command that starts the program its own way.
    #[must_use]
    pub fn coordinator_by(&self, command: Command) -> Coordinator {
        Coordinator::start(self.serving(command))
    }

    /// What makes a program the coordinator of this grid.
    #[must_use]
    pub fn serving(&self, mut command: Command) -> Command {
        command
            .arg("serve")
            .args(["--listen", &self.address()])
            .arg("--store")
            .arg(self.path("store"))
            .args(["--submit", self.game])
            .args(&self.extra)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    #[must_use]
    pub fn worker(&self, name: &str) -> Worker {
        self.worker_by(worker_program(), name, &self.keys_of(name))
    }

    /// The same, by a command that starts the program its own way, with these keys.
    #[must_use]
    pub fn worker_by(&self, mut command: Command, name: &str, keys: &[String]) -> Worker {
        command
            .args(["--coordinator", &self.url(), "--name", name, "--cores", "1"])
            .args(keys)
            .args([
                "--priority",
                "normal",
                "--memory",
                "none",
                "--max-backoff",
                "1s",
            ]);
        Worker::start(command, &self.path(&format!("{name}.log")))
    }

    /// An operator's command.
    #[must_use]
    pub fn order(&self, words: &[&str]) -> Output {
        let mut command = gridproof();
        command.args(words).args(["--coordinator", &self.url()]);
        run_to_end(command.args(self.keys_of(OPERATOR)))
    }

    /// What a worker has logged so far.
    #[must_use]
    pub fn log_of(&self, worker: &str) -> String {
        fs::read_to_string(self.path(&format!("{worker}.log"))).unwrap_or_default()
    }

    /// Fetches the proof and confirms it with the checker.
    #[must_use]
    pub fn fetch(&self) -> PathBuf {
        let path = self.text("fetched.gpf");
        let fetched = self.order(&["fetch", &path, "--search", "1"]);
        assert!(fetched.status.success());
        self.succeed(&["check", &path]);
        path.into()
    }

    /// A count that `gridproof status` prints before this word.
    #[must_use]
    pub fn count(&self, word: &str) -> u64 {
        let status = self.order(&["status", "1"]);
        let text = String::from_utf8_lossy(&status.stdout).into_owned();
        let words: Vec<_> = text
            .split([' ', ',', ';'])
            .filter(|w| !w.is_empty())
            .collect();
        let at = words.iter().position(|found| *found == word);
        let number = at.and_then(|at| words[at.checked_sub(1)?].parse().ok());
        number.unwrap_or_else(|| panic!("no number before {word} in {text}"))
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

/// Lines that a process has written so far.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, line: String) {
        println!("coordinator: {line}");
        self.0.lock().expect("nobody panics with it").push(line);
    }
}

/// A process that is killed when the test forgets it.
#[derive(Debug)]
pub struct Coordinator {
    child: Child,
    log: Log,
}

impl Coordinator {
    /// Runs a command that is a coordinator, and waits until it listens.
    #[must_use]
    pub fn start(mut command: Command) -> Self {
        command.stderr(Stdio::piped());
        let mut child = command.spawn().expect("the coordinator can be started");

        let stderr = child.stderr.take().expect("it is a pipe");
        let mut lines = BufReader::new(stderr).lines();
        let log = Log::default();
        let listens = lines.by_ref().map_while(Result::ok).any(|line| {
            let listens = line.contains("listening at");
            log.push(line);
            listens
        });
        assert!(listens, "the coordinator ended before it listened");
        // Somebody must read on, or the coordinator stops when the pipe is full.
        let rest = log.clone();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                rest.push(line);
            }
        });
        Self { child, log }
    }

    /// The lines of its log so far that hold these words.
    #[must_use]
    pub fn lines_with(&self, words: &str) -> Vec<String> {
        let lines = self.log.0.lock().expect("nobody panics with it");
        lines
            .iter()
            .filter(|line| line.contains(words))
            .cloned()
            .collect()
    }

    /// Waits until its log holds these words, and gives the first such line.
    #[must_use]
    pub fn wait_for_line(&self, words: &str) -> String {
        let started = Instant::now();
        loop {
            if let Some(line) = self.lines_with(words).into_iter().next() {
                return line;
            }
            assert!(started.elapsed() < PATIENCE, "never logged: {words}");
            thread::park_timeout(Duration::from_millis(20));
        }
    }
}

#[derive(Debug)]
pub struct Worker {
    child: Child,
}

impl Worker {
    /// Runs a command that is a worker, and writes what it says to a file.
    #[must_use]
    pub fn start(mut command: Command, log: &Path) -> Self {
        let log = File::create(log).expect("the folder is ours");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(log).spawn();
        let child = child.expect("the worker can be started");
        Self { child }
    }
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
