//! `--memory`: the worker starts within its limit, and the limit holds.

use std::hint::black_box;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use gridproof_worker::memory::MemoryLimit;

/// As in the program: its reservations are what the limit must get along with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MIB: usize = 1 << 20;

/// A few sizes; with GRIDPROOF_LONG=1 all from 128 MiB to 4 GiB, 64 MiB apart.
fn sizes() -> Vec<String> {
    match std::env::var_os("GRIDPROOF_LONG") {
        Some(_) => (2..=64).map(|step| format!("{}MiB", 64 * step)).collect(),
        None => ["128MiB", "256MiB", "512MiB", "1GiB", "2GiB", "4GiB"]
            .map(str::to_owned)
            .into(),
    }
}

/// Set in a process of this test that limits itself.
const LIMIT: &str = "GRIDPROOF_TEST_LIMIT";

#[test]
fn a_worker_starts_within_its_limit() {
    for size in &sizes() {
        let mut worker = Command::new(env!("CARGO_BIN_EXE_gridproof-worker"))
            // Nobody listens there: that it says so shows that all its threads have started.
            .args(["--coordinator", "http://127.0.0.1:1", "--cores", "4"])
            .args(["--memory", size])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(worker.stderr.take().unwrap()).lines();
        let started = log.find(|line| line.as_ref().unwrap().contains("no connection"));
        assert!(started.is_some(), "--memory {size}");
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", worker.id())).unwrap();
        let data = limits
            .lines()
            .find(|line| line.starts_with("Max data size"));
        let bytes: u64 = data
            .unwrap()
            .split_whitespace()
            .nth(3)
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(bytes.to_string(), bytes_of(size).to_string());
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
}

fn bytes_of(size: &str) -> usize {
    let limit: MemoryLimit = size.parse().unwrap();
    usize::try_from(limit.of(0).unwrap()).unwrap()
}

#[test]
fn a_process_gets_what_its_limit_allows_and_no_more() {
    if let Ok(size) = std::env::var(LIMIT) {
        return fill_to(&size);
    }
    for size in &sizes() {
        let own_name = "a_process_gets_what_its_limit_allows_and_no_more";
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", own_name, "--nocapture"]);
        let output = child.env(LIMIT, size).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{size}: {said}");
        assert!(said.contains("refused after"), "{size}: {said}");
    }
}

/// Takes memory in pieces until there is no more. It is not written to, so that this machine
/// need not have as much.
fn fill_to(size: &str) {
    let limit: MemoryLimit = size.parse().unwrap();
    limit.prepare().unwrap();
    limit.enforce(0).unwrap();
    let piece = 8 * MIB;
    let mut pieces: Vec<Vec<u8>> = Vec::with_capacity(1024);
    loop {
        let mut more = Vec::new();
        if more.try_reserve_exact(piece).is_err() {
            break;
        }
        pieces.push(black_box(more));
        assert!(pieces.len() * piece <= bytes_of(size), "more than {size}");
    }
    let taken = pieces.len() * piece;
    drop(pieces);
    println!("refused after {} MiB of {size}", taken / MIB);
    // Stacks and the program's own data take some.
    assert!(
        taken >= bytes_of(size) - 64 * MIB,
        "{taken} bytes of {size}"
    );
}
