//! Random histories of random games: at every step the invariants hold and a replay of the
//! facts comes to the same state, and in the end the verdict is the game's true value.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use gridproof_simulate::{Watch, Weather, run_seed};

/// Seeds that failed once: they are run for ever.
const FAILED_ONCE: &str = include_str!("data/failed_seeds.txt");

fn failed_once() -> BTreeSet<u64> {
    let lines = FAILED_ONCE.lines().filter(|line| !line.starts_with('#'));
    let numbers = lines.flat_map(str::split_whitespace);
    numbers.map(|seed| seed.parse().unwrap()).collect()
}

/// Where this run's seeds begin: elsewhere each time, unless GRIDPROOF_SEED says where.
fn first_seed() -> u64 {
    let first = match std::env::var("GRIDPROOF_SEED") {
        Ok(text) => text.parse().expect("GRIDPROOF_SEED is a number"),
        Err(_) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            now.as_nanos() as u64 % 1_000_000_000
        }
    };
    println!("seeds from {first}: set GRIDPROOF_SEED={first} to run them again");
    first
}

fn run_all(seeds: impl Iterator<Item = u64>, weather: Weather, watch: Watch) {
    let failed: Vec<String> = seeds
        .filter_map(|seed| {
            let error = run_seed(seed, weather, watch).err()?;
            Some(format!("seed {seed}: {error}"))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "add these to tests/data/failed_seeds.txt, and see each with \
         `gridproof simulate faults --every-step --count 1 --seed SEED` \
         (--fair where nothing went wrong):\n{}",
        failed.join("\n")
    );
}

#[test]
fn every_step_of_a_history_in_fair_weather_keeps_all_that_must_hold() {
    let first = first_seed();
    run_all(first..first + 150, Weather::Fair, Watch::EveryStep);
}

#[test]
fn every_step_of_a_history_in_foul_weather_keeps_all_that_must_hold() {
    let first = first_seed();
    run_all(first..first + 30, Weather::Foul, Watch::EveryStep);
}

#[test]
fn searches_in_foul_weather_come_to_the_right_verdict() {
    let first = first_seed();
    run_all(first..first + 250, Weather::Foul, Watch::NowAndThen);
}

#[test]
fn what_failed_once_does_not_fail_again() {
    run_all(failed_once().into_iter(), Weather::Foul, Watch::EveryStep);
}

#[test]
fn the_same_seed_tells_the_same_story() {
    for seed in 0..40 {
        let [one, other] =
            [(); 2].map(|()| run_seed(seed, Weather::Foul, Watch::NowAndThen).unwrap());
        assert_eq!(one.time, other.time);
        assert_eq!(one.events, other.events);
        assert_eq!(one.stats, other.stats);
        assert_eq!(one.nodes, other.nodes);
    }
}
