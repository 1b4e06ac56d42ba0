//! What one hostile worker of four costs, strategy by strategy. GRIDPROOF_LONG=1 looks at all
//! searches that `gridproof simulate hostile` does.

use gridproof_simulate::{
    Grid, HostileCosts, Settings, Shape, Strategy, Synthetic, Tape, Watch, Weather, run_seed,
};

#[test]
fn beside_a_hostile_worker_nobody_else_is_put_aside_and_time_at_most_doubles_over_all() {
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    let (searches, runs) = if is_long { (12, 8) } else { (3, 1) };
    let costs = HostileCosts::new(searches, runs).unwrap();
    for strategy in Strategy::ALL {
        let cost = costs.of(strategy).unwrap();
        println!(
            "{strategy:<12} median {:.2} total {:.2} worst {:.2}, put aside in {} of {}",
            cost.median(),
            cost.total,
            cost.worst(),
            cost.put_aside.0,
            cost.put_aside.1
        );
        assert_eq!(cost.wronged, 0, "{strategy}");
        // Of few searches luck says more than anybody's harm.
        assert!(!is_long || cost.total < 2.0, "{strategy}: {}", cost.total);
    }
}

/// Jobs that are done again must know what they knew the first time, or verifiers come to other
/// answers.
#[test]
fn of_honest_workers_nobody_is_ever_put_aside() {
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    let count = if is_long { 20_000 } else { 2_000 };
    let tape = Tape::bundled();
    let wronged = (0..count).filter(|&seed| {
        let settings = Settings {
            workers: 4,
            seed,
            speed_spread: 0.2,
            ..Settings::default()
        };
        let mut world = Synthetic::new(seed, Shape::with_costs_of(&tape, 2));
        let report = Grid::new(&mut world, &settings).run();
        report
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"))
            .quarantined
            > 0
    });
    assert_eq!(wronged.count(), 0, "of {count} searches");
}

#[test]
fn of_honest_workers_that_come_and_go_and_crash_nobody_is_ever_put_aside() {
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    for seed in 0..if is_long { 20_000 } else { 1_000 } {
        let report = run_seed(seed, Weather::Rough, Watch::NowAndThen);
        let report = report.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(report.quarantined, 0, "seed {seed}");
    }
}
