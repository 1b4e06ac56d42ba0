//! Numbers and times as people write them on a command line.

use std::fmt;
use std::num::NonZeroU16;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use gridproof_game::Colour;
use gridproof_host::{ParseSizeError, Size};
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

/// A whole number within bounds, as short as a [`Count`] may be.
pub(super) fn within<T: TryFrom<u64>>(
    bounds: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text: &str| {
        let Count(number) = text
            .parse()
            .map_err(|error: ParseValueError| error.to_string())?;
        let (from, to) = (bounds.start(), bounds.end());
        let fits = bounds.contains(&number).then(|| T::try_from(number).ok());
        fits.flatten().ok_or_else(|| match *to {
            u64::MAX => format!("write a number of {from} or more"),
            to => format!("write a number from {from} to {to}"),
        })
    }
}

/// How many things happen at a time.
pub(super) fn parallel<T: TryFrom<NonZeroU16>>(text: &str) -> Result<T, String> {
    let number: u16 = within(1..=u16::MAX.into())(text)?;
    let number = NonZeroU16::new(number).and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| "write a number of 1 or more".to_owned())
}

/// Something like 0.5.
pub(super) fn fraction(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok();
    let number = number.filter(|number: &f64| (0.0..=1e6).contains(number));
    number.ok_or("write a number like 2 or 0.5")
}

/// A size that is not nothing; a bare number counts mebibytes.
pub(super) fn memory(text: &str) -> Result<Size, ParseSizeError> {
    let size = Size::or_mebibytes(text)?;
    if size < Size::of_mebibytes(1) {
        return Err(ParseSizeError);
    }
    Ok(size)
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

    #[test]
    fn a_number_out_of_bounds_is_told_the_bounds() {
        assert_eq!(within::<u8>(1..=9)("9"), Ok(9));
        assert_eq!(within::<u64>(0..=u64::MAX)("30k"), Ok(30_000));
        for text in ["0", "10", "1k"] {
            let error = within::<u8>(1..=9)(text).unwrap_err();
            assert_eq!(error, "write a number from 1 to 9", "{text}");
        }
        let words = "write a number like 30M, 500k or 12000";
        assert_eq!(within::<u8>(1..=9)("many").unwrap_err(), words);
        assert_eq!(parallel::<NonZeroU16>("2").unwrap().get(), 2);
        assert!(parallel::<NonZeroU16>("0").is_err());
        assert_eq!(fraction("0.5"), Ok(0.5));
        assert!(fraction("NaN").is_err() && fraction("-1").is_err());
    }
}
