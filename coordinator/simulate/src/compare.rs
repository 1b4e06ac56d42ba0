//! Policies and numbers of workers side by side.

use std::fmt::Write as _;
use std::time::Duration;

use super::grid::{Report, SimulationError};
use super::policy::Policy;
use super::recorded::Guesses;
use super::settings::Settings;
use gridproof_search::Verdict;

/// One simulation among others of the same search.
#[derive(Clone, Debug)]
pub struct Trial {
    pub policy: Policy,
    pub report: Report,
    /// How many times as fast as one worker with the same policy. Nothing if either found no
    /// proof, as happens where a tape must guess: to fail sooner is no speed-up.
    pub speed_up: Option<f64>,
}

impl Trial {
    #[must_use]
    pub fn efficiency(&self) -> Option<f64> {
        let speed_up = self.speed_up?;
        Some(speed_up / self.report.workers as f64)
    }
}

/// Simulates a search with every policy on every number of workers, and on one. `run` does one
/// simulation.
pub fn compare(
    settings: &Settings,
    policies: &[Policy],
    workers: &[usize],
    mut run: impl FnMut(&Settings) -> Result<Report, SimulationError>,
    mut done: impl FnMut(&Trial),
) -> Result<Vec<Trial>, SimulationError> {
    let mut trials = Vec::new();
    for &policy in policies {
        let mut settings = settings.clone();
        settings.policy = policy;
        settings.workers = 1;
        let alone = run(&settings)?;
        for &count in workers {
            settings.workers = count;
            let report = if count == 1 {
                alone.clone()
            } else {
                run(&settings)?
            };
            let proved = [&alone, &report].map(|report| report.verdict == Verdict::Proved);
            let speed_up = (proved == [true; 2])
                .then(|| alone.time.as_secs_f64() / report.time.as_secs_f64().max(0.001));
            let trial = Trial {
                policy,
                report,
                speed_up,
            };
            done(&trial);
            trials.push(trial);
        }
    }
    Ok(trials)
}

/// The heading of [`row`]s.
#[must_use]
pub fn heading() -> String {
    let mut line = format!(
        "{:<18} {:>7} {:>10} {:>8} {:>6} {:>6} {:>8} {:>7} {:>6}",
        "policy", "workers", "time", "speed-up", "eff.", "busy", "jobs", "guessed", "waste"
    );
    let _ = write!(line, "  waste by reason");
    line
}

/// A trial as a line of a table.
#[must_use]
pub fn row(trial: &Trial) -> String {
    let Report {
        workers,
        time,
        stats,
        utilisation,
        verdict,
        guesses: Guesses { jobs, settlements },
        ..
    } = &trial.report;
    let wasted: Duration = stats.wasted.values().map(|wasted| wasted.time).sum();
    let all = (stats.useful + wasted).as_secs_f64().max(f64::MIN_POSITIVE);
    let percent = |time: Duration| 100.0 * time.as_secs_f64() / all;
    let mut line = format!(
        "{:<18} {workers:>7} {:>10} {:>8} {:>6} {:>5.0}% {:>8} {:>7} {:>5.1}%",
        trial.policy,
        short(*time),
        or_dash(trial.speed_up, |times| format!("{times:.2}")),
        or_dash(trial.efficiency(), |part| format!("{:.0}%", 100.0 * part)),
        100.0 * utilisation,
        stats.answers,
        jobs + settlements,
        percent(wasted),
    );
    line.push_str("  ");
    if *verdict != Verdict::Proved {
        let why = match verdict {
            Verdict::Failed if jobs + settlements > 0 => {
                "no proof: nothing left to try on this tape, which had to guess; "
            }
            Verdict::Failed => "no proof: nothing left to try; ",
            _ => "no proof within the time; ",
        };
        line.push_str(why);
    }
    let reasons = stats.wasted.iter().filter_map(|(reason, wasted)| {
        let share = percent(wasted.time);
        (share >= 0.05).then(|| format!("{reason} {share:.1}%"))
    });
    line.push_str(&reasons.collect::<Vec<_>>().join(", "));
    line.trim_end().to_owned()
}

fn or_dash(number: Option<f64>, text: impl FnOnce(f64) -> String) -> String {
    number.map_or_else(|| "-".to_owned(), text)
}

fn short(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 120.0 {
        format!("{seconds:.1} s")
    } else if seconds < 7_200.0 {
        format!("{:.1} min", seconds / 60.0)
    } else if seconds < 172_800.0 {
        format!("{:.1} h", seconds / 3_600.0)
    } else {
        format!("{:.1} d", seconds / 86_400.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_search::Stats;

    #[test]
    fn a_search_without_a_proof_says_why() {
        let trial = |verdict, guessed| Trial {
            policy: Policy::default(),
            report: Report {
                verdict,
                time: Duration::from_secs(1),
                workers: 4,
                stats: Stats::default(),
                nodes: 1,
                events: 1,
                utilisation: 1.0,
                curve: Vec::new(),
                guesses: Guesses {
                    jobs: guessed,
                    settlements: 0,
                },
                quarantined: 0,
            },
            speed_up: None,
        };
        assert!(row(&trial(Verdict::Failed, 3)).contains("which had to guess"));
        assert!(row(&trial(Verdict::Failed, 0)).contains("nothing left to try"));
        assert!(row(&trial(Verdict::Open, 0)).contains("no proof within the time"));
        assert!(!row(&trial(Verdict::Proved, 0)).contains("no proof"));
    }
}
