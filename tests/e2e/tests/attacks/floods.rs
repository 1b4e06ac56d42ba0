//! What attackers do, without end.

use std::future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_tests::{Cluster, FakeWorker};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::bombs::{Bomb, position_of};

/// From one of some other addresses of this machine.
async fn stranger(to: SocketAddr, number: usize) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    let from = format!("127.0.0.{}:0", 9 + number % 200);
    socket.bind(from.parse().expect("an address")).ok()?;
    socket.connect(to).await.ok()
}

/// Calls and calls, and reads no answer.
pub(crate) async fn headers(to: SocketAddr) {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    // POST / over http, which needs no table.
    let call = |stream: u32| {
        let mut frame = vec![0, 0, 3, 1, 0x5];
        frame.extend(stream.to_be_bytes());
        frame.extend([0x83, 0x86, 0x84]);
        frame
    };
    loop {
        let Some(mut socket) = stranger(to, 0).await else {
            tokio::task::yield_now().await;
            continue;
        };
        let _ = socket.write_all(PREFACE).await;
        let _ = socket.write_all(&SETTINGS).await;
        for round in 0..1_000_000 {
            let first = 1 + 2_000 * round;
            let calls: Vec<u8> = (0..1_000).flat_map(|n| call(first + 2 * n)).collect();
            if socket.write_all(&calls).await.is_err() {
                break;
            }
        }
    }
}

/// Connects and says nothing, and comes back when it is dropped.
pub(crate) async fn silence(to: SocketAddr, number: usize) {
    loop {
        if let Some(mut socket) = stranger(to, number).await {
            let mut waste = [0; 1024];
            while matches!(socket.read(&mut waste).await, Ok(1..)) {}
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Answers a certain job with a bomb, and others with nothing. Who has done it is cut off.
pub(crate) async fn bombs(
    cluster: Arc<Cluster>,
    number: usize,
    first: Option<(FakeWorker, v1::Push)>,
    bomb: Arc<Bomb>,
) {
    let (mut worker, mut job) = match first {
        Some((worker, push)) => (worker, Some(push)),
        None => {
            let name = format!("hostile-{number}");
            (FakeWorker::hello(&cluster, &name).await, None)
        }
    };
    loop {
        let push = match job.take() {
            Some(push) => push,
            None => match next_job(&mut worker).await {
                Some(push) => push,
                None => break,
            },
        };
        if position_of(&push) == bomb.position {
            worker.claim_win(push.lease, bomb.certificate.clone()).await;
            continue;
        }
        let (lease, spent) = (push.lease, push.budget);
        let outcome = Some(Outcome::Unknown(v1::Unknown {}));
        let done = v1::Done {
            lease,
            spent,
            outcome,
        };
        worker.send(Say::Done(done)).await;
    }
    println!("a hostile worker was cut off");
    future::pending::<()>().await;
}

/// As many as a message can have besides certificates.
const LONG: usize = 40_000;

/// Lists of moves and jobs, as long as messages can be.
pub(crate) async fn lists(cluster: Arc<Cluster>, number: usize) {
    let name = format!("hostile-{number}");
    let held = v1::Held {
        lease: 1,
        job: Some(v1::JobName {
            kind: v1::JobKind::Engine.into(),
            ..v1::JobName::default()
        }),
    };
    loop {
        let hoard = v1::Hello {
            held: vec![held; 20_000],
            ..FakeWorker::usual_hello(&name)
        };
        let mut hoarder = FakeWorker::with_hello(&cluster, hoard).await;
        while hoarder.next().await.is_ok() {}
        let mut worker = FakeWorker::hello(&cluster, &name).await;
        let heard = tokio::time::timeout(Duration::from_millis(500), next_job(&mut worker)).await;
        if let Ok(Some(push)) = heard {
            for open in all_moves().take(5_000) {
                let (lease, open) = (push.lease, Some(open));
                worker.send(Say::Finding(v1::Finding { lease, open })).await;
            }
            let (lease, spent) = (push.lease, 1_000);
            let outcome = Some(long_outcome(&push));
            let done = v1::Done {
                lease,
                spent,
                outcome,
            };
            worker.send(Say::Done(done)).await;
            let next = tokio::time::timeout(Duration::from_secs(5), worker.next());
            drop(next.await);
        }
    }
}

/// First messages of 60 MiB, and comes and goes as fast as it can.
pub(crate) async fn first_messages(cluster: Arc<Cluster>, number: usize) {
    let name = format!("hostile-{number}");
    loop {
        let usual = FakeWorker::usual_hello(&name);
        let long = v1::Hello {
            version: "x".repeat(60 << 20),
            ..usual.clone()
        };
        let empty = v1::Hello {
            held: vec![v1::Held::default(); 30 << 20],
            ..usual.clone()
        };
        for hello in [long, empty] {
            let mut worker = FakeWorker::with_hello(&cluster, hello).await;
            while worker.next().await.is_ok() {}
        }
        for _ in 0..100 {
            drop(
                FakeWorker::with_hello(&cluster, usual.clone())
                    .await
                    .next()
                    .await,
            );
        }
    }
}

/// Answers of 55 MiB one behind the other, to jobs that it has not.
pub(crate) async fn heavy_answers(cluster: Arc<Cluster>, number: usize) {
    let name = format!("hostile-{number}");
    let certificate = vec![0xa5; 55 << 20];
    loop {
        let mut worker = FakeWorker::with_slots(&cluster, &name, 64).await;
        for lease in 0..25 {
            worker.claim_win(lease, certificate.clone()).await;
        }
        let end = async { while worker.next().await.is_ok() {} };
        let _ = tokio::time::timeout(Duration::from_secs(5), end).await;
    }
}

/// Says of every reply that it is open, in every job of a thousand.
pub(crate) async fn inventors(cluster: Arc<Cluster>, number: usize) {
    let name = format!("hostile-{number}");
    loop {
        let mut worker = FakeWorker::with_slots(&cluster, &name, 1024).await;
        while let Some(push) = next_job(&mut worker).await {
            let (lease, spent) = (push.lease, push.budget);
            let outcome = Some(long_outcome(&push));
            let done = v1::Done {
                lease,
                spent,
                outcome,
            };
            worker.send(Say::Done(done)).await;
        }
    }
}

async fn next_job(worker: &mut FakeWorker) -> Option<v1::Push> {
    loop {
        if let Said::Push(push) = worker.next().await.ok()? {
            return Some(push);
        }
    }
}

fn long_outcome(push: &v1::Push) -> Outcome {
    if push.job.expect("a job has a name").kind() == v1::JobKind::Verifier {
        let moves = all_moves().take(LONG).collect();
        return Outcome::Open(v1::Open {
            moves,
            ..v1::Open::default()
        });
    }
    let status = v1::Status::Won.into();
    let suggestion = |mv| v1::Suggestion {
        r#move: Some(mv),
        status,
    };
    let moves = all_moves().take(LONG).map(suggestion).collect();
    Outcome::Suggestions(v1::Suggestions { moves })
}

/// All pairs of squares, taken or not.
fn all_moves() -> impl Iterator<Item = v1::Move> {
    (0..361u32).flat_map(|first| {
        (first + 1..361).map(move |second| v1::Move {
            stones: vec![first, second],
            nulls: 0,
        })
    })
}
