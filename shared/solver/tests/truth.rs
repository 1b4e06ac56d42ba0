//! Never a false win: everything the solver and the verifier claim, against the oracle.
//!
//! `GRIDPROOF_POSITIONS` sets how many positions each variant gets (the night run uses
//! thousands) and `GRIDPROOF_SEED` the seed, which a failure prints.

mod support;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::{Case, VARIANTS};

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().expect("a number"))
}

#[test]
fn no_claim_is_false_and_no_zone_excuses_too_much() {
    let count = number("GRIDPROOF_POSITIONS").unwrap_or(200);
    let seed = number("GRIDPROOF_SEED")
        .unwrap_or_else(|| StdRng::from_os_rng().random_range(0..1_000_000));
    println!(
        "seed {seed}, {count} positions for each of {} variants",
        VARIANTS.len()
    );
    let mut wins = 0;
    for variant in VARIANTS {
        let mut case = Case::new(variant, seed);
        for _ in 0..count {
            wins += case
                .try_one()
                .unwrap_or_else(|lie| panic!("seed {seed}: {lie}"));
        }
    }
    println!("{wins} wins claimed, all true");
    assert!(wins > 100, "too few wins to mean anything");
}
