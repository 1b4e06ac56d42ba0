//! What one hostile worker of four costs, strategy by strategy.

use gridproof_search::{Budgets, Options, Verdict};
use gridproof_simulate::{Grid, Report, Settings, Shape, Strategy, Synthetic, Tape};

/// Searches of real costs with some hundred jobs.
fn settings(tape: &Tape, seed: u64) -> Settings {
    Settings {
        workers: 4,
        seed,
        speed: tape.terms.speed,
        options: Options {
            budgets: Budgets {
                engine: tape.terms.engine,
                verifier: tape.terms.verifier,
                highest: tape.terms.highest,
                ..Budgets::default()
            },
            ..Options::default()
        },
        ..Settings::default()
    }
}

/// These cost more than twice the time: praise that comes late or by turns is found out late.
const COSTLY: [Strategy; 2] = [Strategy::SlowPraise, Strategy::Alternate];

#[test]
fn beside_a_hostile_worker_all_is_proved_and_most_strategies_at_most_double_the_time() {
    let tape = Tape::bundled();
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    let seeds = if is_long { 0..24 } else { 0..2 };
    let run = |seed, hostile| {
        let settings = Settings {
            hostile,
            ..settings(&tape, seed)
        };
        let mut world = Synthetic::new(seed, Shape::with_costs_of(&tape, 2));
        let report = Grid::new(&mut world, &settings).run();
        let report = report.unwrap_or_else(|error| panic!("{hostile:?}, seed {seed}: {error}"));
        assert_eq!(report.verdict, Verdict::Proved, "{hostile:?}, seed {seed}");
        report
    };
    let all = |hostile| seeds.clone().map(|seed| run(seed, hostile)).collect();
    let honest: Vec<Report> = all(None);
    let time = |reports: &[Report]| -> f64 { reports.iter().map(|r| r.time.as_secs_f64()).sum() };
    let answers = |reports: &[Report]| -> u64 { reports.iter().map(|r| r.stats.answers).sum() };
    println!(
        "{:<12} {:>9.0} s {:>6} jobs",
        "all honest",
        time(&honest),
        answers(&honest)
    );
    let mut too_slow = Vec::new();
    for strategy in Strategy::ALL {
        let hostile: Vec<Report> = all(Some(strategy));
        let mut times: Vec<f64> = hostile
            .iter()
            .zip(&honest)
            .map(|(hostile, honest)| hostile.time.as_secs_f64() / honest.time.as_secs_f64())
            .collect();
        times.sort_by(f64::total_cmp);
        let quarantined = hostile
            .iter()
            .filter(|report| report.quarantined > 0)
            .count();
        println!(
            "{strategy:<12} {:>9.0} s {:>6} jobs {:>6.2} times, median {:.2}, worst {:.2}, put aside in {quarantined} of {}",
            time(&hostile),
            answers(&hostile),
            time(&hostile) / time(&honest),
            times[times.len() / 2],
            times[times.len() - 1],
            hostile.len(),
        );
        if !COSTLY.contains(&strategy) && time(&hostile) > 2.0 * time(&honest) {
            too_slow.push(strategy);
        }
    }
    assert!(too_slow.is_empty(), "too slow with {too_slow:?}");
}
