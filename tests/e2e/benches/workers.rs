//! How much faster two workers are than one, coordinator included, on a fixed search.
//!
//! `cargo bench -p gridproof-tests --bench workers`. It takes a quiet machine with two cores:
//! processor times are told too, to judge a run on one that is not.

use std::time::Instant;

use gridproof_tests::{Grid, Usage, Worker};

/// Jobs of about a tenth of a second.
const OPTIONS: [&str; 4] = ["--verifier-budget", "400", "--engine-budget", "4000"];
const GAME: &str = "connect623";
const NAMES: [&str; 2] = ["a", "b"];

/// Seconds from the first worker's start to the proof.
fn solved_by(workers: usize) -> f64 {
    let grid = Grid::new(GAME, &OPTIONS);
    let coordinator = grid.coordinator();
    let started = Instant::now();
    let workers: Vec<Worker> = NAMES[..workers]
        .iter()
        .map(|name| grid.worker(name))
        .collect();
    let _ = coordinator.wait_for_line("is proved");
    let wall = started.elapsed().as_secs_f64();
    let times: Vec<_> = workers
        .iter()
        .map(|worker| format!("{:.2}", Usage::of(worker.id()).cpu))
        .collect();
    println!(
        "{} workers: {wall:.2} s; processor time: coordinator {:.2} s, workers {} s; {} jobs",
        times.len(),
        Usage::of(coordinator.id()).cpu,
        times.join(" + "),
        grid.count("done"),
    );
    wall
}

fn main() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load before: {}", load.trim());
    let mut shares: Vec<f64> = (0..5).map(|_| solved_by(2) / solved_by(1)).collect();
    shares.sort_by(f64::total_cmp);
    println!(
        "two take {:.0}% of the time of one (median of {}; {:.0}% to {:.0}%)",
        100.0 * shares[shares.len() / 2],
        shares.len(),
        100.0 * shares[0],
        100.0 * shares[shares.len() - 1],
    );
}
