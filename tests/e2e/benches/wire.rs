//! What the wire bears: idle and busy streams, results a second, how soon a job starts and how
//! soon an abort ends it. Most workers here are made up and answer at once, so that the
//! coordinator is all that is measured; the last figures are of a real worker's real jobs.
//!
//! `cargo bench -p gridproof-tests --bench wire`; with `-- --no-sync` the disk is left out.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_tests::{Cluster, FakeWorker, Usage, random_outcome, worker_program};
use jiff::Timestamp;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::sync::mpsc;

async fn work(mut stream: FakeWorker, seed: u64, accepted: Arc<AtomicU64>) {
    let mut rng = SmallRng::seed_from_u64(seed);
    while let Ok(message) = stream.next().await {
        match message {
            Said::Push(push) => {
                let outcome = Some(random_outcome(&push, &mut rng));
                let done = v1::Done {
                    lease: push.lease,
                    spent: 1000,
                    outcome,
                };
                stream.send(Say::Done(done)).await;
            }
            Said::Accepted(_) => {
                accepted.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

async fn idle_streams(cluster: &Cluster, pid: u32) -> Vec<FakeWorker> {
    const STREAMS: usize = 2000;
    let before = Usage::of(pid);
    let mut streams = Vec::new();
    for number in 0..STREAMS {
        let mut stream = FakeWorker::with_slots(cluster, &format!("idle-{number}"), 0).await;
        while !matches!(stream.next().await, Ok(Said::Idle(_))) {}
        streams.push(stream);
    }
    let after = Usage::of(pid);
    tokio::time::sleep(Duration::from_secs(10)).await;
    let later = Usage::of(pid);
    println!(
        "{STREAMS} idle streams: {} KB each, {:.1}% of a core",
        (after.memory - before.memory) / 1024 / STREAMS as u64,
        (later.cpu - after.cpu) * 10.0
    );
    streams
}

async fn results(cluster: &Cluster, pid: u32) {
    const WORKERS: u64 = 200;
    let accepted = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for number in 0..WORKERS {
        let stream = FakeWorker::with_slots(cluster, &format!("busy-{number}"), 4).await;
        tasks.push(tokio::spawn(work(stream, number, Arc::clone(&accepted))));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (first, started) = (accepted.load(Ordering::Relaxed), Instant::now());
    let before = Usage::of(pid);
    tokio::time::sleep(Duration::from_secs(10)).await;
    let count = accepted.load(Ordering::Relaxed) - first;
    let (wall, cpu) = (
        started.elapsed().as_secs_f64(),
        Usage::of(pid).cpu - before.cpu,
    );
    println!(
        "{WORKERS} busy streams beside them: {:.0} results a second stored and acknowledged, \
         {:.0} a second of the coordinator's processor time ({:.1} cores)",
        count as f64 / wall,
        count as f64 / cpu,
        cpu / wall
    );
    for task in tasks {
        task.abort();
    }
}

fn told(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    println!(
        "{what}: {:?} (median), {:?} (99%), {:?} (worst of {})",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        times[times.len() - 1],
        times.len()
    );
}

/// A position that no other of the first 171 rounds has.
fn game(round: usize) -> String {
    let letter = char::from(b'a' + (round % 19) as u8);
    format!("j10 {letter}{} a19", 1 + round / 19)
}

fn submission(round: usize) -> v1::SubmitRequest {
    v1::SubmitRequest {
        game: game(round),
        ..v1::SubmitRequest::default()
    }
}

/// From an operator's order to the push, and to the abort, at a worker.
async fn orders(cluster: &Cluster) {
    const ROUNDS: usize = 150;
    const WORKERS: usize = 20;
    let (heard, mut all) = mpsc::unbounded_channel();
    for number in 0..WORKERS {
        let mut stream = FakeWorker::with_slots(cluster, &format!("ordered-{number}"), 1).await;
        let heard = heard.clone();
        tokio::spawn(async move {
            while let Ok(message) = stream.next().await {
                let _ = heard.send((Instant::now(), message));
            }
        });
    }
    let mut operator = cluster.operator().await;
    let (mut pushes, mut aborts) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let ordered = Instant::now();
        let search = operator.submit(submission(round)).await.unwrap();
        let search = search.into_inner().search;
        // Only one job is to be had at a fresh root.
        let arrived = loop {
            if let Some((at, Said::Push(_))) = all.recv().await {
                break at;
            }
        };
        pushes.push(arrived - ordered);
        let ordered = Instant::now();
        operator.stop(v1::StopRequest { search }).await.unwrap();
        let arrived = loop {
            if let Some((at, Said::Abort(_))) = all.recv().await {
                break at;
            }
        };
        aborts.push(arrived.saturating_duration_since(ordered));
    }
    told("from an order to a job's push at a worker", pushes);
    told("from an order to an abort at a worker", aborts);
}

/// When a worker logged these words for the nth time.
fn logged(cluster: &Cluster, words: &str, nth: usize) -> Option<Timestamp> {
    let log = cluster.log_of("real");
    let line = log.lines().filter(|line| line.contains(words)).nth(nth)?;
    line.split_whitespace().next()?.parse().ok()
}

async fn wait_for_log(cluster: &Cluster, words: &str, nth: usize) -> Timestamp {
    loop {
        if let Some(at) = logged(cluster, words, nth) {
            return at;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// From an order to a real job's beginning and end on its thread, by the worker's log.
async fn real_jobs(cluster: &Cluster) {
    const ROUNDS: usize = 100;
    let mut program = worker_program();
    program.args(["--log", "warn,gridproof=debug"]);
    let _worker = cluster.worker_by(program, "real", &[]);
    let mut operator = cluster.operator().await;
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let since = |from: Timestamp, to: Timestamp| to.duration_since(from).unsigned_abs();
    let mut round = 0;
    for attempt in 0..ROUNDS {
        let ordered = Timestamp::now();
        let submitted = operator.submit(submission(attempt)).await.unwrap();
        let search = submitted.into_inner().search;
        starts.push(since(
            ordered,
            wait_for_log(cluster, "job begun", round).await,
        ));
        // In the middle of the search, not at its beginning.
        tokio::time::sleep(Duration::from_millis(30)).await;
        let was_running = logged(cluster, "job ended", round).is_none();
        let ordered = Timestamp::now();
        operator.stop(v1::StopRequest { search }).await.unwrap();
        let ended = wait_for_log(cluster, "job ended", round).await;
        if was_running {
            ends.push(since(ordered, ended));
        }
        // A job that ended by itself was followed by others.
        tokio::time::sleep(Duration::from_millis(20)).await;
        round = cluster.log_of("real").matches("job begun").count();
        wait_for_log(cluster, "job ended", round - 1).await;
    }
    told("from an order to a real job's first node", starts);
    told("from an order to the end of a running job", ends);
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let no_sync = std::env::args().any(|argument| argument == "--no-sync");
    let extra = if no_sync { &["--no-sync"][..] } else { &[] };
    let cluster = Cluster::new("TX-H9", extra);
    let coordinator = cluster.coordinator();
    runtime.block_on(async {
        let streams = idle_streams(&cluster, coordinator.id()).await;
        results(&cluster, coordinator.id()).await;
        drop(streams);
    });
    drop(coordinator);
    for (what, budget) in [("orders", "1000"), ("real jobs", "100000000")] {
        println!("{what}:");
        let options = ["--grace", "0", "--engine-budget", budget];
        let cluster = Cluster::new("a1", &[&options[..], extra].concat());
        let _coordinator = cluster.coordinator();
        runtime.block_on(async {
            let mut operator = cluster.operator().await;
            operator.stop(v1::StopRequest { search: 1 }).await.unwrap();
            match what {
                "orders" => orders(&cluster).await,
                _ => real_jobs(&cluster).await,
            }
        });
    }
}
