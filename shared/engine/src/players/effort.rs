use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::EnginePlayer;

/// What a move may cost, as users write it: `30000`, `5s`, or `5s,2` for two threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Where thinking ends.
    pub limit: Limit,
    /// Threads that search. The same nodes give the same move with one thread only.
    pub threads: usize,
}

/// Where thinking ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// After so many nodes of the first thread.
    Nodes(u64),
    /// After about this time by the clock.
    Time(Duration),
}

/// Threads that can be asked for.
const THREADS: std::ops::RangeInclusive<usize> = 1..=256;
/// The longest time for a move.
const LONGEST: f64 = 86_400.0;

impl Effort {
    /// So many nodes of one thread.
    #[must_use]
    pub const fn of_nodes(nodes: u64) -> Self {
        Self {
            limit: Limit::Nodes(nodes),
            threads: 1,
        }
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self::of_nodes(EnginePlayer::DEFAULT_NODES)
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            Limit::Nodes(nodes) => write!(f, "{nodes}")?,
            Limit::Time(time) => write!(f, "{time:?}")?,
        }
        match self.threads {
            1 => Ok(()),
            threads => write!(f, ",{threads}"),
        }
    }
}

/// The text is no effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write nodes or a time, and threads after a comma: 30000, 5s, 200ms, or 5s,2")]
pub struct EffortError;

impl FromStr for Effort {
    type Err = EffortError;

    fn from_str(text: &str) -> Result<Self, EffortError> {
        let (limit, threads) = match text.split_once(',') {
            Some((limit, threads)) => {
                let threads = threads.parse().map_err(|_| EffortError)?;
                (limit, threads)
            }
            None => (text, 1),
        };
        let seconds = |text: &str, unit: f64| {
            let seconds = text.parse::<f64>().map_err(|_| EffortError)? * unit;
            match (0.001..=LONGEST).contains(&seconds) {
                true => Ok(Limit::Time(Duration::from_secs_f64(seconds))),
                false => Err(EffortError),
            }
        };
        let limit = match (limit.strip_suffix("ms"), limit.strip_suffix('s')) {
            (Some(text), _) => seconds(text, 0.001)?,
            (None, Some(text)) => seconds(text, 1.0)?,
            (None, None) => Limit::Nodes(limit.parse().map_err(|_| EffortError)?),
        };
        match THREADS.contains(&threads) {
            true => Ok(Self { limit, threads }),
            false => Err(EffortError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_read_back_as_they_are_written() {
        for text in ["30000", "30000,2", "5s", "1.5s,4", "200ms"] {
            assert_eq!(text.parse::<Effort>().unwrap().to_string(), text);
        }
        for text in [
            "", "5m", "s", "ms", "-1s", "0s", "1e9s", "NaNs", "30000,0", "30000,x", "5s,999", ",2",
        ] {
            assert_eq!(text.parse::<Effort>(), Err(EffortError), "{text}");
        }
    }
}
