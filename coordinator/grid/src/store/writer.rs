//! The one thread that writes: groups what waits, writes and flushes it once, then tells.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{Batch, Store, StoreError};

/// What is to happen once a batch is safe.
type Then = Box<dyn FnOnce() + Send>;

/// Hands batches to the thread that writes.
#[derive(Debug)]
pub struct Writer {
    waiting: mpsc::Sender<Entry>,
    thread: JoinHandle<()>,
}

struct Entry {
    batch: Batch,
    then: Then,
}

/// How writing came to an end that nobody wanted.
#[derive(Debug)]
pub enum StoreFailure {
    /// The store refused a batch: a full disk, most likely. Nothing of it was acknowledged.
    Failed(StoreError),
    /// A flush did not return.
    Hung(Duration),
}

impl fmt::Display for StoreFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => {
                write!(f, "the store cannot be written: {error}")?;
                let mut cause = std::error::Error::source(error);
                while let Some(error) = cause {
                    write!(f, ": {error}")?;
                    cause = error.source();
                }
                f.write_str(
                    ": see to it and start the program again, nothing that was acknowledged is \
                     lost",
                )
            }
            Self::Hung(time) => write!(
                f,
                "the store has not answered for {} s: start the program again, nothing that was \
                 acknowledged is lost",
                time.as_secs()
            ),
        }
    }
}

/// Notices a flush that does not return.
#[derive(Clone, Copy, Debug)]
pub struct Watchdog {
    pub patience: Duration,
}

impl Default for Watchdog {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(30),
        }
    }
}

/// Records in one flush: about a hundred make the best use of it, more only wait for nothing.
const GROUP: usize = 1000;

impl Writer {
    /// Starts the thread. `on_end` is told, once, if it cannot go on; what waits then is
    /// never acknowledged.
    pub fn start(
        store: Arc<dyn Store>,
        watchdog: Watchdog,
        on_end: impl Fn(StoreFailure) + Send + Sync + 'static,
    ) -> Self {
        let (waiting, entries) = mpsc::channel();
        let on_end = Arc::new(on_end);
        let pulse = Arc::new(Pulse::new());
        watch(&pulse, watchdog, Arc::clone(&on_end) as Arc<_>);
        let thread = thread::Builder::new()
            .name("store writer".to_owned())
            .spawn(move || {
                if let Err(error) = write_all(&*store, &entries, &pulse) {
                    on_end(StoreFailure::Failed(error));
                }
            })
            .expect("the system starts threads");
        Self { waiting, thread }
    }

    /// Writes a batch after those before it, flushes, then runs `then`. An empty batch
    /// costs no flush but keeps its place.
    pub fn submit(&self, batch: Batch, then: impl FnOnce() + Send + 'static) {
        let then = Box::new(then);
        // The thread has ended only if the store failed, and its owner has been told.
        let _ = self.waiting.send(Entry { batch, then });
    }

    /// Waits until all is written.
    pub fn finish(self) {
        drop(self.waiting);
        // A panic in the thread has been reported by the panic hook.
        let _ = self.thread.join();
    }
}

fn write_all(
    store: &dyn Store,
    entries: &mpsc::Receiver<Entry>,
    pulse: &Pulse,
) -> Result<(), StoreError> {
    while let Ok(Entry { mut batch, then }) = entries.recv() {
        let mut thens = vec![then];
        while batch.records.len() < GROUP
            && let Ok(next) = entries.try_recv()
        {
            batch.append(next.batch);
            thens.push(next.then);
        }
        if !batch.is_empty() {
            let started = Instant::now();
            pulse.start();
            let done = store.commit(&batch);
            pulse.stop();
            done?;
            crate::metrics::flush_took(started.elapsed());
        }
        for then in thens {
            then();
        }
    }
    Ok(())
}

/// When the flush that is under way began.
#[derive(Debug)]
struct Pulse {
    origin: Instant,
    /// Milliseconds since `origin`, plus one; 0 when nothing is under way.
    since: AtomicU64,
}

impl Pulse {
    fn new() -> Self {
        Self {
            origin: Instant::now(),
            since: AtomicU64::new(0),
        }
    }

    fn start(&self) {
        let now = self.origin.elapsed().as_millis() as u64;
        self.since.store(now + 1, Ordering::Relaxed);
    }

    fn stop(&self) {
        self.since.store(0, Ordering::Relaxed);
    }

    fn running_for(&self) -> Option<Duration> {
        let since = self.since.load(Ordering::Relaxed).checked_sub(1)?;
        let now = self.origin.elapsed().as_millis() as u64;
        Some(Duration::from_millis(now.saturating_sub(since)))
    }
}

/// Looks at the pulse now and then until its owner is gone.
fn watch(pulse: &Arc<Pulse>, watchdog: Watchdog, on_hang: Arc<dyn Fn(StoreFailure) + Send + Sync>) {
    let pulse = Arc::downgrade(pulse);
    let look = move || {
        while let Some(pulse) = pulse.upgrade() {
            if let Some(time) = pulse.running_for().filter(|time| *time > watchdog.patience) {
                on_hang(StoreFailure::Hung(time));
                return;
            }
            drop(pulse);
            thread::sleep(watchdog.patience / 30);
        }
    };
    thread::Builder::new()
        .name("store watchdog".to_owned())
        .spawn(look)
        .expect("the system starts threads");
}

#[cfg(test)]
mod tests {
    use super::super::{Hashes, MemoryStore, Record, Records};
    use super::*;
    use gridproof_certificate::ContentHash;
    use gridproof_search::{Epoch, Fact};
    use std::sync::Mutex;

    fn record(n: u32) -> Batch {
        let fact = Fact::Started { epoch: Epoch(n) };
        Batch {
            records: vec![Record::Fact(fact)],
            ..Batch::default()
        }
    }

    #[test]
    fn what_follows_a_batch_runs_in_order_and_after_it_is_stored() {
        let store = Arc::new(MemoryStore::new());
        let writer = Writer::start(Arc::clone(&store) as _, Watchdog::default(), |failure| {
            panic!("{failure}")
        });
        let seen = Arc::new(Mutex::new(Vec::new()));
        for n in 0..500 {
            let batch = if n % 5 == 0 {
                Batch::default()
            } else {
                record(n)
            };
            let (store, seen) = (Arc::clone(&store), Arc::clone(&seen));
            writer.submit(batch, move || {
                let stored = store.records().count() as u32;
                seen.lock().unwrap().push((n, stored));
            });
        }
        writer.finish();
        let seen = seen.lock().unwrap();
        assert!(seen.iter().map(|(n, _)| *n).eq(0..500));
        assert!(seen.iter().all(|(n, stored)| *stored >= n - n / 5));
    }

    #[derive(Debug)]
    struct BrokenStore {
        hangs: bool,
    }

    impl Store for BrokenStore {
        fn commit(&self, _: &Batch) -> Result<(), StoreError> {
            if self.hangs {
                thread::park();
            }
            Err(StoreError::Damaged("for the test".to_owned()))
        }

        fn records(&self) -> Records<'_> {
            Box::new(std::iter::empty())
        }

        fn certificate(&self, _: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(None)
        }

        fn certificates(&self) -> Hashes<'_> {
            Box::new(std::iter::empty())
        }

        fn has_certificate(&self, _: ContentHash) -> Result<bool, StoreError> {
            Ok(false)
        }
    }

    fn failure_of(hangs: bool) -> StoreFailure {
        let (told, failure) = mpsc::channel();
        let watchdog = Watchdog {
            patience: Duration::from_millis(30),
        };
        let writer = Writer::start(Arc::new(BrokenStore { hangs }), watchdog, move |failure| {
            let _ = told.send(failure);
        });
        writer.submit(record(1), || panic!("acknowledged what was never stored"));
        failure.recv().unwrap()
    }

    #[test]
    fn a_store_that_fails_acknowledges_nothing_and_says_why() {
        assert!(matches!(failure_of(false), StoreFailure::Failed(_)));
    }

    #[test]
    fn a_flush_that_does_not_return_is_noticed() {
        assert!(matches!(failure_of(true), StoreFailure::Hung(_)));
    }
}
