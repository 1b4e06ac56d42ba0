//! What an operator types every day, as it is seen.

mod common;

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use assert_cmd::cargo::{cargo_bin, cargo_bin_cmd};
use tempfile::TempDir;

/// What a command said, and its exit code.
struct Said {
    out: String,
    error: String,
    code: i32,
}

fn run_with(folder: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Said {
    let mut command = cargo_bin_cmd!("gridproof");
    command.current_dir(folder).args(arguments);
    command.env("XDG_CONFIG_HOME", folder.join("config"));
    command.envs(environment.iter().copied());
    let output = command.output().expect("the program is built");
    Said {
        out: common::words(&output.stdout),
        error: common::words(&output.stderr),
        code: output.status.code().expect("it was not killed"),
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Said {
    run_with(folder, &[], arguments)
}

/// A coordinator that ends with the test.
struct Server {
    child: Child,
    url: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(cargo_bin("gridproof"));
        command
            .current_dir(folder)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program is built");
        let stderr = child.stderr.take().expect("it is a pipe");
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("listening at "));
        let line = line.expect("the coordinator listens");
        let address = line.rsplit(' ').next().expect("an address").to_owned();
        // Somebody must read on, or the coordinator stops when the pipe is full.
        let log = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&log);
        std::thread::spawn(move || lines.for_each(|line| heard.lock().unwrap().push(line)));
        Self {
            child,
            url: format!("http://{address}"),
            log,
        }
    }

    /// Ends it, and tells what it logged.
    fn log(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        // The reader holds the other one until the pipe is closed.
        while Arc::strong_count(&self.log) > 1 {
            std::thread::yield_now();
        }
        let lines = self.log.lock().unwrap().join("\n");
        common::words(lines.as_bytes())
    }

    fn order(&self, folder: &Path, arguments: &[&str]) -> Said {
        run_with(folder, &[("GRIDPROOF_COORDINATOR", &self.url)], arguments)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Gone already is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_operator_sees_names_and_sentences() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let solved = run(
        folder,
        &["solve", "connect623", "--store", "store", "--quiet"],
    );
    assert_eq!(solved.code, 0, "{}", solved.error);
    assert!(
        solved.out.starts_with("Black wins: proved.\n"),
        "{}",
        solved.out
    );
    let server = Server::start(folder, &["--store", "store", "--submit", "TX-H9"]);
    let order = |arguments: &[&str]| server.order(folder, arguments);

    let submitted = order(&["submit", "TX-H9", "--attacker", "white"]).out;
    assert!(
        submitted.starts_with("Search 3: TX-H9 for White, open, White to prove."),
        "{submitted}"
    );
    let list = order(&["list"]).out;
    let rows: Vec<_> = list.lines().map(str::trim).collect();
    assert!(rows[0].starts_with("no.  search"), "{list}");
    assert!(
        rows[1].contains("connect623") && rows[1].contains("proved: Black wins"),
        "{list}"
    );
    assert!(rows[2].contains("open, Black to prove"), "{list}");
    assert!(
        rows[3].contains("TX-H9 for White  open, White to prove"),
        "{list}"
    );
    let json: serde_json::Value = serde_json::from_str(&order(&["list", "--json"]).out).unwrap();
    assert_eq!(json[0]["state"], "proved");
    assert_eq!(json[2]["name"], "TX-H9 for White");

    let status = order(&["status", "tx-h9"]).out;
    assert!(
        status.starts_with("TX-H9: open, Black to prove\n"),
        "{status}"
    );
    assert!(
        status.contains("├─┼─") && status.contains("must still be settled"),
        "{status}"
    );
    let workers = order(&["workers"]).out;
    let rows: Vec<_> = workers.lines().map(str::trim).collect();
    assert!(rows[0].starts_with("worker  state    busy"), "{workers}");
    assert!(
        rows[1].contains("away"),
        "the one of solve has left: {workers}"
    );

    let hint = order(&["hint", "K11 L10", "--search", "TX-H9"]).out;
    assert!(hint.contains("will be tried at #"), "{hint}");
    let forget = order(&["forget", "K11 L10", "--search", "TX-H9"]).out;
    assert!(forget.starts_with("Forgotten: "), "{forget}");
    let list = order(&["list"]).out;
    assert!(list.contains("TX-H9"), "{list}");
    assert!(
        order(&["pause", "--search", "TX-H9"])
            .out
            .starts_with("Paused: no new jobs")
    );
    assert!(order(&["list"]).out.contains("paused, Black to prove"));
    let status = order(&["status", "TX-H9"]).out;
    assert!(status.contains("`gridproof resume"), "{status}");
    let again = order(&["pause", "--search", "TX-H9"]);
    assert!(again.error.contains("it is so already"), "{}", again.error);
    assert!(
        order(&["resume", "--search", "TX-H9"])
            .out
            .starts_with("Resumed: ")
    );
    let stopped = order(&["stop", "TX-H9 for White"]).out;
    assert!(
        stopped.starts_with("Stopped: TX-H9 for White."),
        "{stopped}"
    );
    assert!(order(&["list"]).out.contains("stopped, White not proved"));

    // The number in "tried at #N (…)".
    let node = hint
        .split(['#', ' '])
        .find(|word| word.parse::<u32>().is_ok());
    let node = node.expect("a node has a number");
    let shown = order(&["show", "--node", node]).out;
    assert!(shown.starts_with(&format!("Node #{node}, ")), "{shown}");
    assert!(
        shown.contains("├─┼─") && shown.contains("To prove: "),
        "{shown}"
    );
    assert!(
        shown.contains("K11 L10") || shown.contains("Moves"),
        "{shown}"
    );
    let missing = order(&["show", "--node", "4000000"]);
    assert_eq!(missing.code, 2);
    assert!(missing.error.contains("no such node"), "{}", missing.error);
    let orders = order(&["orders"]).out;
    assert!(orders.trim_start().starts_with("no.  time"), "{orders}");
    assert!(orders.contains("local  hint K11 L10 at #"), "{orders}");

    let unknown = order(&["status", "nonsense"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.error.contains("there is no search \"nonsense\""),
        "{}",
        unknown.error
    );
    let unsure = order(&["withdraw", "pc-1"]);
    assert_eq!(unsure.code, 2);
    assert!(unsure.error.contains("say --yes"), "{}", unsure.error);
    let nobody = order(&["withdraw", "pc-1", "--yes"]);
    assert!(
        nobody.error.contains("no worker named \"pc-1\""),
        "{}",
        nobody.error
    );
    let over = order(&["submit", "Connect(9,9,4,2,1): e5 a1,b9 e6,e7 c9,f1 e8"]);
    assert_eq!(over.code, 2);
    assert!(over.error.contains("Black has won"), "{}", over.error);
    let log = server.log();
    for words in [
        "local ordered: start search 2 (TX-H9 for Black)",
        "local ordered: hint K11 L10 at #",
        "local ordered: stop search 3 (TX-H9)",
    ] {
        assert!(log.contains(words), "{words} in\n{log}");
    }
}

#[test]
fn a_proof_is_fetched_by_name_and_overwrites_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    run(
        folder,
        &["solve", "connect623", "--store", "store", "--quiet"],
    );
    let server = Server::start(folder, &["--store", "store", "--submit", "TX-H9"]);
    let order = |arguments: &[&str]| server.order(folder, arguments);
    let fetched = order(&["fetch"]);
    assert_eq!(fetched.code, 0, "{}", fetched.error);
    assert!(
        fetched.out.starts_with("connect623: Black wins."),
        "{}",
        fetched.out
    );
    assert!(
        fetched.out.contains("Proof: connect623-black.gpf"),
        "{}",
        fetched.out
    );
    assert_eq!(run(folder, &["check", "connect623-black.gpf"]).code, 0);
    let again = order(&["fetch", "connect623"]);
    assert_eq!(again.code, 2);
    assert!(
        again.error.contains("connect623-black.gpf exists"),
        "{}",
        again.error
    );
    assert_eq!(order(&["fetch", "1", "--replace"]).code, 0);
    assert_eq!(order(&["fetch", "connect623", "--out", "a.gpf"]).code, 0);
    let open = order(&["fetch", "TX-H9"]);
    assert_eq!(open.code, 2);
    assert!(
        open.error.contains("TX-H9 is not proved: open"),
        "{}",
        open.error
    );
}

#[test]
fn who_cannot_be_reached_is_told_in_plain_words() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (url, code, words) in [
        ("http://127.0.0.1:1", 69, "nobody listens there"),
        (
            "https://127.0.0.1:1",
            2,
            "an address with https needs the lab's certificate",
        ),
        ("127.0.0.1:4100", 2, "is no coordinator's address"),
        ("http://198.51.100.1:4100", 2, "no TLS and no token"),
    ] {
        for command in ["list", "workers", "status", "watch", "top", "fetch", "stop"] {
            let said = run(folder, &[command, "--coordinator", url]);
            assert_eq!(said.code, code, "{command} {url}: {}", said.error);
            assert!(
                said.error.contains(words),
                "{command} {url}: {}",
                said.error
            );
        }
    }
    let plain = Server::start(folder, &["--store", "plain/store"]);
    for arguments in [&["cert", "ca"][..], &["cert", "server"]] {
        assert_eq!(run(folder, arguments).code, 0);
    }
    let ca = "gridproof-data/certs/ca.pem";
    let https = plain.url.replace("http", "https");
    let said = run(folder, &["list", "--coordinator", &https, "--ca", ca]);
    assert_eq!(said.code, 69);
    assert!(said.error.contains("does not speak TLS"), "{}", said.error);
    let locked = Server::start(folder, &["--store", "gridproof-data/store"]);
    let said = run(folder, &["list", "--coordinator", &locked.url]);
    assert_eq!(said.code, 69);
    assert!(
        said.error.contains("try an https address"),
        "{}",
        said.error
    );
    let https = locked.url.replace("http", "https");
    let said = run(folder, &["list", "--coordinator", &https, "--ca", ca]);
    assert_eq!(said.code, 0, "{}", said.error);
    assert!(said.out.contains("No searches yet"), "{}", said.out);
}

#[test]
fn settings_are_said_once_and_shown_with_their_sources() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    assert!(
        run(folder, &["config"])
            .out
            .contains("http://127.0.0.1:4100  default")
    );
    std::fs::create_dir_all(folder.join("config/gridproof")).unwrap();
    let file = "coordinator = \"https://grid.lab:4100\"\nca = \"ca.pem\"\n";
    std::fs::write(folder.join("config/gridproof/config.toml"), file).unwrap();
    let shown = run_with(
        folder,
        &[("GRIDPROOF_TOKEN_FILE", "ann.token")],
        &["config"],
    )
    .out;
    assert!(shown.contains("https://grid.lab:4100"), "{shown}");
    assert!(shown.contains("config/gridproof/ca.pem"), "{shown}");
    assert!(shown.contains("GRIDPROOF_TOKEN_FILE"), "{shown}");
}

#[test]
fn a_second_game_in_one_folder_overwrites_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (game, file) in [
        ("Connect(3,3,2,1,1):", "3-3-2-1-1-start-black.gpf"),
        ("Connect(4,4,2,1,1):", "4-4-2-1-1-start-black.gpf"),
    ] {
        let solved = run(folder, &["solve", game, "--store", "one"]);
        assert_eq!(solved.code, 0, "{}", solved.error);
        assert!(solved.out.contains(file), "{}", solved.out);
        assert!(solved.out.contains("From here\n"), "{}", solved.out);
        assert!(
            solved.out.contains(": Black wins\n"),
            "to the end: {}",
            solved.out
        );
    }
    for size in [3, 4] {
        let file = format!("one/{size}-{size}-2-1-1-start-black.gpf");
        let checked = run(folder, &["check", &file]).out;
        assert!(
            checked.contains(&format!("Connect({size},{size},2,1,1)")),
            "{checked}"
        );
    }
}

#[test]
fn what_was_left_open_takes_no_workers_from_what_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let begun = run(
        folder,
        &["solve", "TX-H9", "--store", "one", "--time", "1s"],
    );
    assert_eq!(begun.code, 3, "{}", begun.error);
    let other = run(folder, &["solve", "connect623", "--store", "one"]);
    assert_eq!(other.code, 0, "{}", other.error);
    assert!(
        other.error.contains("TX-H9 was open in this folder"),
        "{}",
        other.error
    );
    let again = run(
        folder,
        &["solve", "TX-H9", "--store", "one", "--time", "1s"],
    );
    assert_eq!(again.code, 3);
    assert!(again.out.contains("Open: does Black win?"), "{}", again.out);
}

#[test]
fn files_that_are_not_there_are_named() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for arguments in [
        &["explain", "no.gpf"][..],
        &["win", "--batch", "no.jsonl"],
        &["simulate", "compare", "--tree", "no.tape"],
        &["store", "--store", "s", "import", "no.export"],
    ] {
        let said = run(folder, arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.error);
        assert!(
            said.error.contains("cannot read no."),
            "{arguments:?}: {}",
            said.error
        );
        assert_eq!(said.error.matches("os error").count(), 1, "{}", said.error);
    }
}

#[test]
fn endings_without_a_proof_say_what_they_mean() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let over = run(
        folder,
        &["solve", "Connect(9,9,4,2,1): e5 a1,b9 e6,e7 c9,f1 e8"],
    );
    assert_eq!(over.code, 2);
    assert!(
        over.error.contains("the game is over: Black has won"),
        "{}",
        over.error
    );

    let late = run(
        folder,
        &["solve", "TX-H9", "--time", "1s", "--workers", "1"],
    );
    assert_eq!(late.code, 3);
    assert!(late.out.contains("must still be settled"), "{}", late.out);
    assert!(late.out.contains(" positions, "), "{}", late.out);
    assert!(
        late.error.contains("not solved within the time"),
        "{}",
        late.error
    );

    // White has a four and is to move: Black wins nothing here.
    let refuted = "Connect(9,9,4,2,1): e5 a1,a2 h9,i1";
    let refuted = run(folder, &["verify", refuted]);
    assert_eq!(refuted.code, 3);
    assert!(!refuted.out.contains("more --nodes"), "{}", refuted.out);
    let unknown = run(folder, &["win", "TX-H9", "--nodes", "1k", "--quiet"]);
    assert_eq!(unknown.code, 3);
    assert!(unknown.out.starts_with("Unknown: "), "{}", unknown.out);
    assert!(unknown.out.contains("more --nodes"), "{}", unknown.out);
}

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
    let worker = help(&["completions", "bash", "gridproof-worker"]);
    assert!(worker.contains("--max-backoff"), "{worker}");
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    for arguments in [
        &["show", "TX-H9"][..],
        &["--help"],
        &[
            "simulate",
            "compare",
            "--workers",
            "1,2",
            "--policies",
            "detour",
        ],
    ] {
        let mut command = Command::new(cargo_bin("gridproof"));
        command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        let _ = common::words(said.as_bytes());
    }
}
