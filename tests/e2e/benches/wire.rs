//! What the wire bears: idle streams, results a second, and how soon an abort arrives. The
//! workers are made up and answer at once, so that the coordinator is all that is measured.
//!
//! `cargo bench -p gridproof-tests --bench wire`

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::operate_client::OperateClient;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_tests::{Grid, Talker, made_up};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use tonic::transport::{Channel, Endpoint};

/// An operator's line to the coordinator.
async fn operator(grid: &Grid) -> OperateClient<Channel> {
    let endpoint = Endpoint::from_shared(grid.url()).unwrap();
    OperateClient::new(endpoint.tcp_nodelay(true).connect().await.unwrap())
}

async fn work(mut stream: Talker, seed: u64, accepted: Arc<AtomicU64>) {
    let mut rng = SmallRng::seed_from_u64(seed);
    while let Ok(message) = stream.next().await {
        match message {
            Said::Push(push) => {
                let outcome = Some(made_up(&push, &mut rng));
                let done = v1::Done {
                    lease: push.lease,
                    spent: 1000,
                    outcome,
                };
                stream.say(Say::Done(done)).await;
            }
            Said::Accepted(_) => {
                accepted.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

/// Bytes of memory, and seconds of processor time, of the coordinator.
fn usage(pid: u32) -> (u64, f64) {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<_> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    (kilobytes * 1024, ticks as f64 / 100.0)
}

async fn idle_streams(grid: &Grid, pid: u32) -> Vec<Talker> {
    const STREAMS: usize = 2000;
    let (before, _) = usage(pid);
    let mut streams = Vec::new();
    for number in 0..STREAMS {
        let mut stream = Talker::with_slots(grid, &format!("idle-{number}"), 0).await;
        while !matches!(stream.next().await, Ok(Said::Idle(_))) {}
        streams.push(stream);
    }
    let (after, cpu) = usage(pid);
    tokio::time::sleep(Duration::from_secs(10)).await;
    let (_, later) = usage(pid);
    println!(
        "{STREAMS} idle streams: {} KB each, {:.1}% of a core",
        (after - before) / 1024 / STREAMS as u64,
        (later - cpu) * 10.0
    );
    streams
}

async fn results(grid: &Grid, pid: u32) {
    const WORKERS: u64 = 200;
    let accepted = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for number in 0..WORKERS {
        let stream = Talker::with_slots(grid, &format!("busy-{number}"), 4).await;
        tasks.push(tokio::spawn(work(stream, number, Arc::clone(&accepted))));
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (first, started, (_, cpu)) = (accepted.load(Ordering::Relaxed), Instant::now(), usage(pid));
    tokio::time::sleep(Duration::from_secs(10)).await;
    let count = accepted.load(Ordering::Relaxed) - first;
    let (wall, cpu) = (started.elapsed().as_secs_f64(), usage(pid).1 - cpu);
    println!(
        "{WORKERS} busy workers: {:.0} results a second stored and acknowledged, \
         {:.0} a second of the coordinator's processor time ({:.1} cores)",
        count as f64 / wall,
        count as f64 / cpu,
        cpu / wall
    );
    for task in tasks {
        task.abort();
    }
}

/// From an operator's order that ends a search to the aborts at its workers.
async fn aborts(grid: &Grid) {
    const ROUNDS: usize = 50;
    const WORKERS: usize = 20;
    let mut times = Vec::new();
    let mut streams = Vec::new();
    for number in 0..WORKERS {
        let name = format!("aborted-{number}");
        streams.push(Talker::with_slots(grid, &name, 1).await);
    }
    let mut operator = operator(grid).await;
    for round in 0..ROUNDS {
        let letter = char::from(b'a' + (round % 19) as u8);
        let game = format!("j10 {letter}{} a19", 1 + round / 19);
        let request = v1::SubmitRequest {
            game,
            ..v1::SubmitRequest::default()
        };
        let search = operator.submit(request).await.unwrap().into_inner().search;
        // Only one job is to be had at a fresh root, so one worker gets it.
        let (which, _) = first_push(&mut streams).await;
        let ordered = Instant::now();
        let mut ordering = operator.clone();
        let order = tokio::spawn(async move { ordering.stop(v1::StopRequest { search }).await });
        while !matches!(streams[which].next().await, Ok(Said::Abort(_))) {}
        times.push(ordered.elapsed());
        order.await.unwrap().unwrap();
    }
    times.sort_unstable();
    println!(
        "an abort arrives after {:?} (median), {:?} (99%), {:?} (worst)",
        times[ROUNDS / 2],
        times[ROUNDS * 99 / 100],
        times[ROUNDS - 1]
    );
}

async fn first_push(streams: &mut [Talker]) -> (usize, v1::Push) {
    loop {
        for (which, stream) in streams.iter_mut().enumerate() {
            let next = tokio::time::timeout(Duration::from_millis(1), stream.next()).await;
            if let Ok(Ok(Said::Push(push))) = next {
                return (which, push);
            }
        }
    }
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // With --no-sync the disk is left out of it.
    let no_sync = std::env::args().any(|argument| argument == "--no-sync");
    let extra = if no_sync { &["--no-sync"][..] } else { &[] };
    let grid = Grid::new("TX-H9", extra);
    let coordinator = grid.coordinator();
    runtime.block_on(async {
        let streams = idle_streams(&grid, coordinator.id()).await;
        drop(streams);
        results(&grid, coordinator.id()).await;
    });
    drop(coordinator);
    let grid = Grid::new("a1", &[&["--grace", "0"], extra].concat());
    let _coordinator = grid.coordinator();
    runtime.block_on(async {
        let mut operator = operator(&grid).await;
        operator.stop(v1::StopRequest { search: 1 }).await.unwrap();
        aborts(&grid).await;
    });
}
