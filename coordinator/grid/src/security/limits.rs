//! How many connections there may be: in all, from one address, and from strangers.
//!
//! Who has not shown a token yet is a stranger. Strangers share a small part of the room, so
//! that a flood of them leaves the rest to those who belong here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use gridproof_host::tls::HANDSHAKE;
use tokio_util::sync::CancellationToken;

use super::refusals::network;

/// What connections may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at one time.
    pub connections: u32,
    /// Those of one address (of IPv6: of one network). A room of machines may share one.
    pub of_address: u32,
    /// Those that have shown no token yet.
    pub strangers: u32,
    /// Those of one address that have shown no token yet: one more, and the oldest of them makes
    /// room. A room of machines that comes back at once gets by with this, since a handshake
    /// takes about a millisecond.
    pub strangers_of_address: u32,
    /// Strangers of one address that have said something and just left without a token; then no
    /// more are taken.
    pub left_of_address: u32,
    /// Bytes that are read of a stranger before its first call is let in.
    pub stranger_bytes: usize,
    /// And calls, about: those that are read together are counted together.
    pub stranger_calls: u32,
    /// How long a stranger has for the handshake and the first call that is let in.
    pub introduction: Duration,
    /// How long a peer may leave unread what waits for it.
    pub unread: Duration,
    /// How long a stranger that left without a token is remembered for its address: who comes
    /// back again and again is to cost little.
    pub afterwards: Duration,
}

/// Files for everything but these connections: the store, logs and metrics.
const OTHER_FILES: u64 = 192;
/// Connections of browsers: a few for each open page.
const BROWSERS: u32 = 512;
/// Connections of Prometheus.
const SCRAPERS: u32 = 32;

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            of_address: 1024,
            strangers: 256,
            strangers_of_address: 64,
            left_of_address: 1024,
            stranger_bytes: 16 << 10,
            stranger_calls: 32,
            introduction: HANDSHAKE,
            unread: Duration::from_secs(30),
            afterwards: Duration::from_secs(5),
        }
    }
}

impl Limits {
    /// As many as the system lets this process have files for; asks it for more first.
    #[must_use]
    pub fn of_this_process() -> Self {
        Self::default().with_files(open_files())
    }

    #[must_use]
    fn with_files(self, files: u64) -> Self {
        let room = files.saturating_sub(OTHER_FILES).max(16);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let room = room - BROWSERS.min(room / 8);
        Self {
            connections: self.connections.min(room),
            strangers: self.strangers.min(room / 4),
            ..self
        }
    }

    /// For the page, whose listener has a part of its own beside the workers'.
    #[must_use]
    pub fn for_browsers(self) -> Self {
        let connections = BROWSERS.min(self.connections / 7);
        Self {
            connections,
            of_address: self.of_address.min(connections),
            strangers: self.strangers.min(connections / 2),
            strangers_of_address: self.strangers_of_address.min(connections / 4),
            ..self
        }
    }

    /// For the metrics, which nobody needs a token for: all are strangers, and the oldest makes
    /// room.
    #[must_use]
    pub fn for_metrics(self) -> Self {
        Self {
            connections: 2 * SCRAPERS,
            of_address: 2 * SCRAPERS,
            strangers: SCRAPERS,
            strangers_of_address: SCRAPERS / 2,
            ..self
        }
    }
}

#[cfg(unix)]
fn open_files() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = u64::from(Limits::default().connections + BROWSERS) + OTHER_FILES;
    let wanted = maximum.map_or(wanted, |most| wanted.min(most));
    if let Some(current) = current
        && current < wanted
    {
        let raised = Rlimit {
            current: Some(wanted),
            maximum,
        };
        // Without it there is less room, and that is all.
        return match setrlimit(Resource::Nofile, raised) {
            Ok(()) => wanted,
            Err(_) => current,
        };
    }
    current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn open_files() -> u64 {
    u64::MAX
}

/// All connections at this moment. A cheap handle.
#[derive(Clone, Debug)]
pub(super) struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: Limits,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    all: Count,
    by_address: BTreeMap<IpAddr, Count>,
    /// By the order in which they came.
    strangers: BTreeMap<u64, Stranger>,
    came: u64,
    /// Strangers that have left, and until when they count.
    left: VecDeque<(Instant, IpAddr)>,
}

/// The address stands beside the place: whoever holds a place may be the last, and then wants the
/// counts.
#[derive(Debug)]
struct Stranger {
    address: IpAddr,
    was_heard: Arc<AtomicBool>,
    place: Weak<Place>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    connections: u32,
    strangers: u32,
    /// Strangers that have just left.
    left: u32,
}

/// The room of one connection. Dropping the last clone gives it back.
#[derive(Clone, Debug)]
pub struct Admission(Arc<Place>);

#[derive(Debug)]
struct Place {
    connections: Connections,
    address: IpAddr,
    number: u64,
    standing: Mutex<Standing>,
    /// Cancelled when it is a stranger no more.
    settled: CancellationToken,
    /// Whether it has said anything.
    was_heard: Arc<AtomicBool>,
    calls: AtomicU32,
}

/// What is thought of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has shown no token yet.
    Stranger,
    Admitted,
    /// It had to make room for another stranger.
    Evicted,
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Self {
        Self(Arc::new(Inner {
            limits,
            counts: Mutex::default(),
        }))
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Room for a stranger, or why there is none. Where strangers have taken all of theirs one
    /// of them makes room: an honest one shows its token within moments.
    pub(super) fn enter(&self, peer: IpAddr) -> Result<Admission, &'static str> {
        let address = network(peer);
        let limits = &self.0.limits;
        let mut counts = self.counts();
        counts.forget_left(Instant::now());
        let of_address = counts.by_address.get(&address).copied().unwrap_or_default();
        if of_address.left >= limits.left_of_address {
            return Err("comes back too often without a token");
        }
        if of_address.connections >= limits.of_address {
            return Err("too many connections");
        }
        if counts.all.connections >= limits.connections {
            return Err("too many connections from everywhere");
        }
        let evicted = if of_address.strangers >= limits.strangers_of_address {
            counts.evict(Some(address), limits.afterwards)
        } else if counts.all.strangers >= limits.strangers {
            counts.evict(None, limits.afterwards)
        } else {
            None
        };
        counts.change(address, |count| {
            count.connections += 1;
            count.strangers += 1;
        });
        counts.came += 1;
        let number = counts.came;
        let place = Arc::new(Place {
            connections: self.clone(),
            address,
            number,
            standing: Mutex::new(Standing::Stranger),
            settled: CancellationToken::new(),
            was_heard: Arc::default(),
            calls: AtomicU32::new(0),
        });
        let stranger = Stranger {
            address,
            was_heard: Arc::clone(&place.was_heard),
            place: Arc::downgrade(&place),
        };
        counts.strangers.insert(number, stranger);
        drop(counts);
        // It may be the last to hold it.
        drop(evicted);
        Ok(Admission(place))
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn change(&mut self, address: IpAddr, change: impl Fn(&mut Count)) {
        change(&mut self.all);
        self.change_address(address, change);
    }

    fn change_address(&mut self, address: IpAddr, change: impl Fn(&mut Count)) {
        let of_address = self.by_address.entry(address).or_default();
        change(of_address);
        if of_address.connections + of_address.left == 0 {
            self.by_address.remove(&address);
        }
    }

    /// A stranger has left, or is about to.
    fn lose_stranger(&mut self, place: &Place, afterwards: Duration) {
        self.strangers.remove(&place.number);
        // Who said nothing has cost next to nothing, and is not held against its neighbours.
        let has_cost = place.was_heard.load(Ordering::Relaxed);
        self.change(place.address, |count| {
            count.strangers -= 1;
            count.left += u32::from(has_cost);
        });
        if !has_cost {
            return;
        }
        self.left
            .push_back((Instant::now() + afterwards, place.address));
    }

    fn forget_left(&mut self, now: Instant) {
        /// So many are remembered at most.
        const MOST: usize = 1 << 14;
        while let Some(&(until, address)) = self.left.front() {
            if until > now && self.left.len() <= MOST {
                return;
            }
            self.left.pop_front();
            self.change(address, |count| count.left -= 1);
        }
    }

    /// Drops the oldest stranger of this address, or else of that which has most of them, counting
    /// those that have just left: who floods comes back again and again. Those that say nothing
    /// go first.
    fn evict(&mut self, of: Option<IpAddr>, afterwards: Duration) -> Option<Arc<Place>> {
        let strangers_of = |address: IpAddr| {
            let count = self.by_address.get(&address);
            count.map_or(0, |count| count.strangers + count.left)
        };
        let among = self.strangers.iter();
        let among = among.filter(|(_, stranger)| of.is_none_or(|of| of == stranger.address));
        let (_, stranger) = among.max_by_key(|(number, stranger)| {
            let is_silent = !stranger.was_heard.load(Ordering::Relaxed);
            (strangers_of(stranger.address), is_silent, Reverse(**number))
        })?;
        // If it is just leaving by itself, there is room already.
        let place = stranger.place.upgrade()?;
        if place.turn(Standing::Evicted) {
            self.lose_stranger(&place, afterwards);
        }
        Some(place)
    }
}

impl Admission {
    /// A call of this connection was let in: it is no stranger any more.
    pub(super) fn admit(&self) {
        let place = &self.0;
        let mut counts = place.connections.counts();
        if place.turn(Standing::Admitted) {
            counts.strangers.remove(&place.number);
            counts.change(place.address, |count| count.strangers -= 1);
        }
    }

    pub(super) fn standing(&self) -> Standing {
        *self.0.standing()
    }

    /// Cancelled when it is let in, or has to make room.
    pub(super) fn settled(&self) -> CancellationToken {
        self.0.settled.clone()
    }

    /// It has said something.
    pub(super) fn heard(&self) {
        self.0.was_heard.store(true, Ordering::Relaxed);
    }

    pub(super) fn called(&self) {
        self.0.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// How many calls it has made.
    pub(super) fn calls(&self) -> u32 {
        self.0.calls.load(Ordering::Relaxed)
    }
}

impl Place {
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was a stranger until now.
    fn turn(&self, to: Standing) -> bool {
        let mut standing = self.standing();
        let was_stranger = *standing == Standing::Stranger;
        if was_stranger {
            *standing = to;
            drop(standing);
            self.settled.cancel();
        }
        was_stranger
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let connections = self.connections.clone();
        let mut counts = connections.counts();
        if self.turn(Standing::Evicted) {
            counts.lose_stranger(self, connections.limits().afterwards);
        }
        counts.change(self.address, |count| count.connections -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Connections {
        Connections::new(Limits {
            connections: 10,
            of_address: 6,
            strangers: 5,
            strangers_of_address: 3,
            afterwards: Duration::ZERO,
            ..Limits::default()
        })
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn fill(connections: &Connections, peer: IpAddr) -> Vec<Admission> {
        std::iter::from_fn(|| connections.enter(peer).ok()).collect()
    }

    fn standings(all: &[Admission]) -> Vec<Standing> {
        all.iter().map(Admission::standing).collect()
    }

    #[test]
    fn one_address_cannot_take_all_the_room_of_strangers_nor_all_strangers_all_room() {
        use Standing::{Evicted, Stranger};

        let connections = small();
        let mut greedy: Vec<_> = (0..3)
            .map(|_| connections.enter(address(1)).unwrap())
            .collect();
        let others: Vec<_> = (2..5)
            .map(|last| connections.enter(address(last)).unwrap())
            .collect();
        assert_eq!(standings(&greedy), [Evicted, Stranger, Stranger]);
        assert_eq!(standings(&others), [Stranger; 3]);
        others.iter().for_each(Admission::admit);
        greedy.extend(fill(&connections, address(1)));
        assert_eq!(greedy.len(), 6, "of_address");
        let last = standings(&greedy).split_off(3);
        assert_eq!(last, [Stranger; 3], "the oldest make room");
        greedy.iter().for_each(Admission::admit);
        assert_eq!(greedy[0].standing(), Evicted, "it cannot come back");
        drop(greedy);
        assert!(
            connections.enter(address(1)).is_ok(),
            "who is let in makes room for strangers"
        );
    }

    #[test]
    fn a_neighbour_of_strangers_comes_in_and_stays() {
        let connections = small();
        let _bare: Vec<_> = (0..3)
            .map(|_| connections.enter(address(1)).unwrap())
            .collect();
        let neighbour = connections.enter(address(1)).unwrap();
        neighbour.admit();
        let _more = fill(&connections, address(1));
        assert_eq!(neighbour.standing(), Standing::Admitted);
    }

    #[test]
    fn who_is_let_in_counts_too() {
        let connections = small();
        let mut held = Vec::new();
        for last in 1..20 {
            while let Ok(place) = connections.enter(address(last)) {
                place.admit();
                held.push(place);
            }
        }
        assert_eq!(held.len(), 10);
        drop(held);
        connections.counts().forget_left(Instant::now());
        assert!(
            connections.counts().by_address.is_empty(),
            "nothing is remembered afterwards"
        );
        assert_eq!(fill(&connections, address(1)).len(), 6);
    }

    #[test]
    fn who_says_nothing_makes_room_before_who_speaks() {
        use Standing::{Evicted, Stranger};

        let connections = small();
        let held: Vec<_> = (0..3)
            .map(|_| connections.enter(address(1)).unwrap())
            .collect();
        held[0].heard();
        let _next = connections.enter(address(1)).unwrap();
        assert_eq!(standings(&held), [Stranger, Evicted, Stranger]);
    }

    #[test]
    fn who_comes_back_too_often_without_a_token_has_to_wait() {
        let limits = Limits {
            afterwards: Duration::from_secs(3600),
            left_of_address: 4,
            ..*small().limits()
        };
        let connections = Connections::new(limits);
        for _ in 0..10 {
            drop(connections.enter(address(1)).unwrap());
        }
        for _ in 0..4 {
            connections.enter(address(1)).unwrap().heard();
        }
        assert!(connections.enter(address(1)).is_err());
        assert!(connections.enter(address(2)).is_ok());
        for _ in 0..10 {
            connections.enter(address(3)).unwrap().admit();
        }
        let later = Instant::now() + 2 * limits.afterwards;
        connections.counts().forget_left(later);
        assert!(connections.enter(address(1)).is_ok());
    }

    #[test]
    fn few_files_leave_room_for_the_store() {
        let few = Limits::default().with_files(1024);
        assert_eq!((few.connections, few.strangers), (728, 182));
        let page = few.for_browsers();
        assert_eq!((page.connections, page.strangers), (104, 52));
        assert_eq!(Limits::default().with_files(1 << 20), Limits::default());
    }
}
