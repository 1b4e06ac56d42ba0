//! What a process takes, by the system's own books.

use std::fs;

/// Of one process, so far.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Bytes that are in memory now.
    pub memory: u64,
    /// The most that there were.
    pub peak: u64,
    /// Seconds of processor time, of all its threads.
    pub cpu: f64,
}

/// Ticks a second in /proc, on every Linux there is.
const TICKS: f64 = 100.0;

impl Usage {
    /// Of a process that runs.
    #[must_use]
    pub fn of(pid: u32) -> Self {
        let read = |file: &str| {
            let path = format!("/proc/{pid}/{file}");
            fs::read_to_string(path).expect("the process runs, and this is Linux")
        };
        let status = read("status");
        let bytes = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name));
            let number = line.and_then(|line| line.split_whitespace().nth(1));
            let kilobytes: u64 = number.and_then(|text| text.parse().ok()).unwrap_or(0);
            kilobytes * 1024
        };
        let stat = read("stat");
        // The name of the program, in brackets, may hold anything.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: f64 = ticks.filter_map(|text| text.parse::<f64>().ok()).sum();
        Self {
            memory: bytes("VmRSS"),
            peak: bytes("VmHWM"),
            cpu: ticks / TICKS,
        }
    }
}
