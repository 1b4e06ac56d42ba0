//! Numbers, times and tables as people read them.

use std::fmt;
use std::time::Duration;

/// With commas: 12,345.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Short: 950, 12.3k, 4.56M, 7.89G, with three digits that matter.
#[must_use]
pub fn short(number: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    // Just under a unit rounds up to it.
    let unit = units.into_iter().find(|(size, _)| number >= size * 0.9995);
    let (size, name) = unit.unwrap_or((1.0, ""));
    let value = number / size;
    let decimals = match value {
        v if v >= 99.95 || (name.is_empty() && v.fract() == 0.0) => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}{name}")
}

/// 42 s, 5 min 10 s, 3 h 20 min, 2 d 4 h.
#[must_use]
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |large: u64, unit: &str, small: u64, small_unit: &str| match small {
        0 => format!("{large} {unit}"),
        _ => format!("{large} {unit} {small} {small_unit}"),
    };
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => two(minutes, "min", seconds % 60, "s"),
        (0, _, _) => two(hours, "h", minutes % 60, "min"),
        _ => two(days, "d", hours % 24, "h"),
    }
}

/// 8%, or 0.4% where that rounds to nothing.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.95 {
        format!("{percent:.1}%")
    } else {
        format!("{percent:.0}%")
    }
}

/// 1 worker, 2 workers.
#[must_use]
pub fn plural(number: u64, one: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {one}{s}", count(number))
}

/// Rows of text in columns that line up; numbers to the right.
#[derive(Clone, Debug)]
pub struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    #[must_use]
    pub fn new(head: impl Into<Vec<&'static str>>) -> Self {
        Self {
            head: head.into(),
            rows: Vec::new(),
        }
    }

    /// Each row has a cell for each column.
    #[must_use]
    pub fn with_rows(mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        self.rows.extend(rows);
        self
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Without columns that say nothing: not everything is always counted.
    #[must_use]
    pub fn without_empty_columns(self) -> Self {
        let says = |column: &usize| self.rows.iter().any(|row| !is_nothing(&row[*column]));
        let kept: Vec<usize> = (0..self.head.len()).filter(says).collect();
        let pick = |row: &Vec<String>| kept.iter().map(|&column| row[column].clone()).collect();
        Self {
            head: kept.iter().map(|&column| self.head[column]).collect(),
            rows: self.rows.iter().map(pick).collect(),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head: Vec<_> = self.head.iter().map(|name| (*name).to_owned()).collect();
        let columns: Vec<(usize, bool)> = (0..head.len())
            .map(|column| {
                let cells = self.rows.iter().chain([&head]).map(|row| &row[column]);
                let width = cells.map(|cell| cell.chars().count()).max();
                let is_right = self.rows.iter().all(|row| is_number(&row[column]));
                (width.unwrap_or(0), is_right)
            })
            .collect();
        for row in std::iter::once(&head).chain(&self.rows) {
            let cells = row.iter().zip(&columns).map(|(cell, &(width, is_right))| {
                if is_right {
                    format!("  {cell:>width$}")
                } else {
                    format!("  {cell:<width$}")
                }
            });
            writeln!(f, "{}", cells.collect::<String>().trim_end())?;
        }
        Ok(())
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "" | "0" | "0%" | "0 s")
}

fn is_number(text: &str) -> bool {
    let first = text.chars().next();
    first.is_none_or(|c| c.is_ascii_digit() || c == '∞') || text == "-"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1_234_567), "1,234,567");
        let shorts = [0.0, 7.0, 0.25, 950.0, 999.96, 12_345.0, 4_560_000.0, 7.89e9];
        assert_eq!(
            shorts.map(short),
            ["0", "7", "0.25", "950", "1.00k", "12.3k", "4.56M", "7.89G"]
        );
        assert_eq!(
            [0.0, 0.004, 0.08, 1.0].map(percent),
            ["0%", "0.4%", "8%", "100%"]
        );
    }

    #[test]
    fn times_read_well() {
        let times = [0, 42, 300, 310, 12_000, 187_200].map(Duration::from_secs);
        let words = [
            "0 s",
            "42 s",
            "5 min",
            "5 min 10 s",
            "3 h 20 min",
            "2 d 4 h",
        ];
        assert_eq!(times.map(time), words);
    }
}
