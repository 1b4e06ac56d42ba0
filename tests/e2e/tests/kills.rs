//! Processes are killed at any moment, and nothing that was acknowledged is lost.
//!
//! Two runs each in CI; GRIDPROOF_LONG=1 makes it a hundred, for the night, and
//! GRIDPROOF_SEED=N runs one seed alone.

use std::env;
use std::time::Duration;

use gridproof_grid::store::{DiskStore, Durability, Record, Store as _};
use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_search::Fact;
use gridproof_tests::{
    Cluster, Coordinator, FakeWorker, SMALL, gridproof, random_outcome, run_to_end,
};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

fn seeds() -> Vec<u64> {
    if let Ok(seed) = env::var("GRIDPROOF_SEED") {
        return vec![seed.parse().expect("GRIDPROOF_SEED is a number")];
    }
    match env::var_os("GRIDPROOF_LONG") {
        Some(_) => (0..100).collect(),
        None => (0..2).collect(),
    }
}

/// The store is in order: every record is read, every certificate checked.
fn verify(cluster: &Cluster) {
    let store = cluster.text("store");
    let verified = run_to_end(gridproof().args(["store", "verify", "--store", &store]));
    assert!(verified.status.success());
}

#[test]
fn kills_at_random_moments_lose_nothing() {
    for seed in seeds() {
        println!("seed {seed}");
        killed_at_random(seed);
    }
}

fn killed_at_random(seed: u64) {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    let mut rng = SmallRng::seed_from_u64(seed);
    // Workers are back within a second.
    let cluster = Cluster::new("connect623", &[&SMALL[..], &["--homecoming", "1"]].concat());
    let mut coordinator = cluster.coordinator();
    let mut workers: Vec<_> = NAMES.map(|name| cluster.worker(name)).into();
    for _ in 0..4 {
        // What happens in that time depends on the machine, which is what makes it random.
        std::thread::park_timeout(Duration::from_millis(rng.random_range(0..1500)));
        match rng.random_range(0..4) {
            0 | 1 => {
                coordinator.kill();
                coordinator = cluster.coordinator();
            }
            which => {
                let which = which - 2;
                workers[which].kill();
                workers[which] = cluster.worker(NAMES[which]);
            }
        }
    }
    cluster.wait_until_proved();
    assert_eq!(
        cluster.count("jobs_running"),
        0,
        "seed {seed}: no job is left behind"
    );
    let _ = cluster.fetch();
    assert!(coordinator.lines_with("panicked").is_empty());
    coordinator.ask_to_leave();
    assert!(coordinator.wait().success());
    verify(&cluster);
}

/// What a worker was told is stored, told apart by how many nodes it says it spent.
#[derive(Default)]
struct Told {
    last: u64,
    accepted: Vec<u64>,
}

/// Answers jobs until the coordinator is gone.
async fn answer(cluster: &Cluster, rng: &mut SmallRng, told: &mut Told) {
    let mut fake = FakeWorker::with_slots(cluster, "fast", 4).await;
    let mut waiting = std::collections::BTreeMap::new();
    while let Ok(message) = fake.next().await {
        match message {
            Said::Push(push) => {
                told.last += 1;
                waiting.insert(push.lease, told.last);
                let outcome = Some(random_outcome(&push, rng));
                let (lease, spent) = (push.lease, told.last);
                let done = v1::Done {
                    lease,
                    spent,
                    outcome,
                };
                fake.send(Say::Done(done)).await;
            }
            Said::Abort(abort) => drop(waiting.remove(&abort.lease)),
            Said::Accepted(accepted) => told.accepted.extend(waiting.remove(&accepted.lease)),
            _ => {}
        }
    }
}

#[test]
fn what_was_accepted_is_stored_whenever_the_coordinator_is_killed() {
    for seed in seeds() {
        println!("seed {seed}");
        accepted_is_stored(seed);
    }
}

fn accepted_is_stored(seed: u64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let cluster = Cluster::new("TX-H9", &["--homecoming", "0"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut told = Told::default();
    for _ in 0..3 {
        let coordinator = cluster.coordinator();
        let time = Duration::from_millis(rng.random_range(50..800));
        let killer = std::thread::spawn(move || kill_after(coordinator, time));
        runtime.block_on(answer(&cluster, &mut rng, &mut told));
        killer.join().unwrap();
    }
    let store = DiskStore::open_existing(&cluster.path("store"), Durability::Crash).unwrap();
    let stored: std::collections::BTreeSet<u64> = store
        .records()
        .filter_map(|record| match record.unwrap() {
            Record::Fact(Fact::Answered { spent, .. }) => Some(spent),
            _ => None,
        })
        .collect();
    println!("{} accepted, {} stored", told.accepted.len(), stored.len());
    let lost: Vec<_> = told
        .accepted
        .iter()
        .filter(|spent| !stored.contains(spent))
        .collect();
    assert!(lost.is_empty(), "seed {seed}: accepted and lost: {lost:?}");
    assert!(
        !told.accepted.is_empty(),
        "seed {seed}: something was answered"
    );
}

fn kill_after(mut coordinator: Coordinator, time: Duration) {
    std::thread::park_timeout(time);
    coordinator.kill();
}
