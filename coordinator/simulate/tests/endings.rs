//! Every search comes to an end, and nobody waits for somebody who never was there.

use gridproof_game::Colour;
use gridproof_search::{Level, Verdict};
use gridproof_simulate::{Grid, Settings, Toy};

#[test]
fn a_search_ends_with_the_true_verdict_and_a_lone_worker_never_waits() {
    for seed in 0..150 {
        for attacker in Colour::BOTH {
            for workers in [1, 3] {
                let mut toy = Toy::attacked_by(seed, attacker);
                let truth = if toy.value() {
                    Verdict::Proved
                } else {
                    Verdict::Failed
                };
                let mut settings = Settings {
                    workers,
                    seed,
                    speed: 1_000,
                    ..Settings::default()
                };
                settings.options.budgets.highest = Level(2);
                if workers == 1 {
                    // As `solve` has it: the only worker is our own.
                    settings.options.opinions = 1;
                }
                let words = format!("seed {seed}, {attacker} attacks, {workers} workers");
                let report = Grid::new(&mut toy, &settings).run();
                let report = report.unwrap_or_else(|error| panic!("{words}: {error}"));
                assert_eq!(report.verdict, truth, "{words}");
                let waits = workers == 1 && report.utilisation < 0.9;
                assert!(!waits, "{words}: busy for {}", report.utilisation);
            }
        }
    }
}
