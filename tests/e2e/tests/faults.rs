//! What may break, breaks.

use std::env;
use std::fs;

use gridproof_tests::{Grid, solve};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const SMALL: [&str; 4] = ["--verifier-budget", "400", "--engine-budget", "4000"];

fn runs() -> u64 {
    match env::var_os("GRIDPROOF_LONG") {
        Some(_) => 100,
        None => 2,
    }
}

#[test]
fn kills_at_random_moments_lose_nothing() {
    for seed in 0..runs() {
        println!("seed {seed}");
        killed_at_random(seed);
    }
}

fn killed_at_random(seed: u64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let grid = Grid::new("connect623", &SMALL);
    let mut coordinator = grid.coordinator();
    let mut workers: Vec<_> = ["a", "b", "c"].map(|name| grid.worker(name)).into();
    for _ in 0..4 {
        // How long that is depends on the machine, and that is what makes it random.
        for _ in 0..rng.random_range(0..4) {
            let _ = grid.order(&["status"]);
        }
        match rng.random_range(0..4) {
            0 | 1 => {
                coordinator.kill();
                coordinator = grid.coordinator();
            }
            which => {
                let worker = &mut workers[which - 2];
                worker.kill();
                *worker = grid.worker(["a", "b"][which - 2]);
            }
        }
    }
    grid.wait_until_proved();
    let _ = grid.fetch();
    coordinator.ask_to_leave();
    assert!(coordinator.wait().success());
    let store = grid.path("store");
    let store = store.to_str().unwrap();
    let verified = gridproof_tests::run_to_end(
        gridproof_tests::gridproof().args(["store", "verify", "--store", store]),
    );
    assert!(verified.status.success(), "seed {seed}");
}

#[test]
fn a_frozen_worker_holds_nobody_up() {
    let grid = Grid::new("connect623", &SMALL);
    let _coordinator = grid.coordinator();
    let frozen = grid.worker("frozen");
    grid.wait_for("the worker comes", |grid| {
        let list = grid.order(&["workers"]);
        String::from_utf8_lossy(&list.stdout).contains("here")
    });
    frozen.freeze();
    let _other = grid.worker("other");
    grid.wait_until_proved();
    frozen.thaw();
}

#[test]
fn a_worker_that_is_asked_to_leave_says_goodbye() {
    let grid = Grid::new("connect623", &SMALL);
    let _coordinator = grid.coordinator();
    let mut worker = grid.worker("polite");
    grid.wait_until_proved();
    worker.ask_to_leave();
    assert!(worker.wait().success());
}

#[test]
fn a_store_from_a_newer_version_is_refused_with_words() {
    let grid = Grid::new("connect623", &[]);
    let folder = grid.path("newer");
    fs::create_dir(&folder).unwrap();
    fs::write(
        folder.join("gridproof-store"),
        "gridproof store, version 99\n",
    )
    .unwrap();
    let output = solve("connect623", &folder, &[]);
    assert!(!output.status.success());
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("version 99"), "{words}");
}

#[test]
fn a_folder_with_other_things_in_it_is_left_alone() {
    let grid = Grid::new("connect623", &[]);
    let folder = grid.path("other");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("thesis.tex"), "years of work").unwrap();
    let output = solve("connect623", &folder, &[]);
    assert!(!output.status.success());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}
