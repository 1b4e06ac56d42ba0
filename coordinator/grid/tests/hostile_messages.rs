//! Whatever workers and operators send, no handler panics, and the search goes on.
//!
//! GRIDPROOF_FUZZ_INPUTS sets how many conversations are tried; CI tries a few hundred.

mod support;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gridproof_game::{Colour, Opening};
use gridproof_grid::coordinator::CoordinatorOptions;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::node_request::Which;
use gridproof_proto::v1::operate_client::OperateClient;
use gridproof_proto::v1::work_client::WorkClient;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_proto::{PROTOCOL, v1};
use gridproof_solver::{Budget, Solver, SolverOptions};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use support::Grid;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts panics of all threads; tasks that panic would go unseen otherwise.
fn count_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        usual(panic);
    }));
}

/// Conversations with one coordinator: some orders end a search for good, so now and then
/// there is a fresh one.
const VISITS: u32 = 10;

fn inputs() -> u32 {
    let inputs = std::env::var("GRIDPROOF_FUZZ_INPUTS").ok();
    inputs.and_then(|text| text.parse().ok()).unwrap_or(300)
}

async fn open() -> Grid {
    let mut options = CoordinatorOptions::default();
    // Nobody waits for those who hang up with a job: the next gets it.
    options.core.grace = Duration::ZERO;
    let grid = Grid::start_with(&Arc::default(), &options);
    let root = Opening::Connect623.position();
    let submitted = grid
        .coordinator
        .submit("connect623".to_owned(), root, Colour::Black, 1);
    submitted.await.unwrap();
    grid
}

/// Which lease a message is about: the one that was given, or any.
#[derive(Clone, Copy, Debug)]
enum About {
    Given,
    Any(u64),
}

fn about() -> impl Strategy<Value = About> {
    prop_oneof![3 => Just(About::Given), 1 => any::<u64>().prop_map(About::Any)]
}

fn mv() -> impl Strategy<Value = Option<v1::Move>> {
    let stone = prop_oneof![4 => 0..361_u32, 1 => any::<u32>()];
    let stones = prop_oneof![3 => vec(stone.clone(), 2), 1 => vec(stone, 0..5)];
    let nulls = prop_oneof![3 => Just(0), 2 => 0..4_u32, 1 => any::<u32>()];
    option::weighted(0.9, (stones, nulls)).prop_map(|parts| {
        let (stones, nulls) = parts?;
        Some(v1::Move { stones, nulls })
    })
}

/// A certificate that holds, and what becomes of it when bytes are changed or lost.
fn certificate() -> impl Strategy<Value = Vec<u8>> {
    let good = good_certificate();
    let length = good.len();
    let changes = vec((0..length, any::<u8>()), 0..4);
    let broken = (changes, 0..=length).prop_map(move |(changes, kept)| {
        let mut bytes = good.clone();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(kept.max(length / 2));
        bytes
    });
    prop_oneof![3 => broken, 1 => vec(any::<u8>(), 0..300)]
}

fn good_certificate() -> Vec<u8> {
    let game = gridproof_game::read_game(b"j10 a1,a3 k10,l10 c1,c3").unwrap();
    let solver = Solver::new(*game.position().rules());
    let mut budget = Budget::of_nodes(100_000);
    let options = SolverOptions::default();
    let found = solver.win(game.position(), options, &mut budget);
    let Ok(gridproof_solver::Outcome::Won(win)) = found else {
        panic!("three in a row with the move win")
    };
    let written = gridproof_certificate::write_proof(&win.proof, Vec::new());
    written.unwrap().0
}

fn outcome() -> impl Strategy<Value = Option<Outcome>> {
    let answer = (mv(), certificate()).prop_map(|(r#move, certificate)| v1::Answer {
        r#move,
        certificate: certificate.into(),
    });
    prop_oneof![
        Just(None),
        certificate().prop_map(|bytes| Some(Outcome::Won(v1::Won {
            certificate: bytes.into()
        }))),
        (mv(), -2..20_i32).prop_map(|(r#move, status)| {
            let moves = vec![v1::Suggestion { r#move, status }];
            Some(Outcome::Suggestions(v1::Suggestions { moves }))
        }),
        (vec(mv(), 0..6), vec(answer, 0..2), any::<bool>()).prop_map(
            |(moves, answers, cut_short)| {
                let moves = moves.into_iter().flatten().collect();
                Some(Outcome::Open(v1::Open {
                    moves,
                    answers,
                    cut_short,
                }))
            }
        ),
        Just(Some(Outcome::NoMove(v1::NoMove {}))),
        Just(Some(Outcome::Refuted(v1::Refuted {}))),
        Just(Some(Outcome::Unknown(v1::Unknown {}))),
        ".{0,40}".prop_map(|reason| Some(Outcome::Broken(v1::Broken { reason }))),
    ]
}

fn held() -> impl Strategy<Value = v1::Held> {
    let job = (any::<u32>(), any::<[u64; 2]>(), -1..4_i32, any::<u32>());
    let job = option::of(job.prop_map(|(node, key, kind, serial)| v1::JobName {
        node,
        key_high: key[0],
        key_low: key[1],
        kind,
        serial,
    }));
    (any::<u64>(), job).prop_map(|(lease, job)| v1::Held { lease, job })
}

fn hello() -> impl Strategy<Value = v1::Hello> {
    let name = prop_oneof![8 => "[a-z]{1,12}", 1 => ".{0,80}"];
    let protocol = prop_oneof![9 => Just(PROTOCOL), 1 => any::<u32>()];
    let slots = prop_oneof![4 => 0..4_u32, 1 => any::<u32>()];
    let held = prop_oneof![3 => Just(Vec::new()), 1 => vec(held(), 0..3)];
    let rest = (any::<u64>(), any::<u64>(), held);
    (protocol, ".{0,30}", name, slots, rest).prop_map(
        |(protocol, version, name, slots, (instance, leaves_in_seconds, held))| v1::Hello {
            protocol,
            version,
            name,
            instance,
            slots,
            engines: Vec::new(),
            leaves_in_seconds,
            held,
        },
    )
}

#[derive(Clone, Debug)]
enum Word {
    Done(About, u64, Option<Outcome>),
    Finding(About, Option<v1::Move>),
    Progress(About, u64),
    Slots(u32),
    Goodbye(String),
    Hello(v1::Hello),
    Nothing,
}

fn word() -> impl Strategy<Value = Word> {
    prop_oneof![
        6 => (about(), any::<u64>(), outcome()).prop_map(|(a, s, o)| Word::Done(a, s, o)),
        3 => (about(), mv()).prop_map(|(about, open)| Word::Finding(about, open)),
        2 => (about(), any::<u64>()).prop_map(|(about, spent)| Word::Progress(about, spent)),
        2 => prop_oneof![0..5_u32, any::<u32>()].prop_map(Word::Slots),
        1 => ".{0,300}".prop_map(Word::Goodbye),
        1 => hello().prop_map(Word::Hello),
        1 => Just(Word::Nothing),
    ]
}

impl Word {
    fn spoken(self, given: u64) -> Option<Say> {
        let lease = |about| match about {
            About::Given => given,
            About::Any(lease) => lease,
        };
        Some(match self {
            Self::Done(about, spent, outcome) => Say::Done(v1::Done {
                lease: lease(about),
                spent,
                outcome,
            }),
            Self::Finding(about, open) => Say::Finding(v1::Finding {
                lease: lease(about),
                open,
            }),
            Self::Progress(about, spent) => Say::Progress(v1::Progress {
                jobs: vec![v1::JobProgress {
                    lease: lease(about),
                    spent,
                }],
            }),
            Self::Slots(slots) => Say::Slots(v1::Slots {
                slots,
                leaves_in_seconds: u64::from(slots) << 32,
            }),
            Self::Goodbye(reason) => Say::Goodbye(v1::Goodbye { reason }),
            Self::Hello(hello) => Say::Hello(hello),
            Self::Nothing => return None,
        })
    }
}

async fn converse(grid: &Grid, hello: v1::Hello, words: Vec<Word>) {
    let mut client = WorkClient::new(grid.channel().await);
    let (out, outbox) = mpsc::channel(64);
    let Ok(stream) = client.attach(ReceiverStream::new(outbox)).await else {
        return;
    };
    let mut incoming = stream.into_inner();
    let say = async |message| drop(out.send(v1::WorkerMessage { message }).await);
    say(Some(Say::Hello(hello))).await;
    // Whoever is let in is told at once what to do.
    let mut given = loop {
        match incoming.message().await {
            Ok(Some(message)) => match message.message {
                Some(Said::Push(push)) => break push.lease,
                Some(Said::Idle(_)) => break 0,
                _ => {}
            },
            Ok(None) | Err(_) => return,
        }
    };
    for word in words {
        say(word.spoken(given)).await;
        // Hears what there is to hear, and goes on when there is nothing.
        let heard = tokio::time::timeout(Duration::from_millis(2), incoming.message());
        match heard.await {
            Ok(Ok(Some(v1::CoordinatorMessage {
                message: Some(Said::Push(push)),
            }))) => given = push.lease,
            Ok(Ok(None) | Err(_)) => return,
            _ => {}
        }
    }
    // So that its jobs go to the next at once, and the search gets somewhere.
    say(Some(Say::Goodbye(v1::Goodbye::default()))).await;
    while let Ok(Some(_)) = incoming.message().await {}
}

fn node_request() -> impl Strategy<Value = v1::NodeRequest> {
    let line = (any::<u8>(), vec(mv(), 0..4)).prop_map(|(search, moves)| {
        let moves = moves.into_iter().flatten().collect();
        let search = u32::from(search % 3);
        Which::Line(v1::Line { search, moves })
    });
    let node = prop_oneof![0..40_u32, any::<u32>()].prop_map(Which::Node);
    option::weighted(0.9, prop_oneof![line, node]).prop_map(|which| v1::NodeRequest { which })
}

#[derive(Clone, Debug)]
enum Wanted {
    Submit(String, i32, u32),
    Hint(v1::NodeRequest, Option<v1::Move>, i32),
    Pause(v1::NodeRequest),
    Resume(v1::NodeRequest),
    Forget(v1::NodeRequest),
    Remember(v1::NodeRequest),
    Node(v1::GetNodeRequest),
    Line(v1::GetLineRequest),
    Run(v1::RunJobRequest),
    Abort(v1::NodeRequest),
    Jobs(v1::ListJobsRequest),
    Orders(v1::ListOrdersRequest),
    Share(u32, u32),
    Withdraw(String),
    Export(u32),
    Status(u32),
}

fn look_at_node() -> impl Strategy<Value = v1::GetNodeRequest> {
    let page = (0..9_u32, prop_oneof![0..9_u32, any::<u32>()]);
    let at = option::weighted(0.9, node_request());
    let filter = (vec(-1..9_i32, 0..3), any::<bool>());
    (at, page, -1..6_i32, filter).prop_map(|(at, page, order, filter)| {
        let ((offset, limit), (statuses, hinted)) = (page, filter);
        v1::GetNodeRequest {
            hinted,
            at,
            offset,
            limit,
            order,
            statuses,
        }
    })
}

fn order() -> impl Strategy<Value = Wanted> {
    let game = prop_oneof![Just("TX-H9".to_owned()), ".{0,60}", "[a-t0-9, ]{0,30}"];
    prop_oneof![
        (game, -1..4_i32, any::<u32>()).prop_map(|(g, a, s)| Wanted::Submit(g, a, s)),
        (node_request(), mv(), -1..20_i32).prop_map(|(n, m, s)| Wanted::Hint(n, m, s)),
        node_request().prop_map(Wanted::Pause),
        node_request().prop_map(Wanted::Resume),
        node_request().prop_map(Wanted::Forget),
        node_request().prop_map(Wanted::Remember),
        look_at_node().prop_map(Wanted::Node),
        (option::of(node_request()), -1..4_i32)
            .prop_map(|(at, kind)| Wanted::Line(v1::GetLineRequest { at, kind })),
        (option::of(node_request()), -1..4_i32, any::<u64>())
            .prop_map(|(at, kind, budget)| Wanted::Run(v1::RunJobRequest { at, kind, budget })),
        node_request().prop_map(Wanted::Abort),
        (any::<u32>(), any::<u32>())
            .prop_map(|(offset, limit)| Wanted::Jobs(v1::ListJobsRequest { offset, limit })),
        (any::<u32>(), any::<u32>())
            .prop_map(|(offset, limit)| Wanted::Orders(v1::ListOrdersRequest { offset, limit })),
        (0..3_u32, any::<u32>()).prop_map(|(search, share)| Wanted::Share(search, share)),
        "[a-z]{1,3}".prop_map(Wanted::Withdraw),
        any::<u32>().prop_map(Wanted::Export),
        (0..5_u32).prop_map(Wanted::Status),
    ]
}

/// Orders may be refused; what matters is that they are answered.
async fn give(client: &mut OperateClient<Channel>, order: Wanted) {
    let answered = match order {
        Wanted::Submit(game, attacker, share) => {
            let request = v1::SubmitRequest {
                game,
                attacker,
                share,
            };
            client.submit(request).await.map(drop)
        }
        Wanted::Hint(at, r#move, status) => {
            let at = Some(at);
            let request = v1::HintRequest { at, r#move, status };
            client.hint(request).await.map(drop)
        }
        Wanted::Pause(at) => client.pause(at).await.map(drop),
        Wanted::Resume(at) => client.resume(at).await.map(drop),
        Wanted::Forget(at) => client.forget(at).await.map(drop),
        Wanted::Remember(at) => client.remember(at).await.map(drop),
        Wanted::Node(request) => client.get_node(request).await.map(drop),
        Wanted::Line(request) => client.get_line(request).await.map(drop),
        Wanted::Run(request) => client.run_job(request).await.map(drop),
        Wanted::Abort(at) => client.abort_job(at).await.map(drop),
        Wanted::Jobs(request) => client.list_jobs(request).await.map(drop),
        Wanted::Orders(request) => client.list_orders(request).await.map(drop),
        Wanted::Share(search, share) => {
            let request = v1::SetShareRequest { search, share };
            client.set_share(request).await.map(drop)
        }
        Wanted::Withdraw(worker) => client
            .withdraw(v1::WithdrawRequest { worker })
            .await
            .map(drop),
        Wanted::Export(search) => client.export(v1::ExportRequest { search }).await.map(drop),
        Wanted::Status(search) => client
            .get_status(v1::StatusRequest { search })
            .await
            .map(drop),
    };
    if let Err(status) = answered {
        assert_ne!(status.code(), tonic::Code::Cancelled, "{status}");
        assert_ne!(status.code(), tonic::Code::Unknown, "{status}");
    }
}

#[test]
fn no_message_makes_a_handler_panic() {
    count_panics();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let start = || runtime.block_on(open());
    let (grid, visits, answers) = (RefCell::new(start()), Cell::new(0), Cell::new(0));
    // The task that owns the search is there and answers.
    let taken = || {
        let coordinator = grid.borrow().coordinator.clone();
        let snapshot = runtime.block_on(coordinator.snapshot()).unwrap();
        snapshot.stats.answers
    };
    let config = Config {
        cases: inputs(),
        failure_persistence: None,
        ..Config::default()
    };
    // The same inputs each time: more of them go further.
    let random = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, random);
    let conversation = (hello(), vec(word(), 0..12), vec(order(), 0..3));
    let ran = runner.run(&conversation, |(hello, words, orders)| {
        visits.set(visits.get() + 1);
        if visits.get() % VISITS == 0 {
            answers.set(answers.get() + taken());
            grid.replace(start());
        }
        let grid = grid.borrow();
        runtime.block_on(async {
            let mut operator = grid.operator().await;
            // An earlier order may have paused all there is to do.
            let which = Some(Which::Node(0));
            let _ = operator.resume(v1::NodeRequest { which }).await;
            converse(&grid, hello, words).await;
            for order in orders {
                give(&mut operator, order).await;
            }
        });
        prop_assert_eq!(PANICS.load(Ordering::SeqCst), 0);
        Ok(())
    });
    ran.unwrap();
    answers.set(answers.get() + taken());
    println!("{} answers taken", answers.get());
    assert!(answers.get() > 0, "some of it makes sense");
}
