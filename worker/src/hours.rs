//! When the worker may work.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan as _;
use jiff::civil::{DateTime, Weekday};

const DAY: u16 = 24 * 60;

/// When the worker may work, in the machine's own time: `always`, or a list of days and
/// times such as `22:00-07:00,weekend`. A night belongs to the day on which it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hours {
    /// None at all: always.
    windows: Vec<Window>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    days: Days,
    /// Minutes of the day. If the end is not after the start, it is on the next day.
    from: u16,
    to: u16,
}

/// One bit a weekday, Monday first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Days(u8);

/// Why a text names no hours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" are no hours: write always, or a list like 22:00-07:00,weekend or mon-fri 19:00-07:00,sat,sun"
)]
pub struct ParseHoursError(String);

const NAMES: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Days {
    const ALL: Self = Self(0b111_1111);
    const WEEKDAYS: Self = Self(0b001_1111);
    const WEEKEND: Self = Self(0b110_0000);

    const fn has(self, day: u8) -> bool {
        self.0 >> day & 1 == 1
    }
}

impl Hours {
    /// Whether this is a time to work.
    #[must_use]
    pub fn allow(&self, at: DateTime) -> bool {
        self.windows.is_empty() || self.windows.iter().any(|window| window.holds(at))
    }

    /// When that changes next. Never, if it is always one or always the other.
    #[must_use]
    pub fn next_change(&self, at: DateTime) -> Option<DateTime> {
        if self.windows.is_empty() {
            return None;
        }
        let now = self.allow(at);
        let minute = at.with().second(0).subsec_nanosecond(0).build().ok()?;
        // Everything comes round in a week.
        (1..=7 * i64::from(DAY))
            .map_while(|minutes| minute.checked_add(minutes.minutes()).ok())
            .find(|&later| self.allow(later) != now)
    }
}

impl Window {
    fn holds(self, at: DateTime) -> bool {
        let today = day_number(at.weekday());
        let yesterday = (today + 6) % 7;
        let minute = u16::try_from(i32::from(at.hour()) * 60 + i32::from(at.minute()))
            .expect("a day has no negative minutes");
        if self.from < self.to {
            self.days.has(today) && (self.from..self.to).contains(&minute)
        } else {
            (self.days.has(today) && minute >= self.from)
                || (self.days.has(yesterday) && minute < self.to)
        }
    }
}

fn day_number(day: Weekday) -> u8 {
    u8::try_from(day.to_monday_zero_offset()).expect("a week has seven days")
}

impl FromStr for Hours {
    type Err = ParseHoursError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().eq_ignore_ascii_case("always") {
            return Ok(Self::default());
        }
        let error = || ParseHoursError(text.chars().take(80).collect());
        let windows: Option<Vec<_>> = text.split(',').map(window).collect();
        let windows = windows.ok_or_else(error)?;
        Ok(Self { windows })
    }
}

fn window(text: &str) -> Option<Window> {
    let mut words = text.split_whitespace();
    let (first, second, None) = (words.next()?, words.next(), words.next()) else {
        return None;
    };
    match (days(first), second) {
        (Some(days), None) => Some(Window {
            days,
            from: 0,
            to: DAY,
        }),
        (Some(days), Some(times)) => times_on(days, times),
        (None, None) => times_on(Days::ALL, first),
        (None, Some(_)) => None,
    }
}

fn times_on(days: Days, text: &str) -> Option<Window> {
    let (from, to) = text.split_once('-')?;
    let (from, to) = (minutes(from)?, minutes(to)?);
    // The same time twice could mean all day or never.
    (from != to && from < DAY).then_some(Window { days, from, to })
}

fn minutes(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(hour) || !digits(minute) {
        return None;
    }
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    let total = 60 * hour + minute;
    (minute < 60 && total <= DAY).then_some(total)
}

fn days(text: &str) -> Option<Days> {
    let text = text.to_ascii_lowercase();
    match text.as_str() {
        "weekend" => return Some(Days::WEEKEND),
        "weekdays" => return Some(Days::WEEKDAYS),
        "daily" => return Some(Days::ALL),
        _ => {}
    }
    let number = |name: &str| NAMES.iter().position(|&known| known == name);
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(&text)?, number(&text)?),
    };
    // A range may go round the end of the week, such as fri-mon.
    let length = (last + 7 - first) % 7;
    let bits = (0..=length).fold(0, |bits, step| bits | 1 << ((first + step) % 7));
    Some(Days(bits))
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.windows.is_empty() {
            return f.write_str("always");
        }
        for (i, window) in self.windows.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{window}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Window {
    /// As a list where the days are no known set, so a window may become several.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all_day = (self.from, self.to) == (0, DAY);
        let names: Vec<&str> = match self.days {
            Days::ALL if all_day => vec!["daily"],
            Days::ALL => vec![""],
            Days::WEEKDAYS => vec!["weekdays"],
            Days::WEEKEND => vec!["weekend"],
            days => (0..7)
                .filter(|&day| days.has(day))
                .map(|day| NAMES[usize::from(day)])
                .collect(),
        };
        for (i, name) in names.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let space = if name.is_empty() || all_day { "" } else { " " };
            write!(f, "{comma}{name}{space}")?;
            if !all_day {
                let [from, to] = [self.from, self.to].map(|time| (time / 60, time % 60));
                write!(f, "{:02}:{:02}-{:02}:{:02}", from.0, from.1, to.0, to.1)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn hours(text: &str) -> Hours {
        text.parse().unwrap()
    }

    /// A moment of the week of Monday 2 November 2026.
    fn at(day: i64, hour: i8, minute: i8) -> DateTime {
        let monday = date(2026, 11, 2).at(hour, minute, 30, 0);
        monday.checked_add(day.days()).unwrap()
    }

    const MON: i64 = 0;
    const TUE: i64 = 1;
    const FRI: i64 = 4;
    const SAT: i64 = 5;
    const SUN: i64 = 6;

    #[test]
    fn always_is_the_default_and_never_changes() {
        assert_eq!(Hours::default(), hours("always"));
        assert!(Hours::default().allow(at(MON, 12, 0)));
        assert_eq!(Hours::default().next_change(at(MON, 12, 0)), None);
    }

    #[test]
    fn nights_and_the_weekend_are_free() {
        let free = hours("22:00-07:00,weekend");
        assert!(free.allow(at(MON, 22, 0)) && free.allow(at(TUE, 6, 59)));
        assert!(!free.allow(at(MON, 21, 59)) && !free.allow(at(TUE, 7, 0)));
        assert!(free.allow(at(SAT, 12, 0)) && free.allow(at(SUN, 12, 0)));
    }

    #[test]
    fn a_night_belongs_to_the_day_on_which_it_begins() {
        let friday = hours("fri 22:00-07:00");
        assert!(friday.allow(at(FRI, 23, 0)) && friday.allow(at(SAT, 6, 0)));
        assert!(!friday.allow(at(FRI, 6, 0)) && !friday.allow(at(SAT, 23, 0)));
        let sunday = hours("sun 22:00-07:00");
        assert!(sunday.allow(at(MON, 6, 0)) && !sunday.allow(at(TUE, 6, 0)));
    }

    #[test]
    fn ranges_of_days_may_go_round_the_week() {
        let long_weekend = hours("fri-mon");
        assert!([FRI, SAT, SUN, MON].map(|day| long_weekend.allow(at(day, 12, 0))) == [true; 4]);
        assert!(!long_weekend.allow(at(TUE, 12, 0)));
        assert_eq!(hours("mon-fri 19:00-24:00"), hours("weekdays 19:00-24:00"));
    }

    #[test]
    fn the_next_change_is_known() {
        let free = hours("22:00-07:00,weekend");
        let morning = date(2026, 11, 3).at(7, 0, 0, 0);
        assert_eq!(free.next_change(at(MON, 23, 0)), Some(morning));
        let monday = date(2026, 11, 9).at(7, 0, 0, 0);
        assert_eq!(free.next_change(at(FRI, 23, 0)), Some(monday));
        assert_eq!(hours("daily").next_change(at(MON, 1, 0)), None);
    }

    #[test]
    fn hours_are_the_same_after_they_were_written() {
        for text in [
            "always",
            "22:00-07:00,weekend",
            "weekdays 19:00-24:00",
            "daily",
            "mon 01:30-02:00,wed 01:30-02:00",
        ] {
            assert_eq!(hours(text).to_string(), text);
        }
        let spelled = hours("fri-sun 20:00-08:00").to_string();
        assert_eq!(spelled, "fri 20:00-08:00,sat 20:00-08:00,sun 20:00-08:00");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in [
            "",
            ",",
            "22-07",
            "22:00",
            "25:00-26:00",
            "12:60-13:00",
            "mon tue",
            "noon",
            "8:00-9:00",
            "08:00-08:00",
            "24:00-07:00",
            "22:00-07:00 mon",
            "mon-",
            "-",
            "+1:00-02:00",
            "é",
        ] {
            assert!(text.parse::<Hours>().is_err(), "{text}");
        }
    }
}
