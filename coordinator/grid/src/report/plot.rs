//! Plots over time as inline SVG: no script, no outside file.

use maud::{Markup, html};

use crate::text;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 24.0;

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// From zero up.
    Linear,
    /// From one up, ten times a step.
    Log,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Solid,
    Dashed,
    /// Solid, with the space under it filled.
    Filled,
}

/// One line: values at moments, with gaps where there is none.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) colour: &'static str,
    pub(super) stroke: Stroke,
    /// Seconds since the start, and the value.
    pub(super) points: Vec<(f64, Option<f64>)>,
}

/// Lines over the same time.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    /// For those who cannot see it.
    pub(super) title: &'static str,
    pub(super) scale: Scale,
    /// In seconds.
    pub(super) span: f64,
    /// Where a time is written on the axis, in seconds since the start.
    pub(super) ticks: Vec<(f64, String)>,
    pub(super) lines: Vec<Line>,
}

impl Plot {
    pub(super) fn draw(&self) -> Markup {
        let top = self.top();
        let bottom = HEIGHT - BOTTOM;
        html! {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(self.title) {
                @for value in self.levels(top) {
                    @let y = self.height(value, top);
                    line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(round(y)) y2=(round(y)) {}
                    text x=(LEFT - 7.0) y=(round(y + 4.0)) text-anchor="end" { (level_name(value)) }
                }
                @for (at, label) in &self.ticks {
                    @let x = self.across(*at);
                    line.grid x1=(round(x)) x2=(round(x)) y1=(bottom) y2=(bottom + 4.0) {}
                    text x=(round(x)) y=(HEIGHT - 6.0) text-anchor="middle" { (label) }
                }
                @for line in &self.lines {
                    (self.draw_line(line, top))
                }
            }
        }
    }

    fn draw_line(&self, line: &Line, top: f64) -> Markup {
        let runs = self.runs(line, top);
        let path: String = runs.iter().map(|run| path_of(run)).collect();
        let class = match line.stroke {
            Stroke::Dashed => "line dashed",
            Stroke::Solid | Stroke::Filled => "line",
        };
        html! {
            @if line.stroke == Stroke::Filled {
                path.area d=(area_of(&runs)) fill=(line.colour) {}
            }
            path class=(class) d=(path) stroke=(line.colour) {}
        }
    }

    /// The parts of a line between its gaps, in units of the drawing.
    fn runs(&self, line: &Line, top: f64) -> Vec<Vec<(f64, f64)>> {
        let mut runs = vec![Vec::new()];
        for &(at, value) in &line.points {
            match value {
                Some(value) => {
                    let point = (self.across(at), self.height(value, top));
                    runs.last_mut().expect("there is always one").push(point);
                }
                None => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    /// The highest level: a round number that nothing is above.
    fn top(&self) -> f64 {
        let values = self.lines.iter().flat_map(|line| &line.points);
        let most = values.filter_map(|(_, value)| *value).fold(1.0, f64::max);
        match self.scale {
            Scale::Log => 10_f64.powf(most.log10().ceil().max(1.0)),
            Scale::Linear => step_for(most) * (most / step_for(most)).ceil(),
        }
    }

    fn levels(&self, top: f64) -> Vec<f64> {
        match self.scale {
            Scale::Log => {
                let tens = (0..12).map(|power| 10_f64.powi(power));
                tens.take_while(|level| *level <= top * 1.001).collect()
            }
            Scale::Linear => {
                let step = step_for(top);
                let levels = (0..9_u8).map(|i| f64::from(i) * step);
                levels.take_while(|level| *level <= top * 1.001).collect()
            }
        }
    }

    fn across(&self, at: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (at / self.span.max(1.0)).clamp(0.0, 1.0)
    }

    fn height(&self, value: f64, top: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => value / top,
            Scale::Log => value.max(1.0).log10() / top.log10(),
        };
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share.clamp(0.0, 1.0)
    }
}

/// A step of 1, 2 or 5 times a power of ten that makes three to six levels.
fn step_for(most: f64) -> f64 {
    let power = 10_f64.powf((most / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let fits = steps.into_iter().find(|step| most / step <= 5.001);
    fits.unwrap_or(10.0 * power)
}

/// Levels are round, so that zeros behind the point say nothing.
fn level_name(value: f64) -> String {
    let text = text::short(value);
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = &text[digits.len()..];
    let digits = match digits.split_once('.') {
        Some((whole, part)) if part.bytes().all(|digit| digit == b'0') => whole,
        Some(_) => digits.trim_end_matches('0'),
        None => digits,
    };
    format!("{digits}{unit}")
}

/// A tenth of a unit is less than anyone sees, and keeps the page small.
fn round(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

fn path_of(run: &[(f64, f64)]) -> String {
    // A lone point is drawn as a dot by its round ends.
    let dot = run.len() == 1;
    let steps = run.iter().enumerate().map(|(i, &(x, y))| {
        let letter = if i == 0 { 'M' } else { 'L' };
        format!("{letter}{} {}", round(x), round(y))
    });
    steps.chain(dot.then(|| "h0".to_owned())).collect()
}

fn area_of(runs: &[Vec<(f64, f64)>]) -> String {
    let bottom = HEIGHT - BOTTOM;
    runs.iter()
        .filter_map(|run| {
            let (first, last) = (run.first()?.0, run.last()?.0);
            let (first, last) = (round(first), round(last));
            Some(format!(
                "{}L{last} {bottom}L{first} {bottom}Z",
                path_of(run)
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(scale: Scale, values: &[Option<f64>]) -> Plot {
        let points = values
            .iter()
            .enumerate()
            .map(|(i, &value)| (i as f64, value));
        Plot {
            title: "test",
            scale,
            span: values.len() as f64,
            ticks: vec![(0.0, "00:00".to_owned())],
            lines: vec![Line {
                colour: "red",
                stroke: Stroke::Filled,
                points: points.collect(),
            }],
        }
    }

    #[test]
    fn levels_are_round_and_nothing_is_above_them() {
        for most in [0.0, 0.3, 1.0, 7.0, 19.0, 20.0, 49.9, 1234.0, 9.9e9] {
            let plot = plot(Scale::Linear, &[Some(most)]);
            let levels = plot.levels(plot.top());
            assert!((2..=7).contains(&levels.len()), "{most}: {levels:?}");
            assert!(*levels.last().unwrap() >= most, "{most}: {levels:?}");
        }
        let log = plot(Scale::Log, &[Some(1.0), Some(2000.0)]);
        assert_eq!(log.levels(log.top()), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
    }

    #[test]
    fn names_of_levels_are_short() {
        let levels = [0.0, 0.5, 2.5, 100.0, 10_000.0, 2_500_000.0];
        assert_eq!(
            levels.map(level_name),
            ["0", "0.5", "2.5", "100", "10k", "2.5M"]
        );
    }

    #[test]
    fn a_gap_breaks_the_line() {
        let drawn = plot(Scale::Linear, &[Some(1.0), Some(2.0), None, Some(3.0)]).draw();
        let moves = drawn.0.matches('M').count();
        assert_eq!(moves, 4, "two parts, each as a line and as an area");
    }

    #[test]
    fn no_values_make_an_empty_plot() {
        assert!(plot(Scale::Log, &[]).draw().0.contains("<svg"));
    }
}
