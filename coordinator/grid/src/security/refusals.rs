//! Clients that were refused, and how much is logged about it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long nothing more is logged about the same reason and network.
const QUIET: Duration = Duration::from_secs(3600);

/// How many pairs of network and reason are remembered. A flood from ever new addresses must
/// not fill memory.
const ENTRIES: usize = 1024;

/// What to say about one more refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Not seen within the hour.
    First,
    /// Logged already.
    Silent,
    /// Time for another line.
    Again {
        /// How many were not logged meanwhile.
        unmentioned: u64,
    },
}

#[derive(Debug)]
struct Entry {
    logged: Instant,
    unmentioned: u64,
}

#[derive(Debug, Default)]
struct Entries {
    by_key: BTreeMap<(Option<IpAddr>, &'static str), Entry>,
    swept: Option<Instant>,
}

/// Logs each reason from each network once, and once an hour how often it came again.
#[derive(Clone, Debug, Default)]
pub struct RefusalLog(Arc<Mutex<Entries>>);

impl RefusalLog {
    /// Writes to the log if there is something new to say.
    pub fn record(&self, peer: Option<IpAddr>, reason: &'static str) {
        crate::metrics::turned_away(reason);
        let from = peer.map_or_else(|| "an unknown address".to_owned(), |ip| ip.to_string());
        match self.notice(peer, reason, Instant::now()) {
            Notice::Silent => {}
            Notice::First => tracing::warn!(
                %from,
                reason,
                "refused a client; more of the same is counted, not logged"
            ),
            Notice::Again { unmentioned } => tracing::warn!(
                %from,
                reason,
                times = unmentioned,
                "refused clients again since this was last logged"
            ),
        }
    }

    /// What there is to say, at this moment.
    #[must_use]
    pub fn notice(&self, peer: Option<IpAddr>, reason: &'static str, now: Instant) -> Notice {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (peer.map(network), reason);
        if !entries.by_key.contains_key(&key) && !entries.has_room(now) {
            key = (None, "a flood from many addresses");
        }
        let by_key = &mut entries.by_key;
        let Some(entry) = by_key.get_mut(&key) else {
            let unmentioned = 0;
            by_key.insert(
                key,
                Entry {
                    logged: now,
                    unmentioned,
                },
            );
            return Notice::First;
        };
        entry.unmentioned += 1;
        if now.duration_since(entry.logged) < QUIET {
            return Notice::Silent;
        }
        entry.logged = now;
        let unmentioned = std::mem::take(&mut entry.unmentioned);
        Notice::Again { unmentioned }
    }
}

impl Entries {
    fn has_room(&mut self, now: Instant) -> bool {
        let long_ago = |then: Instant| now.duration_since(then) >= QUIET;
        // Looking through all of them at each call would make a flood dear after all.
        if self.by_key.len() >= ENTRIES && self.swept.is_none_or(long_ago) {
            self.by_key.retain(|_, entry| !long_ago(entry.logged));
            self.swept = Some(now);
        }
        self.by_key.len() < ENTRIES
    }
}

/// Whoever has one address of IPv6 has the 2^64 beside it.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        v4 @ IpAddr::V4(_) => v4,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REASON: &str = "wrong secret";

    fn ip(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn the_same_reason_is_logged_once_an_hour() {
        let log = RefusalLog::default();
        let start = Instant::now();
        let at = |minutes: u64| start + Duration::from_secs(60 * minutes);
        assert_eq!(log.notice(ip("10.0.0.1"), REASON, start), Notice::First);
        for minute in 1..60 {
            assert_eq!(
                log.notice(ip("10.0.0.1"), REASON, at(minute)),
                Notice::Silent
            );
        }
        let again = log.notice(ip("10.0.0.1"), REASON, at(60));
        assert_eq!(again, Notice::Again { unmentioned: 60 });
        assert_eq!(log.notice(ip("10.0.0.1"), REASON, at(61)), Notice::Silent);
    }

    #[test]
    fn another_reason_or_network_is_news() {
        let log = RefusalLog::default();
        let now = Instant::now();
        assert_eq!(log.notice(ip("10.0.0.1"), REASON, now), Notice::First);
        assert_eq!(log.notice(ip("10.0.0.1"), "no token", now), Notice::First);
        assert_eq!(log.notice(ip("10.0.0.2"), REASON, now), Notice::First);
    }

    #[test]
    fn a_network_of_ipv6_is_one_peer() {
        let log = RefusalLog::default();
        let now = Instant::now();
        assert_eq!(log.notice(ip("2001:db8::1"), REASON, now), Notice::First);
        assert_eq!(log.notice(ip("2001:db8::2"), REASON, now), Notice::Silent);
        assert_eq!(
            log.notice(ip("::ffff:10.0.0.1"), REASON, now),
            Notice::First
        );
        assert_eq!(
            log.notice(ip("::ffff:10.0.0.2"), REASON, now),
            Notice::First
        );
    }

    #[test]
    fn a_flood_from_everywhere_takes_no_more_memory() {
        let log = RefusalLog::default();
        let now = Instant::now();
        let first = (0..100_000_u32)
            .filter(|&i| {
                log.notice(Some(IpAddr::from(i.to_be_bytes())), REASON, now) == Notice::First
            })
            .count();
        assert_eq!(first, ENTRIES + 1);
        assert_eq!(log.0.lock().unwrap().by_key.len(), ENTRIES + 1);
    }
}
