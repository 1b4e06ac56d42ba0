//! Those who are turned away, and how much is said about it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long nothing more is said about the same trouble from the same place.
const QUIET: Duration = Duration::from_secs(3600);

/// How many places are remembered. A flood from ever new addresses must not fill memory.
const PLACES: usize = 1024;

/// What to say about one more refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Never seen, or long ago.
    First,
    /// Said already.
    Silent,
    /// Time for another word: so many were not mentioned.
    Again { unmentioned: u64 },
}

#[derive(Debug)]
struct Memory {
    said: Instant,
    unmentioned: u64,
}

#[derive(Debug, Default)]
struct Ledger {
    places: BTreeMap<(Option<IpAddr>, &'static str), Memory>,
    swept: Option<Instant>,
}

/// Logs each trouble from each place once, and once an hour how often it came again.
#[derive(Clone, Debug, Default)]
pub struct Strangers(Arc<Mutex<Ledger>>);

impl Strangers {
    /// Writes to the log if there is something new to say.
    pub fn turned_away(&self, from: Option<IpAddr>, why: &'static str) {
        crate::metrics::turned_away(why);
        let place = from.map_or_else(|| "an unknown address".to_owned(), |ip| ip.to_string());
        match self.notice(from, why, Instant::now()) {
            Notice::Silent => {}
            Notice::First => tracing::warn!(
                from = %place,
                why,
                "turned a stranger away; more of the same is counted, not logged"
            ),
            Notice::Again { unmentioned } => tracing::warn!(
                from = %place,
                why,
                times = unmentioned,
                "turned strangers away again since this was last logged"
            ),
        }
    }

    /// What there is to say, at this moment.
    #[must_use]
    pub fn notice(&self, from: Option<IpAddr>, why: &'static str, now: Instant) -> Notice {
        let mut ledger = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (from.map(neighbourhood), why);
        if !ledger.places.contains_key(&key) && !ledger.has_room(now) {
            key = (None, "a flood from many addresses");
        }
        let places = &mut ledger.places;
        let Some(memory) = places.get_mut(&key) else {
            let unmentioned = 0;
            places.insert(
                key,
                Memory {
                    said: now,
                    unmentioned,
                },
            );
            return Notice::First;
        };
        memory.unmentioned += 1;
        if now.duration_since(memory.said) < QUIET {
            return Notice::Silent;
        }
        memory.said = now;
        let unmentioned = std::mem::take(&mut memory.unmentioned);
        Notice::Again { unmentioned }
    }
}

impl Ledger {
    fn has_room(&mut self, now: Instant) -> bool {
        let long_ago = |then: Instant| now.duration_since(then) >= QUIET;
        // Looking through all of them at each call would make a flood dear after all.
        if self.places.len() >= PLACES && self.swept.is_none_or(long_ago) {
            self.places.retain(|_, memory| !long_ago(memory.said));
            self.swept = Some(now);
        }
        self.places.len() < PLACES
    }
}

/// Whoever has one address of IPv6 has the 2^64 beside it.
fn neighbourhood(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        v4 @ IpAddr::V4(_) => v4,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHY: &str = "wrong secret";

    fn ip(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn the_same_trouble_is_told_once_an_hour() {
        let strangers = Strangers::default();
        let start = Instant::now();
        let at = |minutes: u64| start + Duration::from_secs(60 * minutes);
        assert_eq!(strangers.notice(ip("10.0.0.1"), WHY, start), Notice::First);
        for minute in 1..60 {
            assert_eq!(
                strangers.notice(ip("10.0.0.1"), WHY, at(minute)),
                Notice::Silent
            );
        }
        let again = strangers.notice(ip("10.0.0.1"), WHY, at(60));
        assert_eq!(again, Notice::Again { unmentioned: 60 });
        assert_eq!(
            strangers.notice(ip("10.0.0.1"), WHY, at(61)),
            Notice::Silent
        );
    }

    #[test]
    fn another_trouble_or_place_is_news() {
        let strangers = Strangers::default();
        let now = Instant::now();
        assert_eq!(strangers.notice(ip("10.0.0.1"), WHY, now), Notice::First);
        assert_eq!(
            strangers.notice(ip("10.0.0.1"), "no token", now),
            Notice::First
        );
        assert_eq!(strangers.notice(ip("10.0.0.2"), WHY, now), Notice::First);
    }

    #[test]
    fn a_network_of_ipv6_is_one_place() {
        let strangers = Strangers::default();
        let now = Instant::now();
        assert_eq!(strangers.notice(ip("2001:db8::1"), WHY, now), Notice::First);
        assert_eq!(
            strangers.notice(ip("2001:db8::2"), WHY, now),
            Notice::Silent
        );
        assert_eq!(
            strangers.notice(ip("::ffff:10.0.0.1"), WHY, now),
            Notice::First
        );
        assert_eq!(
            strangers.notice(ip("::ffff:10.0.0.2"), WHY, now),
            Notice::First
        );
    }

    #[test]
    fn a_flood_from_everywhere_takes_no_more_memory() {
        let strangers = Strangers::default();
        let now = Instant::now();
        let first = (0..100_000_u32)
            .filter(|&i| {
                strangers.notice(Some(IpAddr::from(i.to_be_bytes())), WHY, now) == Notice::First
            })
            .count();
        assert_eq!(first, PLACES + 1);
        assert_eq!(strangers.0.lock().unwrap().places.len(), PLACES + 1);
    }
}
