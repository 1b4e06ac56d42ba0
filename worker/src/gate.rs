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
    #[default]
    Never,
    /// Somebody is logged in.
    User,
    /// Other programs are busy.
    Load,
    Either,
}

impl PauseWhen {
    #[must_use]
    pub const fn minds_users(self) -> bool {
        matches!(self, Self::User | Self::Either)
    }

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
pub struct Manners {
    pub hours: Hours,
    pub pause_when: PauseWhen,
    /// How much of the machine others may use before the worker steps back.
    pub busy: Share,
    /// How long the machine must have been free before the worker comes back.
    pub quiet_for: Duration,
}

/// May the worker work?
#[derive(Clone, Debug, PartialEq)]
pub enum Permission {
    Work,
    Rest(Reason),
}

/// Why not.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    OutsideHours {
        until: Option<DateTime>,
    },
    LoggedIn {
        user: String,
    },
    OthersBusy {
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

/// Decides from what is seen. Ask it every few seconds.
#[derive(Clone, Debug)]
pub struct Gate {
    manners: Manners,
    before: Option<ProcessorTime>,
    /// How long ago the gate was made when somebody last needed the machine.
    in_use: Option<Duration>,
}

impl Gate {
    #[must_use]
    pub const fn new(manners: Manners) -> Self {
        Self {
            manners,
            before: None,
            in_use: None,
        }
    }

    /// `clock` is the time of day where the machine stands; `age` is any time that only goes
    /// forward, such as the age of the process.
    pub fn judge(&mut self, clock: DateTime, age: Duration, seen: &Observation) -> Permission {
        let disturbed = self.disturbed(seen);
        if disturbed.is_some() {
            self.in_use = Some(age);
        }
        if !self.manners.hours.allow(clock) {
            let until = self.manners.hours.next_change(clock);
            return Permission::Rest(Reason::OutsideHours { until });
        }
        if let Some(reason) = disturbed {
            return Permission::Rest(reason);
        }
        match self.in_use {
            Some(then) if age.saturating_sub(then) < self.manners.quiet_for => {
                Permission::Rest(Reason::JustNowInUse)
            }
            _ => Permission::Work,
        }
    }

    fn disturbed(&mut self, seen: &Observation) -> Option<Reason> {
        let before = std::mem::replace(&mut self.before, seen.processor);
        if self.manners.pause_when.minds_users()
            && let Some(user) = seen.users.first()
        {
            let user = user.clone();
            return Some(Reason::LoggedIn { user });
        }
        if !self.manners.pause_when.minds_load() {
            return None;
        }
        let share = seen.processor?.others_since(before?)?;
        (share > self.manners.busy).then_some(Reason::OthersBusy { share })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn gate(hours: &str, pause_when: PauseWhen) -> Gate {
        Gate::new(Manners {
            hours: hours.parse().unwrap(),
            pause_when,
            busy: Share::new(0.25),
            quiet_for: Duration::from_secs(600),
        })
    }

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
    fn outside_its_hours_a_worker_rests_and_knows_until_when() {
        let mut gate = gate("22:00-07:00", PauseWhen::Never);
        let until = Some(date(2026, 11, 2).at(22, 0, 0, 0));
        let rest = gate.judge(noon(), minute(0), &Observation::default());
        assert_eq!(rest, Permission::Rest(Reason::OutsideHours { until }));
        let night = date(2026, 11, 2).at(22, 0, 0, 0);
        let work = gate.judge(night, minute(600), &Observation::default());
        assert_eq!(work, Permission::Work);
    }

    #[test]
    fn a_person_comes_first_and_the_worker_waits_until_it_is_quiet() {
        let mut gate = gate("always", PauseWhen::User);
        let nobody = Observation::default();
        let anna = with_user("anna");
        assert_eq!(gate.judge(noon(), minute(0), &nobody), Permission::Work);
        let user = "anna".to_owned();
        let rest = gate.judge(noon(), minute(1), &anna);
        assert_eq!(rest, Permission::Rest(Reason::LoggedIn { user }));
        let still = gate.judge(noon(), minute(10), &nobody);
        assert_eq!(still, Permission::Rest(Reason::JustNowInUse));
        assert_eq!(gate.judge(noon(), minute(11), &nobody), Permission::Work);
    }

    #[test]
    fn who_does_not_mind_people_works_on() {
        let mut gate = gate("always", PauseWhen::Load);
        assert_eq!(
            gate.judge(noon(), minute(0), &with_user("anna")),
            Permission::Work
        );
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
