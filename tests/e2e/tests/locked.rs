//! Behind TLS and tokens: those with keys work as ever, all others get nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use gridproof_tests::{
    Coordinator, Grid, SMALL, Worker, gridproof, run_to_end, solve, worker_program,
};

const WORKERS: [&str; 4] = ["a", "b", "c", "d"];

fn start(grid: &Grid) -> (Coordinator, Vec<Worker>) {
    let coordinator = grid.coordinator();
    let workers = WORKERS.map(|name| grid.worker(name)).into();
    (coordinator, workers)
}

/// Solves a game by five processes behind locks, and by one alone; both proofs are checked.
fn solved_alike(game: &'static str, budgets: &[&str], at_least: u64) {
    let grid = Grid::locked(game, budgets, &WORKERS);
    let (coordinator, workers) = start(&grid);
    grid.wait_until_proved();
    let jobs = grid.count("done");
    println!("{game}: {jobs} jobs by {} workers", workers.len());
    assert!(jobs >= at_least, "{jobs} jobs");
    let together = grid.fetch();
    assert!(coordinator.lines_with("panicked").is_empty());
    drop((workers, coordinator));

    let alone = solve(game, &grid.path("alone"), budgets);
    assert!(alone.status.success());
    let alone = grid.path("alone/proof.gpf");
    for proof in [together, alone] {
        let checked = run_to_end(gridproof().arg("check").arg(proof));
        assert!(checked.status.success());
    }
}

#[test]
fn connect623_is_solved_over_tls_and_alone() {
    solved_alike("connect623", &SMALL, 1);
}

#[test]
fn an_opening_of_many_jobs_is_solved_over_tls_and_alone() {
    let budgets = ["--verifier-budget", "400", "--engine-budget", "4000"];
    solved_alike("G7-M13", &budgets, 30);
}

/// Refusals are logged once a kind, however often they come, and the secret is in no log.
fn refused_once(coordinator: &Coordinator, why: &str) {
    let _ = coordinator.wait_for_line(why);
    assert_eq!(coordinator.lines_with(why).len(), 1, "{why}");
}

#[test]
fn whoever_has_no_key_is_refused_and_logged_once() {
    let grid = Grid::locked("connect623", &SMALL, &["a", "b"]);
    let other = Grid::locked("connect623", &SMALL, &["a"]);
    let coordinator = grid.coordinator();
    let keys = |grid: &Grid, name| grid.keys_of(name);

    // No token, and another lab's token: refused for good, so the worker ends.
    let no_token = keys(&grid, "a")[..2].to_vec();
    let ca = &keys(&grid, "a")[..2];
    let foreign_token = [ca, &keys(&other, "a")[2..]].concat();
    for _ in 0..3 {
        let mut stranger = grid.worker_by(worker_program(), "stranger", &no_token);
        assert_eq!(stranger.wait().code(), Some(77));
        assert!(grid.log_of("stranger").contains("not admitted"));
        let mut foreigner = grid.worker_by(worker_program(), "foreigner", &foreign_token);
        assert_eq!(foreigner.wait().code(), Some(77));
    }
    refused_once(&coordinator, "why=\"no token\"");
    refused_once(&coordinator, "why=\"an unknown or revoked token\"");

    // Another worker's token is good for its own name only.
    let mut thief = grid.worker_by(worker_program(), "thief", &keys(&grid, "a"));
    assert_eq!(thief.wait().code(), Some(77));
    assert!(
        grid.log_of("thief")
            .contains("the name that it was made for")
    );

    // A worker's token gives no orders.
    let mut order = gridproof();
    order.args(["list", "--coordinator", &grid.url()]);
    assert!(!run_to_end(order.args(keys(&grid, "a"))).status.success());
    refused_once(&coordinator, "why=\"a token for another role\"");

    // Another lab's authority: the worker does not believe this coordinator, and tries again.
    let wrong_ca = [&keys(&other, "a")[..2], &keys(&grid, "a")[2..]].concat();
    let impostor = grid.worker_by(worker_program(), "impostor", &wrong_ca);
    refused_once(&coordinator, "why=\"does not believe our certificate\"");
    drop(impostor);

    // Plain text to the port of TLS: cut off with an alert at most.
    for _ in 0..3 {
        let mut stream = TcpStream::connect(grid.address()).unwrap();
        stream
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        // The end may come as a reset: either way it is the end.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.len() < 16, "at most an alert: {answer:?}");
    }
    refused_once(&coordinator, "why=\"does not speak TLS\"");

    // Those with keys are served as ever, and no log holds a secret.
    let _worker = grid.worker("b");
    grid.wait_until_proved();
    for name in ["a", "b", "operator"] {
        let token = std::fs::read_to_string(grid.path(&format!("tokens/{name}.token"))).unwrap();
        let secret = token.trim();
        assert!(coordinator.lines_with(secret).is_empty());
        let half = &secret[secret.len() / 2..];
        assert!(coordinator.lines_with(half).is_empty());
    }
    assert!(coordinator.lines_with("panicked").is_empty());
}

#[test]
fn a_revoked_token_ends_its_workers_stream() {
    let grid = Grid::locked("connect623", &SMALL, &["a"]);
    let coordinator = grid.coordinator();
    let mut worker = grid.worker("a");
    let _ = coordinator.wait_for_line("worker came");
    let tokens = grid.text("tokens.toml");
    let revoked = run_to_end(gridproof().args(["token", "--tokens", &tokens, "revoke", "a"]));
    assert!(revoked.status.success());
    assert_eq!(worker.wait().code(), Some(77));
    let _ = coordinator.wait_for_line("its token was revoked");
}

#[test]
fn an_operator_does_not_send_orders_to_another_machine_in_plain_text() {
    let grid = Grid::locked("connect623", &[], &["a"]);
    let token = &grid.keys_of("operator")[2..];
    let mut command = gridproof();
    command.args(["list", "--coordinator", "http://198.18.0.1:4100"]);
    let refused = run_to_end(command.args(token));
    assert!(!refused.status.success());
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        words.contains("no TLS") && words.contains("--ca"),
        "{words}"
    );
}

#[test]
fn off_loopback_nothing_starts_without_locks() {
    let grid = Grid::new("connect623", &[]);
    let mut command = gridproof();
    command.args(["serve", "--listen", "0.0.0.0:0", "--store"]);
    let refused = run_to_end(command.arg(grid.path("store")));
    assert!(!refused.status.success());
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        words.contains("gridproof cert") && words.contains("--insecure"),
        "{words}"
    );
    assert!(!grid.path("store").exists(), "nothing was begun");
}
