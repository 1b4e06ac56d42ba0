//! Numbers and times as people read them.

use std::time::Duration;

/// With commas: 12,345.
#[must_use]
pub(crate) fn count(number: u64) -> String {
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
pub(crate) fn short(number: f64) -> String {
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
pub(crate) fn time(duration: Duration) -> String {
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
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.95 {
        format!("{percent:.1}%")
    } else {
        format!("{percent:.0}%")
    }
}

/// 1 worker, 2 workers.
#[must_use]
pub(crate) fn plural(number: u64, one: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {one}{s}", count(number))
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
