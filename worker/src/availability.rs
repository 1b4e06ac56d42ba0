//! Whether the worker may work at this moment: its hours, and the people at the machine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::civil::DateTime;

use crate::hours::Hours;
use crate::idle::{Observation, ProcessorTime, Share};

/// What makes the worker step back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PauseWhen {
    /// Nothing.
    #[default]
    Never,
    /// Somebody is logged in.
    User,
    /// Other programs are busy.
    Load,
    /// One or the other.
    Either,
}

impl PauseWhen {
    /// Whether a login counts.
    #[must_use]
    pub const fn minds_users(self) -> bool {
        matches!(self, Self::User | Self::Either)
    }

    /// Whether other programs count.
    #[must_use]
    pub const fn minds_load(self) -> bool {
        matches!(self, Self::Load | Self::Either)
    }

    const ALL: [(&'static str, Self); 4] = [
        ("never", Self::Never),
        ("user", Self::User),
        ("load", Self::Load),
        ("either", Self::Either),
    ];
}

impl fmt::Display for PauseWhen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::ALL.iter().find(|(_, one)| one == self);
        f.pad(named.expect("every choice is in the table").0)
    }
}

/// Why a text is no choice of [`PauseWhen`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose never, user (somebody is logged in), load (other programs are busy) or either")]
pub struct ParsePauseError;

impl FromStr for PauseWhen {
    type Err = ParsePauseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL
            .iter()
            .find(|(name, _)| text.eq_ignore_ascii_case(name));
        named.map(|&(_, one)| one).ok_or(ParsePauseError)
    }
}

/// The rules of the machine's owner.
#[derive(Clone, Debug, PartialEq)]
pub struct AvailabilityPolicy {
    /// When the worker may work at all.
    pub hours: Hours,
    /// What makes it step back within its hours.
    pub pause_when: PauseWhen,
    /// How much of the machine others may use before the worker steps back.
    pub busy: Share,
    /// How long the machine must have been free before the worker comes back.
    pub quiet_for: Duration,
}

/// May the worker use the machine?
#[derive(Clone, Debug, PartialEq)]
pub enum Availability {
    /// Yes.
    Available {
        /// When its hours end, if they do.
        until: Option<DateTime>,
    },
    /// No.
    Unavailable(Reason),
}

/// Why not.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The owner's hours say so.
    OutsideHours {
        /// When they begin.
        until: Option<DateTime>,
    },
    /// Somebody is at the machine.
    LoggedIn {
        /// Who.
        user: String,
    },
    /// Other programs need it.
    OthersBusy {
        /// How much of it.
        share: Share,
    },
    /// It is free again, but not for long enough.
    JustNowInUse,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideHours { until: Some(time) } => {
                write!(f, "outside the hours, until {}", time.strftime("%a %H:%M"))
            }
            Self::OutsideHours { until: None } => f.write_str("outside the hours"),
            Self::LoggedIn { user } => write!(f, "{user} is logged in"),
            Self::OthersBusy { share } => write!(f, "other programs use {share} of the machine"),
            Self::JustNowInUse => f.write_str("the machine was in use just now"),
        }
    }
}

/// Applies a policy to what is seen. Ask it every few seconds.
#[derive(Clone, Debug)]
pub struct AvailabilityMonitor {
    policy: AvailabilityPolicy,
    before: Option<ProcessorTime>,
    /// The age at which somebody last needed the machine.
    in_use: Option<Duration>,
}

impl AvailabilityMonitor {
    /// One that has seen nothing yet.
    #[must_use]
    pub const fn new(policy: AvailabilityPolicy) -> Self {
        Self {
            policy,
            before: None,
            in_use: None,
        }
    }

    /// `clock` is the time of day where the machine stands; `age` is any time that only goes
    /// forward, such as the age of the process.
    pub fn check(&mut self, clock: DateTime, age: Duration, seen: &Observation) -> Availability {
        let disturbed = self.disturbed(seen);
        if disturbed.is_some() {
            self.in_use = Some(age);
        }
        let until = self.policy.hours.next_change(clock);
        if !self.policy.hours.allow(clock) {
            return Availability::Unavailable(Reason::OutsideHours { until });
        }
        if let Some(reason) = disturbed {
            return Availability::Unavailable(reason);
        }
        match self.in_use {
            Some(then) if age.saturating_sub(then) < self.policy.quiet_for => {
                Availability::Unavailable(Reason::JustNowInUse)
            }
            _ => Availability::Available { until },
        }
    }

    fn disturbed(&mut self, seen: &Observation) -> Option<Reason> {
        let before = std::mem::replace(&mut self.before, seen.processor);
        if self.policy.pause_when.minds_users()
            && let Some(user) = seen.users.first()
        {
            let user = user.clone();
            return Some(Reason::LoggedIn { user });
        }
        if !self.policy.pause_when.minds_load() {
            return None;
        }
        let share = seen.processor?.others_since(before?)?;
        (share > self.policy.busy).then_some(Reason::OthersBusy { share })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn monitor(hours: &str, pause_when: PauseWhen) -> AvailabilityMonitor {
        AvailabilityMonitor::new(AvailabilityPolicy {
            hours: hours.parse().unwrap(),
            pause_when,
            busy: Share::new(0.25),
            quiet_for: Duration::from_secs(600),
        })
    }

    const FREE: Availability = Availability::Available { until: None };

    fn noon() -> DateTime {
        date(2026, 11, 2).at(12, 0, 0, 0)
    }

    fn minute(minutes: u64) -> Duration {
        Duration::from_secs(60 * minutes)
    }

    fn with_user(name: &str) -> Observation {
        Observation {
            users: vec![name.to_owned()],
            ..Observation::default()
        }
    }

    #[test]
    fn a_worker_knows_until_when_it_may_or_may_not_work() {
        let mut monitor = monitor("22:00-07:00", PauseWhen::Never);
        let until = Some(date(2026, 11, 2).at(22, 0, 0, 0));
        let rest = monitor.check(noon(), minute(0), &Observation::default());
        assert_eq!(
            rest,
            Availability::Unavailable(Reason::OutsideHours { until })
        );
        let night = date(2026, 11, 2).at(22, 0, 0, 0);
        let work = monitor.check(night, minute(600), &Observation::default());
        let until = Some(date(2026, 11, 3).at(7, 0, 0, 0));
        assert_eq!(work, Availability::Available { until });
    }

    #[test]
    fn a_person_comes_first_and_the_worker_waits_until_it_is_quiet() {
        let mut monitor = monitor("always", PauseWhen::User);
        let nobody = Observation::default();
        let anna = with_user("anna");
        assert_eq!(monitor.check(noon(), minute(0), &nobody), FREE);
        let user = "anna".to_owned();
        let rest = monitor.check(noon(), minute(1), &anna);
        assert_eq!(rest, Availability::Unavailable(Reason::LoggedIn { user }));
        let still = monitor.check(noon(), minute(10), &nobody);
        assert_eq!(still, Availability::Unavailable(Reason::JustNowInUse));
        assert_eq!(monitor.check(noon(), minute(11), &nobody), FREE);
    }

    #[test]
    fn who_does_not_mind_people_works_on() {
        let mut monitor = monitor("always", PauseWhen::Load);
        assert_eq!(monitor.check(noon(), minute(0), &with_user("anna")), FREE);
    }

    #[test]
    fn every_choice_can_be_written_and_read() {
        for (name, choice) in PauseWhen::ALL {
            assert_eq!(name.parse(), Ok(choice));
            assert_eq!(choice.to_string(), name);
        }
        assert!("sometimes".parse::<PauseWhen>().is_err());
    }
}
