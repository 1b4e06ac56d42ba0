//! Stepping behind everything else that runs on the machine.

use std::fmt;
use std::str::FromStr;

use thread_priority::ThreadPriority;
use thread_priority::unix::{
    NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};

/// How the worker's threads stand against those of other programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// Runs when nothing else wants to: nobody at the machine notices.
    #[default]
    Idle,
    /// Runs beside others, with a small share.
    Low,
    /// Like any other program: for machines that do nothing else.
    Normal,
}

/// Why a text is no priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose idle, low or normal")]
pub struct ParsePriorityError;

/// What came of it: a machine may refuse the better part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granted {
    /// The system did as it was asked.
    AsAsked,
    /// The system would not make it idle, so it is only low.
    OnlyLow,
    /// The system refused altogether: it stays as it was.
    Unchanged,
}

const LOWEST: i32 = 19;

impl Priority {
    const ALL: [(&'static str, Self); 3] = [
        ("idle", Self::Idle),
        ("low", Self::Low),
        ("normal", Self::Normal),
    ];

    /// For this thread, and those that it will start. Not for one that serves a connection:
    /// on a busy machine an idle thread may get no turn for longer than a peer waits.
    pub fn apply(self) -> Granted {
        if self == Self::Normal {
            return Granted::AsAsked;
        }
        let idle = self == Self::Idle && become_idle();
        // Idle threads are low as well, since it is by this that the kernel books their time
        // apart from others' (see `idle`). Afterwards, since becoming idle resets it.
        if rustix::process::setpriority_process(None, LOWEST).is_err() {
            return Granted::Unchanged;
        }
        if self == Self::Low || idle {
            Granted::AsAsked
        } else {
            Granted::OnlyLow
        }
    }
}

fn become_idle() -> bool {
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle).is_ok()
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::ALL.iter().find(|(_, one)| one == self);
        f.pad(named.expect("every choice is in the table").0)
    }
}

impl FromStr for Priority {
    type Err = ParsePriorityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL
            .iter()
            .find(|(name, _)| text.eq_ignore_ascii_case(name));
        named.map(|&(_, one)| one).ok_or(ParsePriorityError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields 19 and 41 of /proc/thread-self/stat: nice value and scheduling policy.
    fn nice_and_policy() -> (i32, u32) {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        (fields[16].parse().unwrap(), fields[38].parse().unwrap())
    }

    #[test]
    fn threads_started_by_an_idle_thread_are_idle_too() {
        const SCHED_IDLE: u32 = 5;
        let seen = std::thread::spawn(|| {
            assert_eq!(Priority::Idle.apply(), Granted::AsAsked);
            std::thread::spawn(nice_and_policy).join().unwrap()
        });
        assert_eq!(seen.join().unwrap(), (LOWEST, SCHED_IDLE));
    }

    #[test]
    fn every_choice_can_be_written_and_read() {
        for (name, choice) in Priority::ALL {
            assert_eq!(name.parse(), Ok(choice));
            assert_eq!(choice.to_string(), name);
        }
        assert_eq!("high".parse::<Priority>(), Err(ParsePriorityError));
    }
}
