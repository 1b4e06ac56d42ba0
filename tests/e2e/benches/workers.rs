//! How much faster two workers are than one, coordinator included, on a fixed search: so many
//! jobs of TX-H9, each of them the same work on any machine.
//!
//! `cargo bench -p gridproof-tests --bench workers`. It takes a quiet machine with two cores:
//! processor times are told too, to judge a run on one that is not.

use std::time::{Duration, Instant};

use gridproof_proto::v1;
use gridproof_tests::{Cluster, Usage, Worker};

const GAME: &str = "TX-H9";
const JOBS: u64 = 40;
const NAMES: [&str; 2] = ["a", "b"];
const ROUNDS: usize = 3;

/// What one run took.
struct Run {
    wall: f64,
    /// Of coordinator and workers.
    cpu: f64,
}

async fn all_jobs_are_done(cluster: &Cluster) {
    let mut operator = cluster.operator().await;
    loop {
        let status = operator.get_status(v1::StatusRequest { search: 1 }).await;
        let totals = status.unwrap().into_inner().totals.unwrap();
        if totals.jobs_done >= JOBS {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn run(workers: usize) -> Run {
    let cluster = Cluster::new(GAME, &[]);
    let coordinator = cluster.coordinator();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let started = Instant::now();
    let workers: Vec<Worker> = NAMES[..workers]
        .iter()
        .map(|name| cluster.worker(name))
        .collect();
    runtime.block_on(all_jobs_are_done(&cluster));
    let wall = started.elapsed().as_secs_f64();
    let times = workers.iter().map(|worker| Usage::of(worker.id()).cpu);
    let times: Vec<f64> = times.collect();
    let own = Usage::of(coordinator.id()).cpu;
    println!(
        "{} workers: {wall:.2} s; processor time: coordinator {own:.2} s, workers {times:.2?} s",
        times.len(),
    );
    let cpu = own + times.iter().sum::<f64>();
    Run { wall, cpu }
}

fn main() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load before: {}", load.trim());
    let rounds = (0..ROUNDS).map(|_| (run(2), run(1)));
    let (mut walls, mut costs): (Vec<f64>, Vec<f64>) = rounds
        .map(|(two, one)| (two.wall / one.wall, two.cpu / one.cpu))
        .unzip();
    walls.sort_by(f64::total_cmp);
    costs.sort_by(f64::total_cmp);
    println!(
        "two take {:.0}% of the time of one, and {:.0}% of its processor time (medians of {ROUNDS})",
        100.0 * walls[ROUNDS / 2],
        100.0 * costs[ROUNDS / 2],
    );
}
