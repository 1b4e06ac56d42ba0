//! What is simulated.

use std::time::Duration;

use gridproof_search::Options;

use super::hostile::Strategy;
use super::policy::Policy;

/// A grid to simulate.
#[derive(Clone, Debug)]
pub struct Settings {
    pub workers: usize,
    pub options: Options,
    pub policy: Policy,
    /// Solver nodes a second of a usual machine.
    pub speed: u64,
    /// How much machines differ: 0 for not at all.
    pub speed_spread: f64,
    /// Milliseconds from an answer to the start of the next job.
    pub latency: u64,
    /// Milliseconds between ticks of the coordinator's clock.
    pub tick: u64,
    /// Verifiers tell what they find before they end.
    pub tells_findings: bool,
    /// Needed for restarts.
    pub keeps_facts: bool,
    pub keeps_curve: bool,
    pub faults: Option<Faults>,
    /// What the first worker does, if it is not honest.
    pub hostile: Option<Strategy>,
    /// Invariants are checked, and a replay compared, after every so many events; 0 for never.
    pub check_every: u64,
    pub seed: u64,
    /// A search without a verdict after this much virtual time is stuck.
    pub patience: Duration,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faults {
    pub count: u64,
    /// All happen within so many milliseconds.
    pub within: u64,
    /// In so many of a hundred grids there is a liar.
    pub liars: u64,
    /// In so many of a hundred grids somebody is hostile in another way.
    pub hostile: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: 1,
            options: Options::default(),
            policy: Policy::default(),
            speed: 300_000,
            speed_spread: 0.0,
            latency: 5,
            tick: 1_000,
            tells_findings: true,
            keeps_facts: false,
            keeps_curve: false,
            faults: None,
            hostile: None,
            check_every: 0,
            seed: 0,
            patience: Duration::from_secs(10 * 365 * 86_400),
        }
    }
}
