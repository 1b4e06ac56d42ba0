use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Connections that a worker may make at once.
const BURST: u32 = 8;
/// And how soon another after that.
const INTERVAL: Duration = Duration::from_secs(2);
/// Who would wait longer must try again later.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often workers come. Each time is told in the log and in the store, so one that comes and goes
/// without end has to wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals(Arc<Mutex<BTreeMap<String, Instant>>>);

/// A worker comes too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooOften;

impl Arrivals {
    /// When a worker that is here now may come in.
    pub(super) fn when(&self, worker: &str, now: Instant) -> Result<Instant, TooOften> {
        let mut due = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        due.retain(|_, due| *due > now);
        let ahead = INTERVAL * BURST;
        // When all its visits would have come at the steady pace.
        let paid = due.get(worker).copied().unwrap_or(now).max(now) + INTERVAL;
        let when = paid.checked_sub(ahead).unwrap_or(now).max(now);
        if when > now + PATIENCE {
            return Err(TooOften);
        }
        due.insert(worker.to_owned(), paid);
        Ok(when)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_without_end_waits_and_others_do_not() {
        let (arrivals, now) = (Arrivals::default(), Instant::now());
        for _ in 0..BURST {
            assert_eq!(arrivals.when("flap", now), Ok(now));
        }
        assert_eq!(arrivals.when("flap", now), Ok(now + INTERVAL));
        let tries: Vec<_> = (0..100).map(|_| arrivals.when("flap", now)).collect();
        assert_eq!(tries.iter().filter(|when| when.is_ok()).count(), 4);
        assert_eq!(arrivals.when("honest", now), Ok(now));
        let later = now + Duration::from_secs(3600);
        assert_eq!(arrivals.when("flap", later), Ok(later));
        assert_eq!(
            arrivals.0.lock().unwrap().len(),
            1,
            "who stays away is forgotten"
        );
    }
}
