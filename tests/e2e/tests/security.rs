//! With TLS and tokens: those with credentials work as ever, all others get nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use gridproof_tests::{
    Cluster, Coordinator, SMALL, Worker, gridproof, run_to_end, solve, stderr, stdout,
    worker_program,
};

const WORKERS: [&str; 4] = ["a", "b", "c", "d"];

fn start(cluster: &Cluster) -> (Coordinator, Vec<Worker>) {
    let coordinator = cluster.coordinator();
    let workers = WORKERS.map(|name| cluster.worker(name)).into();
    (coordinator, workers)
}

/// Solves a game by five processes over TLS, and by one alone; both proofs are checked.
fn solved_alike(game: &'static str, budgets: &[&str], at_least: u64) {
    let cluster = Cluster::secured(game, budgets, &WORKERS);
    let (coordinator, workers) = start(&cluster);
    cluster.wait_until_proved();
    let jobs = cluster.count("jobs_done");
    println!("{game}: {jobs} jobs by {} workers", workers.len());
    assert!(jobs >= at_least, "{jobs} jobs");
    let together = cluster.fetch();
    assert!(coordinator.lines_with("panicked").is_empty());
    drop((workers, coordinator));

    let alone = solve(game, &cluster.path("alone"), budgets);
    assert!(alone.status.success());
    let alone = cluster.path(&format!("alone/{game}-black.gpf"));
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
fn refused_once(coordinator: &Coordinator, reason: &str) {
    let _ = coordinator.wait_for_line(reason);
    assert_eq!(coordinator.lines_with(reason).len(), 1, "{reason}");
}

#[test]
fn whoever_has_no_credentials_is_refused_and_logged_once() {
    let cluster = Cluster::secured("connect623", &SMALL, &["a", "b"]);
    let other = Cluster::secured("connect623", &SMALL, &["a"]);
    let coordinator = cluster.coordinator();
    let credentials = |cluster: &Cluster, name| cluster.credentials_of(name);

    // No token, and another lab's token: refused for good, so the worker ends.
    let no_token = credentials(&cluster, "a")[..2].to_vec();
    let ca = &credentials(&cluster, "a")[..2];
    let foreign_token = [ca, &credentials(&other, "a")[2..]].concat();
    for _ in 0..3 {
        let mut nobody = cluster.worker_by(worker_program(), "nobody", &no_token);
        assert_eq!(nobody.wait().code(), Some(77));
        assert!(cluster.log_of("nobody").contains("not admitted"));
        let mut foreigner = cluster.worker_by(worker_program(), "foreigner", &foreign_token);
        assert_eq!(foreigner.wait().code(), Some(77));
    }
    refused_once(&coordinator, "reason=\"no token\"");
    refused_once(&coordinator, "reason=\"an unknown or revoked token\"");

    // Another worker's token is good for its own name only.
    let mut thief = cluster.worker_by(worker_program(), "thief", &credentials(&cluster, "a"));
    assert_eq!(thief.wait().code(), Some(77));
    assert!(
        cluster
            .log_of("thief")
            .contains("the name that it was made for")
    );

    // A worker's token gives no orders.
    let mut order = gridproof();
    order.args(["list", "--coordinator", &cluster.url()]);
    assert!(
        !run_to_end(order.args(credentials(&cluster, "a")))
            .status
            .success()
    );
    refused_once(&coordinator, "reason=\"a token for another role\"");

    // Another lab's authority: the worker does not believe this coordinator, and tries again.
    let wrong_ca = [
        &credentials(&other, "a")[..2],
        &credentials(&cluster, "a")[2..],
    ]
    .concat();
    let impostor = cluster.worker_by(worker_program(), "impostor", &wrong_ca);
    refused_once(&coordinator, "reason=\"does not believe our certificate\"");
    drop(impostor);

    // Plain text to the port of TLS: cut off with an alert at most.
    for _ in 0..3 {
        let mut stream = TcpStream::connect(cluster.address()).unwrap();
        stream
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        // The end may come as a reset: either way it is the end.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.len() < 16, "at most an alert: {answer:?}");
    }
    refused_once(&coordinator, "reason=\"does not speak TLS\"");

    // Those with credentials are served as ever, and no log holds a secret.
    let _worker = cluster.worker("b");
    cluster.wait_until_proved();
    for name in ["a", "b", "operator"] {
        let token = std::fs::read_to_string(cluster.path(&format!("tokens/{name}.token"))).unwrap();
        let secret = token.trim();
        assert!(coordinator.lines_with(secret).is_empty());
        let half = &secret[secret.len() / 2..];
        assert!(coordinator.lines_with(half).is_empty());
    }
    assert!(coordinator.lines_with("panicked").is_empty());
}

#[test]
fn a_revoked_token_ends_its_workers_stream() {
    let cluster = Cluster::secured("connect623", &SMALL, &["a"]);
    let coordinator = cluster.coordinator();
    let mut worker = cluster.worker("a");
    let _ = coordinator.wait_for_line("worker came");
    let tokens = cluster.text("tokens.toml");
    let revoked = run_to_end(gridproof().args(["token", "--tokens", &tokens, "revoke", "a"]));
    assert!(revoked.status.success());
    assert_eq!(worker.wait().code(), Some(77));
    let _ = coordinator.wait_for_line("its token was revoked");
}

#[test]
fn tokens_of_an_earlier_version_are_named_and_can_be_replaced() {
    let cluster = Cluster::secured("connect623", &[], &["a"]);
    let tokens = cluster.text("tokens.toml");
    let old = r#"
[[token]]
id = "00112233445566aa"
name = "pc-old"
role = "worker"
made = "2026-11-01T12:00:00Z"
hash = "$argon2id$v=19$m=4096,t=1,p=1$ZgP2cTmYzLkYfEKZkWfFJw$0q2vJ1yCkB5yRZ4Yxw7pCw8JtQ0v"
"#;
    let text = std::fs::read_to_string(&tokens).unwrap() + old;
    std::fs::write(&tokens, text).unwrap();
    let coordinator = cluster.coordinator();
    let words = coordinator.wait_for_line("an earlier version made the tokens of");
    assert!(words.contains("`gridproof token new pc-old`"), "{words}");

    let token = |words: &[&str]| {
        let output = run_to_end(gridproof().args(["token", "--tokens", &tokens]).args(words));
        assert!(output.status.success());
        stdout(&output)
    };
    assert!(token(&["list"]).contains("outdated: make a new one"));
    token(&["new", "pc-old"]);
    assert!(!token(&["list"]).contains("outdated"));
}

#[test]
fn an_operator_does_not_send_orders_to_another_machine_in_plain_text() {
    let cluster = Cluster::secured("connect623", &[], &["a"]);
    let token = &cluster.credentials_of("operator")[2..];
    let mut command = gridproof();
    command.args(["list", "--coordinator", "http://198.18.0.1:4100"]);
    let refused = run_to_end(command.args(token));
    assert!(!refused.status.success());
    let words = stderr(&refused);
    assert!(
        words.contains("no TLS") && words.contains("--ca"),
        "{words}"
    );
}

#[test]
fn off_loopback_nothing_starts_without_tls_and_tokens() {
    let cluster = Cluster::new("connect623", &[]);
    let mut command = gridproof();
    command.args(["serve", "--listen", "0.0.0.0:0", "--store"]);
    let refused = run_to_end(command.arg(cluster.path("store")));
    assert!(!refused.status.success());
    let words = stderr(&refused);
    assert!(
        words.contains("gridproof cert") && words.contains("--insecure"),
        "{words}"
    );
    assert!(!cluster.path("store").exists(), "nothing was begun");
}

#[test]
fn the_key_of_the_page_is_in_no_log_and_in_a_file_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let cluster = Cluster::new("connect623", &["--page=127.0.0.1:0"]);
    let coordinator = cluster.coordinator();
    let line = coordinator.wait_for_line("page at http://127.0.0.1:");
    let file = cluster.path("page.address");
    assert!(line.contains(file.to_str().unwrap()), "{line}");
    assert!(coordinator.lines_with("key=").is_empty());
    let address = std::fs::read_to_string(&file).unwrap();
    assert!(address.contains("/enter?key="), "{address}");
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
