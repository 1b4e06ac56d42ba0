//! Numbers and times as people write them on a command line.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use gridproof_game::Colour;
use serde::{Deserialize, Serialize};

/// A large number: `30M`, `2.5k`, `1_000_000`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Count(pub(super) u64);

/// A time: `90s`, `2h`, `1h30m`, `3d`; a bare number is seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time(pub(super) Duration);

/// A text that is neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseValueError {
    #[error("write a number like 30M, 500k or 12000")]
    Count,
    #[error("write a time like 90s, 30m, 2h or 3d")]
    Time,
}

impl FromStr for Count {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const UNITS: [(char, f64); 4] = [('k', 1e3), ('m', 1e6), ('g', 1e9), ('t', 1e12)];
        let plain = text.replace(['_', ','], "");
        if let Ok(number) = plain.parse() {
            return Ok(Self(number));
        }
        let last = plain.chars().last().ok_or(ParseValueError::Count)?;
        let unit = UNITS
            .iter()
            .find(|(name, _)| last.eq_ignore_ascii_case(name));
        let (_, size) = unit.ok_or(ParseValueError::Count)?;
        let number: f64 = plain[..plain.len() - 1]
            .parse()
            .map_err(|_| ParseValueError::Count)?;
        let number = number * size;
        if (0.0..1e18).contains(&number) {
            Ok(Self(number.round() as u64))
        } else {
            Err(ParseValueError::Count)
        }
    }
}

/// As short as it can be said exactly.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n > 0 && n.is_multiple_of(1_000_000) => write!(f, "{}M", n / 1_000_000),
            n if n > 0 && n.is_multiple_of(1000) => write!(f, "{}k", n / 1000),
            n => write!(f, "{n}"),
        }
    }
}

impl FromStr for Time {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut seconds = 0_f64;
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
            let number: f64 = number.parse().map_err(|_| ParseValueError::Time)?;
            let unit_end = after.find(|c: char| c.is_ascii_digit());
            let (unit, next) = after.split_at(unit_end.unwrap_or(after.len()));
            let size = match unit.trim() {
                "" | "s" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                "w" => 604_800.0,
                _ => return Err(ParseValueError::Time),
            };
            seconds += number * size;
            rest = next;
        }
        // A thousand years are enough for everybody.
        if text.is_empty() || !(0.0..3.2e10).contains(&seconds) {
            return Err(ParseValueError::Time);
        }
        Ok(Self(Duration::from_secs_f64(seconds)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            s if s > 0 && s.is_multiple_of(3600) => write!(f, "{}h", s / 3600),
            s if s > 0 && s.is_multiple_of(60) => write!(f, "{}m", s / 60),
            s => write!(f, "{s}s"),
        }
    }
}

/// A time that is not nothing.
pub(super) fn positive_time(text: &str) -> Result<Time, ParseValueError> {
    let time: Time = text.parse()?;
    if time.0.is_zero() {
        return Err(ParseValueError::Time);
    }
    Ok(time)
}

/// `black`, `White`, `b`.
pub(super) fn colour(text: &str) -> Result<Colour, String> {
    let mut letters = text.chars();
    let colour = letters.next().and_then(Colour::from_letter);
    let is_name = |colour: &Colour| {
        letters.as_str().is_empty() || text.eq_ignore_ascii_case(&colour.to_string())
    };
    colour
        .filter(is_name)
        .ok_or_else(|| "write black or white".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, number) in [
            ("30M", 30_000_000),
            ("2.5k", 2500),
            ("1_000", 1000),
            ("7", 7),
            ("1g", 1_000_000_000),
        ] {
            assert_eq!(text.parse(), Ok(Count(number)), "{text}");
        }
        for text in ["", "M", "-3", "3x", "1e99M", "nanM"] {
            assert_eq!(text.parse::<Count>(), Err(ParseValueError::Count), "{text}");
        }
        for text in ["30M", "500k", "1234"] {
            assert_eq!(text.parse::<Count>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("90", 90),
            ("90s", 90),
            ("30m", 1800),
            ("2h", 7200),
            ("1h30m", 5400),
            ("3d", 259_200),
            ("1w", 604_800),
        ] {
            assert_eq!(
                text.parse(),
                Ok(Time(Duration::from_secs(seconds))),
                "{text}"
            );
        }
        for text in ["", "h", "-3h", "yesterday", "2y", "99999999w"] {
            assert_eq!(text.parse::<Time>(), Err(ParseValueError::Time), "{text}");
        }
        assert!(positive_time("0h").is_err());
    }
}
