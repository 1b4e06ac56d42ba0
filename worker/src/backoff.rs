use std::time::Duration;

use rand::Rng;

/// How long to wait before the next try: longer each time, up to a limit, and never the same,
/// so that a thousand workers do not come back in one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure, at most.
    pub first: Duration,
    /// After any failure, at most.
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            longest: Duration::from_secs(30),
        }
    }
}

impl Backoff {
    /// The wait after so many failures in a row.
    pub(crate) fn wait(&self, failures: u32, rng: &mut impl Rng) -> Duration {
        let doubled = 2u32.saturating_pow(failures.saturating_sub(1).min(20));
        let most = self.first.saturating_mul(doubled).min(self.longest);
        most.mul_f64(rng.random_range(0.5..=1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    #[test]
    fn waits_grow_up_to_the_limit_and_differ() {
        let mut rng = SmallRng::seed_from_u64(1);
        let backoff = Backoff::default();
        assert!(backoff.wait(1, &mut rng) <= backoff.first);
        let late: Vec<_> = (100..110).map(|n| backoff.wait(n, &mut rng)).collect();
        assert!(late.iter().all(|wait| *wait <= backoff.longest));
        assert!(late.iter().all(|wait| *wait >= backoff.longest / 2));
        assert!(late.windows(2).any(|pair| pair[0] != pair[1]));
        assert!(backoff.wait(u32::MAX, &mut rng) <= backoff.longest);
    }
}
