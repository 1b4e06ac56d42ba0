use std::fmt;
use std::num::{NonZeroU16, NonZeroUsize};
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;

use crate::idle::Share;

/// Why a text is no value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseValueError {
    /// Of [`Cores`].
    #[error("write a number of cores from 1 up, all, or auto for all but one")]
    Cores,
    /// Of [`Busy`].
    #[error("write a part like 25%")]
    Percent,
    /// Of [`MaxBackoff`] or [`QuietFor`].
    #[error("write a time like 30s, 10m or 2h, of at least a second and at most a day")]
    Time,
}

/// How many jobs run at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cores {
    /// All but one, which stays for whoever sits at the machine.
    #[default]
    Auto,
    /// All of them.
    All,
    /// So many, however many there are.
    Number(NonZeroU16),
}

impl Cores {
    /// On a machine with so many.
    #[must_use]
    pub fn on(self, machine: NonZeroU16) -> NonZeroU16 {
        match self {
            Self::Auto => NonZeroU16::new(machine.get() - 1).unwrap_or(machine),
            Self::All => machine,
            Self::Number(number) => number,
        }
    }

    /// On this one.
    #[must_use]
    pub fn here(self) -> NonZeroU16 {
        let machine = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let machine = u16::try_from(machine).unwrap_or(u16::MAX);
        self.on(NonZeroU16::new(machine).unwrap_or(NonZeroU16::MIN))
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.pad("auto"),
            Self::All => f.pad("all"),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl FromStr for Cores {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "all" => Ok(Self::All),
            number => {
                let number = number.parse().map_err(|_| ParseValueError::Cores)?;
                Ok(Self::Number(number))
            }
        }
    }
}

/// What part of the machine other programs may use before it counts as in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy {
    percent: u8,
}

impl Busy {
    /// As a part of the whole.
    #[must_use]
    pub fn share(self) -> Share {
        Share::new(f64::from(self.percent) / 100.0)
    }
}

impl Default for Busy {
    fn default() -> Self {
        Self { percent: 25 }
    }
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent)
    }
}

impl FromStr for Busy {
    type Err = ParseValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_suffix('%').unwrap_or(text).trim();
        match number.parse() {
            Ok(percent @ 1..=100) => Ok(Self { percent }),
            _ => Err(ParseValueError::Percent),
        }
    }
}

/// The most time between two tries to reach the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxBackoff(Duration);

impl Default for MaxBackoff {
    fn default() -> Self {
        Self(Duration::from_secs(30))
    }
}

/// How long the machine must have been free before work goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietFor(Duration);

impl Default for QuietFor {
    fn default() -> Self {
        Self(Duration::from_secs(600))
    }
}

macro_rules! time {
    ($($type:ident),+) => {$(
        impl $type {
            /// The time itself.
            #[must_use]
            pub const fn get(self) -> Duration {
                self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                show_time(self.0, f)
            }
        }

        impl FromStr for $type {
            type Err = ParseValueError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                read_time(text).map(Self)
            }
        }
    )+};
}

time!(MaxBackoff, QuietFor);

fn read_time(text: &str) -> Result<Duration, ParseValueError> {
    let time: SignedDuration = text.parse().map_err(|_| ParseValueError::Time)?;
    let time = Duration::try_from(time).map_err(|_| ParseValueError::Time)?;
    let allowed = Duration::from_secs(1)..=Duration::from_secs(24 * 60 * 60);
    allowed
        .contains(&time)
        .then_some(time)
        .ok_or(ParseValueError::Time)
}

fn show_time(time: Duration, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let time = SignedDuration::try_from(time).expect("a day at most");
    write!(f, "{time:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: u16) -> NonZeroU16 {
        NonZeroU16::new(n).unwrap()
    }

    #[test]
    fn one_core_stays_for_people_unless_there_is_but_one() {
        assert_eq!(Cores::Auto.on(number(8)), number(7));
        assert_eq!(Cores::Auto.on(number(1)), number(1));
        assert_eq!(Cores::All.on(number(8)), number(8));
        assert_eq!(Cores::Number(number(3)).on(number(8)), number(3));
    }

    #[test]
    fn values_can_be_written_and_read() {
        for text in ["auto", "all", "3"] {
            assert_eq!(text.parse::<Cores>().unwrap().to_string(), text);
        }
        for text in ["30s", "10m", "2h"] {
            assert_eq!(text.parse::<MaxBackoff>().unwrap().to_string(), text);
        }
        assert_eq!("25".parse(), Ok(Busy::default()));
        assert_eq!(Busy::default().to_string(), "25%");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in ["0", "-1", "many", ""] {
            assert!(text.parse::<Cores>().is_err(), "{text}");
        }
        for text in ["", "0s", "-5m", "500ms", "2 days", "x"] {
            assert!(text.parse::<QuietFor>().is_err(), "{text}");
        }
        for text in ["0%", "101%", "half"] {
            assert!(text.parse::<Busy>().is_err(), "{text}");
        }
    }
}
