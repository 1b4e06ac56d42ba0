//! Bytes of workers' messages that are here and not yet dealt with, of each stream and of all.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Of all streams. One message may have most of it; where more comes, the stream that has most
/// under way must come again.
const MOST_OF_ALL: usize = 80 << 20;

/// A stream with so much that is not dealt with is not read for the time being.
const ENOUGH_OF_ONE: usize = 8 << 20;

/// All streams.
#[derive(Clone, Debug, Default)]
pub(super) struct Freight(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    last: u64,
    streams: BTreeMap<u64, Count>,
}

#[derive(Debug)]
struct Count {
    /// All that has come and is not dealt with.
    bytes: usize,
    /// Of these, messages that are complete.
    complete: usize,
    /// Their lengths, of those that were not taken yet.
    lengths: VecDeque<usize>,
    over: CancellationToken,
}

/// One stream.
#[derive(Debug)]
pub(super) struct Share {
    freight: Freight,
    stream: u64,
    over: CancellationToken,
    freed: Notify,
}

/// A message until it is dealt with.
#[derive(Debug)]
pub(super) struct Load {
    share: Arc<Share>,
    bytes: usize,
}

impl Freight {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another stream begins.
    pub(super) fn share(&self) -> Arc<Share> {
        let over = CancellationToken::new();
        let mut counts = self.counts();
        counts.last += 1;
        let stream = counts.last;
        let count = Count {
            bytes: 0,
            complete: 0,
            lengths: VecDeque::new(),
            over: over.clone(),
        };
        counts.streams.insert(stream, count);
        Arc::new(Share {
            freight: self.clone(),
            stream,
            over,
            freed: Notify::new(),
        })
    }
}

impl Counts {
    /// Whose stream has most, of those that go on.
    fn fullest(&self) -> Option<&Count> {
        let going = self.streams.values();
        going
            .filter(|count| !count.over.is_cancelled())
            .max_by_key(|count| count.bytes)
    }
}

impl Share {
    /// Bytes have come, and with them messages of these lengths are complete.
    pub(super) fn add(&self, bytes: usize, lengths: &[usize]) {
        let mut counts = self.freight.counts();
        counts.all += bytes;
        let is_too_much = counts.all > MOST_OF_ALL;
        if let Some(count) = counts.streams.get_mut(&self.stream) {
            count.bytes += bytes;
            count.complete += lengths.iter().sum::<usize>();
            count.lengths.extend(lengths);
        }
        if is_too_much && let Some(fullest) = counts.fullest() {
            fullest.over.cancel();
        }
    }

    /// The stream takes up its next message.
    pub(super) fn take_up(self: &Arc<Self>) -> Load {
        let mut counts = self.freight.counts();
        let count = counts.streams.get_mut(&self.stream);
        let bytes = count.and_then(|count| count.lengths.pop_front());
        Load {
            share: Arc::clone(self),
            bytes: bytes.unwrap_or(0),
        }
    }

    /// Whether the stream is not to be read for the time being.
    fn is_full(&self) -> bool {
        let counts = self.freight.counts();
        let count = counts.streams.get(&self.stream);
        count.is_some_and(|count| count.complete >= ENOUGH_OF_ONE)
    }

    /// Waits until the stream may be read.
    pub(super) async fn room(&self) {
        while self.is_full() {
            self.freed.notified().await;
        }
    }

    /// Waits until the stream must make room.
    pub(super) async fn over(&self) {
        self.over.cancelled().await;
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut counts = self.freight.counts();
        if let Some(count) = counts.streams.remove(&self.stream) {
            counts.all -= count.bytes;
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let mut counts = self.share.freight.counts();
        counts.all -= self.bytes;
        if let Some(count) = counts.streams.get_mut(&self.share.stream) {
            count.bytes -= self.bytes;
            count.complete -= self.bytes;
        }
        drop(counts);
        self.share.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stream_with_much_under_way_waits_until_some_is_done() {
        let freight = Freight::default();
        let share = freight.share();
        share.add(ENOUGH_OF_ONE + 5, &[ENOUGH_OF_ONE]);
        assert!(share.is_full());
        let load = share.take_up();
        assert!(share.is_full(), "it is taken up and not dealt with");
        drop(load);
        share.room().await;
        assert_eq!(freight.counts().all, 5, "the next one has begun");
        drop(share);
        assert_eq!(freight.counts().all, 0);
        assert!(freight.counts().streams.is_empty());
    }

    #[test]
    fn where_all_have_too_much_who_has_most_makes_room() {
        let freight = Freight::default();
        let [small, large, late] = [(); 3].map(|()| freight.share());
        small.add(1 << 20, &[]);
        large.add(60 << 20, &[60 << 20]);
        assert!(!large.over.is_cancelled());
        late.add(30 << 20, &[]);
        let over = [&small, &large, &late].map(|share| share.over.is_cancelled());
        assert_eq!(over, [false, true, false]);
        drop(large);
        late.add(20 << 20, &[]);
        assert!(!late.over.is_cancelled());
    }
}
