//! A coordinator and workers, each a process of its own.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use gridproof_proto::v1::operate_client::OperateClient;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tonic::Request;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::program::{
    free_port, gridproof, path_text, run_to_end, stdout, wait_until, worker_program,
};

/// A folder, a port, and what to search.
#[derive(Debug)]
pub struct Cluster {
    folder: TempDir,
    host: String,
    port: u16,
    game: &'static str,
    extra: Vec<String>,
    security: Security,
}

/// What the coordinator asks of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    Off,
    /// A token each, in plain text.
    Tokens,
    /// TLS, and a token each.
    On,
}

/// Budgets so small that many jobs are needed.
pub const SMALL: [&str; 4] = ["--verifier-budget", "100", "--engine-budget", "400"];

/// Black has stones enough to look for a win from the first job on, and it is hard to find.
pub const HARD: &str = "TX-K7 j11,k11 j8,i9";

/// A job of [`HARD`] that takes longer than whatever happens meanwhile.
pub const LONG_JOB: [&str; 2] = ["--engine-budget", "50000000"];

/// The operator of a cluster with locks.
const OPERATOR: &str = "operator";

impl Cluster {
    /// Everyone on this machine may connect.
    #[must_use]
    pub fn new(game: &'static str, extra: &[&str]) -> Self {
        Self::with_security(game, extra, Security::Off)
    }

    /// With a lab's own authority, and tokens for these workers and for an operator.
    #[must_use]
    pub fn secured(game: &'static str, extra: &[&str], workers: &[&str]) -> Self {
        Self::secured_at("127.0.0.1", game, extra, workers)
    }

    /// With tokens and without TLS, as on loopback.
    #[must_use]
    pub fn with_tokens(game: &'static str, extra: &[&str], workers: &[&str]) -> Self {
        let cluster = Self::with_security(game, extra, Security::Tokens);
        cluster.issue_tokens(workers);
        cluster
    }

    fn issue_tokens(&self, workers: &[&str]) {
        let tokens = ["token", "--tokens", &self.text("tokens.toml"), "new"];
        let out = ["--out", &self.text("tokens")];
        self.succeed(&[&tokens, workers, &out].concat());
        self.succeed(&[&tokens[..], &[OPERATOR, "--role", "operator"], &out].concat());
    }

    /// The same at another address of this machine.
    #[must_use]
    pub fn secured_at(host: &str, game: &'static str, extra: &[&str], workers: &[&str]) -> Self {
        let cluster = Self {
            host: host.to_owned(),
            ..Self::with_security(game, extra, Security::On)
        };
        let certs = cluster.text("certs");
        cluster.succeed(&["cert", "--certs", &certs, "ca"]);
        cluster.succeed(&["cert", "--certs", &certs, "server", host]);
        cluster.issue_tokens(workers);
        cluster
    }

    fn with_security(game: &'static str, extra: &[&str], security: Security) -> Self {
        Self {
            folder: tempfile::tempdir().expect("there is room for a folder"),
            host: "127.0.0.1".to_owned(),
            port: free_port(),
            game,
            extra: extra.iter().map(ToString::to_string).collect(),
            security,
        }
    }

    #[must_use]
    pub fn url(&self) -> String {
        let scheme = match self.security {
            Security::Off | Security::Tokens => "http",
            Security::On => "https",
        };
        format!("{scheme}://{}", self.address())
    }

    #[must_use]
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// What a worker or operator authenticates with.
    #[must_use]
    pub fn credentials_of(&self, name: &str) -> Vec<String> {
        match self.security {
            Security::Off => Vec::new(),
            Security::Tokens => self.token_file(name).into(),
            Security::On => {
                let authority = ["--ca".to_owned(), self.text("certs/ca.pem")];
                [authority, self.token_file(name)].concat()
            }
        }
    }

    fn token_file(&self, name: &str) -> [String; 2] {
        let file = self.text(&format!("tokens/{name}.token"));
        ["--token-file".to_owned(), file]
    }

    /// A connection that says nothing yet.
    pub async fn channel(&self) -> Channel {
        self.try_channel().await.expect("the coordinator is there")
    }

    /// The same where the coordinator may have reasons to hang up.
    pub async fn try_channel(&self) -> Result<Channel, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(self.url()).expect("an address is a URL");
        let mut endpoint = endpoint.tcp_nodelay(true);
        if self.security == Security::On {
            let authority = fs::read(self.path("certs/ca.pem")).expect("the folder is ours");
            let authority = Certificate::from_pem(authority);
            let tls = ClientTlsConfig::new().ca_certificate(authority);
            endpoint = endpoint.tls_config(tls).expect("the authority is ours");
        }
        endpoint.connect().await
    }

    /// A call with the token of a worker or operator, if there are tokens.
    #[must_use]
    pub fn request<T>(&self, name: &str, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if self.security != Security::Off {
            let [_, file] = self.token_file(name);
            let token = fs::read_to_string(file).expect("the token was issued");
            let value = format!("Bearer {}", token.trim());
            let value = value.parse().expect("a token is hex digits and dots");
            request.metadata_mut().insert("authorization", value);
        }
        request
    }

    fn succeed(&self, words: &[&str]) {
        assert!(run_to_end(gridproof().args(words)).status.success());
    }

    /// A path in the cluster's folder, as text.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        path_text(&self.path(name)).to_owned()
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

    /// What makes a program the coordinator of this cluster.
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
        self.worker_by(worker_program(), name, &self.credentials_of(name))
    }

    /// The same, by a command that starts the program its own way, with these credentials.
    #[must_use]
    pub fn worker_by(&self, mut command: Command, name: &str, credentials: &[String]) -> Worker {
        command
            .args(["--coordinator", &self.url(), "--name", name, "--cores", "1"])
            .args(credentials)
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
        run_to_end(command.args(self.credentials_of(OPERATOR)))
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
        let fetched = self.order(&["fetch", "1", "--out", &path, "--replace"]);
        assert!(fetched.status.success());
        self.succeed(&["check", &path]);
        path.into()
    }

    /// What `gridproof status --json` tells of the search.
    #[must_use]
    pub fn status(&self) -> serde_json::Value {
        let text = stdout(&self.order(&["status", "1", "--json"]));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    /// One of its totals, such as `jobs_done`.
    #[must_use]
    pub fn count(&self, name: &str) -> u64 {
        let status = self.status();
        let number = status["totals"][name].as_u64();
        number.unwrap_or_else(|| panic!("no {name} in {status}"))
    }

    /// Waits until the search is proved, asking now and then.
    pub fn wait_until_proved(&self) {
        wait_until("proved", || {
            stdout(&self.order(&["list"])).contains("proved")
        });
    }

    pub fn wait_for(&self, what: &str, mut has_happened: impl FnMut(&Self) -> bool) {
        wait_until(what, || has_happened(self));
    }

    /// An operator's client; where tokens are asked for, each call brings its own.
    pub async fn operator(&self) -> OperateClient<Channel> {
        OperateClient::new(self.channel().await)
    }

    /// An operator's call.
    #[must_use]
    pub fn operators<T>(&self, message: T) -> Request<T> {
        self.request(OPERATOR, message)
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
        let mut line = None;
        wait_until(words, || {
            line = self.lines_with(words).into_iter().next();
            line.is_some()
        });
        line.expect("it was waited for")
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
