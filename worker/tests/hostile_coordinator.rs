//! Whatever a coordinator sends, the worker does not panic, and leaves when it is told to.
//!
//! GRIDPROOF_FUZZ_INPUTS sets how many conversations are tried.

use std::num::NonZeroU16;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gridproof_proto::v1;
use gridproof_proto::v1::coordinator_message::Message as Say;
use gridproof_proto::v1::work_server::{Work, WorkServer};
use gridproof_proto::v1::worker_message::Message as Heard;
use gridproof_worker::{Connector, DesiredState, Settings};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::transport::{Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        usual(panic);
    }));
}

fn inputs() -> u32 {
    let inputs = std::env::var("GRIDPROOF_FUZZ_INPUTS").ok();
    inputs.and_then(|text| text.parse().ok()).unwrap_or(150)
}

/// Says what it was given to say, tells when the worker has nothing more to say to that, and
/// hangs up at its goodbye.
#[derive(Clone)]
struct Hostile {
    script: Arc<Mutex<Vec<Option<Say>>>>,
    silence: mpsc::UnboundedSender<()>,
}

/// Jobs are so small that a worker which says nothing for so long is done with them.
const SILENCE: Duration = Duration::from_millis(30);

#[tonic::async_trait]
impl Work for Hostile {
    type AttachStream = ReceiverStream<Result<v1::CoordinatorMessage, Status>>;

    async fn attach(
        &self,
        request: Request<Streaming<v1::WorkerMessage>>,
    ) -> Result<Response<Self::AttachStream>, Status> {
        let script = std::mem::take(&mut *self.script.lock().unwrap());
        let (out, stream) = mpsc::channel(64);
        let silence = self.silence.clone();
        let mut incoming = request.into_inner();
        tokio::spawn(async move {
            let welcome = Say::Welcome(v1::Welcome {
                message_limit: 1 << 20,
                progress_seconds: 1,
                ..v1::Welcome::default()
            });
            for message in std::iter::once(Some(welcome)).chain(script) {
                let _ = out.send(Ok(v1::CoordinatorMessage { message })).await;
            }
            loop {
                match tokio::time::timeout(SILENCE, incoming.next()).await {
                    Err(_) => drop(silence.send(())),
                    Ok(Some(Ok(v1::WorkerMessage {
                        message: None | Some(Heard::Goodbye(_)),
                    })))
                    | Ok(Some(Err(_)) | None) => return,
                    Ok(Some(Ok(_))) => {}
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

fn mv() -> impl Strategy<Value = Option<v1::Move>> {
    let stone = prop_oneof![4 => 0..361_u32, 1 => any::<u32>()];
    option::weighted(0.9, (vec(stone, 0..4), 0..3_u32)).prop_map(|parts| {
        let (stones, nulls) = parts?;
        Some(v1::Move { stones, nulls })
    })
}

fn rules() -> impl Strategy<Value = Option<v1::Rules>> {
    let connect6 = Just((19, 19, 6, 2, 1));
    let small = (0..8_u32, 0..8_u32, 0..5_u32, 0..4_u32, 0..4_u32);
    let any_rules = (any::<u32>(), 0..30_u32, 0..30_u32, 0..4_u32, 0..4_u32);
    let parts = prop_oneof![4 => connect6, 2 => small, 1 => any_rules];
    option::weighted(0.95, parts).prop_map(|parts| {
        let (m, n, k, p, q) = parts?;
        Some(v1::Rules { m, n, k, p, q })
    })
}

fn position() -> impl Strategy<Value = Option<v1::Position>> {
    let stones = || vec(prop_oneof![9 => 0..361_u32, 1 => any::<u32>()], 0..9);
    let parts = (rules(), stones(), stones(), -1..4_i32);
    option::weighted(0.95, parts).prop_map(|parts| {
        let (rules, black, white, to_move) = parts?;
        Some(v1::Position {
            rules,
            black,
            white,
            to_move,
        })
    })
}

fn push() -> impl Strategy<Value = v1::Push> {
    let job = (any::<u32>(), 0..3_i32).prop_map(|(node, kind)| v1::JobName {
        node,
        kind,
        ..v1::JobName::default()
    });
    let answer = (mv(), vec(any::<u8>(), 0..50)).prop_map(|(r#move, bytes)| v1::Answer {
        r#move,
        certificate: bytes.into(),
    });
    let lists = (vec(mv(), 0..3), vec(answer, 0..2));
    let numbers = (0..8_u64, 0..400_u64);
    let limits = (any::<u64>(), any::<u64>(), any::<u32>());
    let goal = prop_oneof![
        Just(v1::push::Goal::FindWin(v1::FindWin {})),
        Just(v1::push::Goal::FindMoves(v1::FindMoves {})),
        limits.prop_map(|(nodes_per_reply, times_per_null, most_open)| {
            v1::push::Goal::FindReplies(v1::ReplyLimits {
                nodes_per_reply,
                times_per_null,
                most_open,
            })
        }),
    ];
    (
        option::weighted(0.95, job),
        position(),
        0..3_i32,
        lists,
        (numbers, option::weighted(0.95, goal)),
    )
        .prop_map(
            |(job, position, attacker, (known, answers), ((lease, budget), goal))| v1::Push {
                lease,
                job,
                position,
                attacker,
                budget,
                known: known.into_iter().flatten().collect(),
                answers,
                goal,
            },
        )
}

fn word() -> impl Strategy<Value = Option<Say>> {
    let lease = || 0..8_u64;
    prop_oneof![
        8 => push().prop_map(|push| Some(Say::Push(push))),
        1 => lease().prop_map(|lease| {
            let reason = "no reason".to_owned();
            Some(Say::Abort(v1::Abort { lease, reason }))
        }),
        1 => lease().prop_map(|lease| Some(Say::Keep(v1::Keep { lease }))),
        1 => lease().prop_map(|lease| Some(Say::Accepted(v1::Accepted { lease }))),
        1 => (any::<u32>(), 0..3000_u64).prop_map(|(progress_seconds, message_limit)| {
            Some(Say::Welcome(v1::Welcome {
                progress_seconds,
                message_limit,
                ..v1::Welcome::default()
            }))
        }),
        1 => Just(Some(Say::Idle(v1::Idle {}))),
        1 => Just(None),
    ]
}

#[test]
fn no_message_makes_a_worker_panic() {
    count_panics();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (silence, silences) = mpsc::unbounded_channel();
    // A tokio Mutex, because the runner's closure may not change what it captures.
    let silences = tokio::sync::Mutex::new(silences);
    let hostile = Hostile {
        script: Arc::default(),
        silence,
    };
    let address = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::builder().add_service(WorkServer::new(hostile.clone()));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        address
    });
    let config = Config {
        cases: inputs(),
        failure_persistence: None,
        ..Config::default()
    };
    // The same inputs each time: more of them go further.
    let random = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, random);
    let ran = runner.run(&vec(word(), 0..8), |script| {
        *hostile.script.lock().unwrap() = script;
        runtime.block_on(async {
            let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
            let settings = Settings::new("tested", NonZeroU16::new(2).unwrap());
            let (owner, desired) = watch::channel(DesiredState::default());
            let working = gridproof_worker::run(settings, Connector::endpoint(endpoint), desired);
            let working = tokio::spawn(working);
            let mut silences = silences.lock().await;
            while silences.try_recv().is_ok() {}
            silences.recv().await.unwrap();
            owner.send_replace(DesiredState::Stopped);
            working.await.unwrap().unwrap();
        });
        prop_assert_eq!(PANICS.load(Ordering::SeqCst), 0);
        Ok(())
    });
    ran.unwrap();
}
