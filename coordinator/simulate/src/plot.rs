//! Speed-up against workers, as a picture.

use std::fmt::Write as _;

use super::compare::Trial;
use super::policy::Policy;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;

/// Colours that can be told apart by most people, one for each policy.
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#999999", "#cc79a7", "#009e73", "#e69f00", "#56b4e9", "#000000",
];

/// An SVG picture of trials: both axes by doublings, and the ideal as a dashed line.
#[must_use]
pub fn plot(title: &str, trials: &[Trial]) -> String {
    let most = trials
        .iter()
        .map(|trial| trial.report.workers)
        .max()
        .unwrap_or(1);
    let doublings = (most as f64).log2().max(1.0);
    let x = |workers: f64| LEFT + (WIDTH - LEFT - RIGHT) * workers.log2() / doublings;
    let y = |speed: f64| {
        let up = speed.max(0.5).log2() / doublings;
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * up
    };
    let mut svg = String::new();
    let _ = write!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>
<text x="{LEFT}" y="26" font-size="15">{}</text>
"##,
        escaped(title)
    );
    let mut step = 1usize;
    while step <= most {
        let (at_x, at_y) = (x(step as f64), y(step as f64));
        let (low, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        let _ = write!(
            svg,
            r##"<line x1="{at_x:.1}" y1="{TOP}" x2="{at_x:.1}" y2="{low}" stroke="#e5e5e5"/>
<line x1="{LEFT}" y1="{at_y:.1}" x2="{right}" y2="{at_y:.1}" stroke="#e5e5e5"/>
<text x="{at_x:.1}" y="{}" text-anchor="middle">{step}</text>
<text x="{}" y="{:.1}" text-anchor="end">{step}</text>
"##,
            low + 18.0,
            LEFT - 8.0,
            at_y + 4.0,
        );
        step *= 2;
    }
    let _ = write!(
        svg,
        r##"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="#888888" stroke-dasharray="5 4"/>
<text x="{:.1}" y="{}" text-anchor="middle">workers</text>
<text x="18" y="{:.1}" text-anchor="middle" transform="rotate(-90 18 {:.1})">times as fast as one worker</text>
"##,
        x(1.0),
        y(1.0),
        x(most as f64),
        y(most as f64),
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 14.0,
        (TOP + HEIGHT - BOTTOM) / 2.0,
        (TOP + HEIGHT - BOTTOM) / 2.0,
    );
    let mut legend = TOP + 10.0;
    for (policy, colour) in Policy::ALL.into_iter().zip(COLOURS.into_iter().cycle()) {
        let own = trials.iter().filter(|trial| trial.policy == policy);
        let own: Vec<_> = own
            .filter_map(|trial| Some((trial.report.workers, trial.speed_up?)))
            .collect();
        if own.is_empty() {
            continue;
        }
        let points = own
            .iter()
            .map(|&(workers, speed_up)| format!("{:.1},{:.1}", x(workers as f64), y(speed_up)));
        let _ = write!(
            svg,
            r##"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>
<line x1="{}" y1="{legend:.1}" x2="{}" y2="{legend:.1}" stroke="{colour}" stroke-width="3"/>
<text x="{}" y="{:.1}">{policy}</text>
"##,
            points.collect::<Vec<_>>().join(" "),
            WIDTH - RIGHT + 15.0,
            WIDTH - RIGHT + 40.0,
            WIDTH - RIGHT + 47.0,
            legend + 4.0,
        );
        legend += 20.0;
    }
    svg.push_str("</svg>\n");
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gridproof_search::{Stats, Verdict};

    use super::*;
    use crate::{Guesses, Report};

    #[test]
    fn every_policy_is_drawn() {
        let trial = |policy| Trial {
            policy,
            report: Report {
                verdict: Verdict::Proved,
                time: Duration::from_secs(1),
                workers: 4,
                stats: Stats::default(),
                nodes: 1,
                events: 1,
                utilisation: 1.0,
                curve: Vec::new(),
                guesses: Guesses::default(),
                quarantined: 0,
            },
            speed_up: Some(2.0),
        };
        let trials: Vec<_> = Policy::ALL.into_iter().map(trial).collect();
        let svg = plot("all", &trials);
        for policy in Policy::ALL {
            assert!(svg.contains(&format!(">{policy}</text>")), "{policy}");
        }
    }
}
