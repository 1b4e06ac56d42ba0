//! Who is there besides the attackers, and how they fare.

use std::env;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_tests::{Cluster, Coordinator, FakeWorker, Usage, random_outcome};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const HONEST: [&str; 2] = ["honest-0", "honest-1"];

/// The most memory that an attack may take.
const MOST_MEMORY: u64 = 300_000_000;

/// Between two calls of the operator.
const PAUSE: Duration = Duration::from_millis(50);

/// How long an honest worker works on a job.
const JOB: Duration = Duration::from_millis(20);

/// Names of workers with tokens: two honest ones, and so many others.
pub(crate) fn names(hostile: usize) -> Vec<&'static str> {
    const OTHERS: [&str; 4] = ["hostile-0", "hostile-1", "hostile-2", "hostile-3"];
    [&HONEST, &OTHERS[..hostile]].concat()
}

pub(crate) struct Scene {
    pub(crate) cluster: Arc<Cluster>,
    coordinator: Coordinator,
}

/// What honest people got done.
#[derive(Default)]
struct Done {
    answers: AtomicU64,
    looks: Mutex<Vec<Duration>>,
}

impl Scene {
    pub(crate) async fn start(cluster: Cluster) -> Self {
        let coordinator = cluster.coordinator();
        Self {
            cluster: Arc::new(cluster),
            coordinator,
        }
    }

    /// How long an attack goes on.
    pub(crate) fn time(&self) -> Duration {
        match env::var_os("GRIDPROOF_LONG") {
            Some(_) => Duration::from_secs(60),
            None => Duration::from_secs(2),
        }
    }

    pub(crate) async fn submit(&self, game: &str) {
        let request = v1::SubmitRequest {
            game: game.to_owned(),
            attacker: v1::Colour::Black.into(),
            ..v1::SubmitRequest::default()
        };
        let mut operator = self.cluster.operator().await;
        let submitted = operator.submit(self.cluster.operators(request)).await;
        submitted.unwrap();
    }

    /// Lets honest people work alone for a while, and then beside the attackers.
    pub(crate) async fn attacked<F>(self, name: &str, attackers: impl IntoIterator<Item = F>)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let done = Arc::new(Done::default());
        let mut people = JoinSet::new();
        for name in HONEST {
            people.spawn(work(Arc::clone(&self.cluster), name, Arc::clone(&done)));
        }
        people.spawn(look(Arc::clone(&self.cluster), Arc::clone(&done)));
        // The first job of each may wait for its worker to be known.
        while done.answers.load(Ordering::Relaxed) < 4 {
            tokio::time::sleep(JOB).await;
        }
        let calm = self.phase(&done, &mut people).await;
        let before = Usage::of(self.coordinator.id());
        let attack = Attack::begin(attackers);
        let attacked = self.phase(&done, &mut people).await;
        let after = Usage::of(self.coordinator.id());
        attack.end();
        println!(
            "{name}: memory {} MB, at most {} MB; status p99 {:.0} ms before, {:.0} ms under \
             attack, {:.0} ms at most; {:.1} answers a second before, {:.1} under attack: {:.0}%",
            before.memory / 1_000_000,
            after.peak / 1_000_000,
            calm.p99(),
            attacked.p99(),
            attacked.longest(),
            calm.answers,
            attacked.answers,
            100.0 * attacked.answers / calm.answers
        );
        people.shutdown().await;
        assert!(after.peak < MOST_MEMORY, "{} bytes", after.peak);
        assert!(!attacked.looks.is_empty() && attacked.answers > 0.0);
        assert!(self.coordinator.lines_with("panicked").is_empty());
    }

    async fn phase(&self, done: &Done, people: &mut JoinSet<()>) -> Figures {
        done.answers.store(0, Ordering::Relaxed);
        done.looks.lock().unwrap().clear();
        let time = self.time();
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            ended = people.join_next() => panic!("an honest worker or operator ended: {ended:?}"),
        }
        let mut looks = std::mem::take(&mut *done.looks.lock().unwrap());
        looks.sort_unstable();
        let answers = done.answers.load(Ordering::Relaxed) as f64 / time.as_secs_f64();
        Figures { answers, looks }
    }
}

/// Attackers on a thread of their own. Theirs would be other machines, so they take only the
/// processor time that nobody else wants.
struct Attack {
    over: CancellationToken,
    thread: JoinHandle<()>,
}

impl Attack {
    fn begin<F>(attackers: impl IntoIterator<Item = F>) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (over, attackers) = (CancellationToken::new(), attackers.into_iter());
        let (is_over, attackers) = (over.clone(), attackers.collect::<Vec<_>>());
        let thread = thread::spawn(move || {
            // On Linux this is the thread's own.
            let _ = rustix::process::nice(19);
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let mut running: JoinSet<()> = attackers.into_iter().collect();
                is_over.cancelled().await;
                running.shutdown().await;
            });
        });
        Self { over, thread }
    }

    fn end(self) {
        self.over.cancel();
        self.thread.join().expect("attackers do not panic");
    }
}

struct Figures {
    /// A second.
    answers: f64,
    /// How long calls took, ascending.
    looks: Vec<Duration>,
}

impl Figures {
    fn p99(&self) -> f64 {
        let last = self.looks.len().saturating_sub(1);
        self.milliseconds(last * 99 / 100)
    }

    fn longest(&self) -> f64 {
        self.milliseconds(self.looks.len().saturating_sub(1))
    }

    fn milliseconds(&self, at: usize) -> f64 {
        let look = self.looks.get(at);
        look.map_or(f64::NAN, |time| 1_000.0 * time.as_secs_f64())
    }
}

/// An honest worker, but that it thinks of anything.
async fn work(cluster: Arc<Cluster>, name: &'static str, done: Arc<Done>) {
    let mut rng = SmallRng::seed_from_u64(name.len() as u64);
    let mut worker = FakeWorker::hello(&cluster, name).await;
    loop {
        match worker.next().await.expect("nobody cuts off honest workers") {
            Said::Push(push) => {
                tokio::time::sleep(JOB).await;
                let outcome = Some(random_outcome(&push, &mut rng));
                let (lease, spent) = (push.lease, 1_000);
                let answer = v1::Done {
                    lease,
                    spent,
                    outcome,
                };
                worker.send(Say::Done(answer)).await;
            }
            Said::Accepted(_) => drop(done.answers.fetch_add(1, Ordering::Relaxed)),
            _ => {}
        }
    }
}

/// Asks how it stands, over a new connection each time, as `gridproof status` does.
async fn look(cluster: Arc<Cluster>, done: Arc<Done>) {
    loop {
        let began = Instant::now();
        let mut operator = cluster.operator().await;
        let list = operator.list(cluster.operators(v1::ListRequest {})).await;
        list.expect("who has a token is answered");
        done.looks.lock().unwrap().push(began.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
}
