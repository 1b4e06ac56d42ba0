//! What operators can see and order, over the wire.

mod support;

use std::sync::Arc;

use gridproof_game::{Colour, Position, Rules};
use gridproof_grid::coordinator::OrderError;
use gridproof_grid::store::MemoryStore;
use gridproof_proto::v1::grid_event::What;
use gridproof_proto::v1::work_client::WorkClient;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_proto::{PROTOCOL, v1};
use gridproof_search::JobResult;
use support::{Grid, line, mv, suggest, turned, wire};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Streaming};

async fn next(stream: &mut Streaming<v1::GridEvent>) -> What {
    let event = stream.message().await.unwrap();
    event.expect("the stream goes on").what.unwrap()
}

/// A grid whose engine has named two moves at the root; its worker is at the first.
async fn two_moves() -> (Grid, support::Worker) {
    let grid = Grid::with_search().await;
    let mut worker = grid.worker("anna", Vec::new()).await;
    let job = worker.job().await;
    worker.answer(&job, suggest(&["K11 L10", "K11 L12"])).await;
    (grid, worker)
}

#[tokio::test]
async fn a_game_whose_proofs_nobody_can_check_is_not_accepted() {
    let grid = Grid::with_search().await;
    let root = Position::start(Rules::new(19, 19, 8, 5, 5).unwrap());
    let refused = grid
        .coordinator
        .submit("five stones".to_owned(), root, Colour::Black, 1)
        .await;
    assert!(matches!(refused, Err(OrderError::Unsupported(_))));
    let request = v1::SubmitRequest {
        game: "connect(19,19,8,5,5)".to_owned(),
        ..v1::SubmitRequest::default()
    };
    let refused = grid.operator().await.submit(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("is not supported"), "{refused}");
}

#[tokio::test]
async fn a_node_is_shown_with_its_moves_and_who_named_them() {
    let (grid, mut worker) = two_moves().await;
    worker.job().await;
    let mut operator = grid.operator().await;
    let hint = v1::HintRequest {
        at: line(&[]),
        r#move: Some(wire(&mv("K12 L12"))),
        status: 0,
    };
    operator.hint(hint).await.unwrap();
    let request = v1::GetNodeRequest {
        at: line(&[]),
        ..v1::GetNodeRequest::default()
    };
    let node = operator.get_node(request.clone()).await.unwrap();
    let node = node.into_inner();
    assert_eq!(node.children_total, 3);
    assert!(node.matters);
    assert_eq!(node.attacker(), v1::Colour::Black);
    let named: Vec<_> = node
        .children
        .iter()
        .map(v1::ChildReport::named_by)
        .collect();
    let engine = v1::NamedBy::Engine;
    assert_eq!(named, [engine, engine, v1::NamedBy::Operator]);
    assert_eq!(node.children[0].r#move, Some(wire(&mv("K11 L10"))));
    assert_eq!(node.children[0].worker, "anna");
    let running = node.children.iter().filter(|child| child.jobs == 1);
    assert_eq!(running.count(), 1);

    let filtered = v1::GetNodeRequest {
        statuses: vec![v1::NodeStatus::Running.into()],
        ..request.clone()
    };
    let node = operator.get_node(filtered).await.unwrap().into_inner();
    assert_eq!((node.children_total, node.children.len()), (1, 1));
    let paged = v1::GetNodeRequest {
        offset: 1,
        limit: 1,
        order: v1::ChildOrder::Proof.into(),
        ..request
    };
    let node = operator.get_node(paged).await.unwrap().into_inner();
    assert_eq!((node.children_total, node.children.len()), (3, 1));
}

#[tokio::test]
async fn moves_come_back_as_the_caller_turned_the_board() {
    let (grid, _worker) = two_moves().await;
    let mut operator = grid.operator().await;
    let asked = v1::GetLineRequest {
        at: line(&[]),
        ..v1::GetLineRequest::default()
    };
    let best = operator.get_line(asked).await.unwrap().into_inner();
    assert_eq!(best.moves.len(), 1);
    let at = line(&["K11 L10"]);
    let node = operator.get_node(v1::GetNodeRequest {
        at,
        ..v1::GetNodeRequest::default()
    });
    let node = node.await.unwrap().into_inner();
    let mut position = "TX-H9"
        .parse::<gridproof_game::Opening>()
        .unwrap()
        .position();
    position.play(&mv("K11 L10")).unwrap();
    assert_eq!(node.position, Some((&position).into()));
}

#[tokio::test]
async fn running_jobs_are_listed_with_worker_and_budget() {
    let (grid, mut worker) = two_moves().await;
    let job = worker.job().await;
    let mut operator = grid.operator().await;
    let jobs = operator.list_jobs(v1::ListJobsRequest::default()).await;
    let jobs = jobs.unwrap().into_inner();
    assert_eq!(jobs.jobs_total, 1);
    let listed = &jobs.jobs[0];
    assert_eq!(listed.lease, job.assigned.lease.to_bits());
    assert_eq!(
        (listed.worker.as_str(), listed.budget),
        ("anna", job.budget)
    );
    assert_eq!(listed.kind(), v1::JobKind::Verifier);
    assert_eq!(listed.position, Some((&job.assigned.position).into()));
    assert_eq!(listed.author, "");
}

#[tokio::test]
async fn who_asks_for_a_job_hears_of_what_it_finds_while_it_runs() {
    let (grid, mut anna) = two_moves().await;
    anna.job().await;
    let mut operator = grid.operator().await;
    let request = v1::RunJobRequest {
        at: line(&["K11 L12"]),
        kind: v1::JobKind::Verifier.into(),
        budget: 12_345,
    };
    let stream = operator.run_job(request).await.unwrap();
    let mut stream = stream.into_inner();
    assert!(matches!(next(&mut stream).await, What::Queued(_)));
    let waiting = operator.list_jobs(v1::ListJobsRequest::default()).await;
    let waiting = waiting.unwrap().into_inner().waiting;
    assert_eq!((waiting.len(), waiting[0].author.as_str()), (1, "local"));

    let mut bert = grid.worker("bert", Vec::new()).await;
    let job = bert.job().await;
    assert_eq!(job.budget, 12_345);
    let What::JobStarted(started) = next(&mut stream).await else {
        panic!("bert has room")
    };
    assert_eq!(started.worker, "bert");
    // A reply as the worker sees it, in the node's orientation.
    let mut asked = "TX-H9"
        .parse::<gridproof_game::Opening>()
        .unwrap()
        .position();
    asked.play(&mv("K11 L12")).unwrap();
    let reply = turned(&asked, &mv("J9 K9"));
    bert.find(&job, reply.clone()).await;
    let What::Finding(finding) = next(&mut stream).await else {
        panic!("a finding is told at once")
    };
    assert_eq!(finding.moves, [wire(&mv("J9 K9"))]);
    bert.answer(&job, JobResult::Open(vec![reply])).await;
    let What::JobEnded(ended) = next(&mut stream).await else {
        panic!("the end is told")
    };
    assert_eq!(ended.words, "open replies");
    assert_eq!(ended.moves, [wire(&mv("J9 K9"))]);
    assert!(stream.message().await.unwrap().is_none(), "and that is all");
}

#[tokio::test]
async fn a_job_that_was_asked_for_can_be_aborted() {
    let (grid, mut anna) = two_moves().await;
    anna.job().await;
    let mut bert = grid.worker("bert", Vec::new()).await;
    bert.job().await;
    let mut operator = grid.operator().await;
    let at = line(&["K11 L12"]);
    let request = v1::RunJobRequest {
        at: at.clone(),
        kind: 0,
        budget: u64::MAX,
    };
    let stream = operator.run_job(request).await.unwrap();
    let mut stream = stream.into_inner();
    // Both moves are being looked at: the smaller job gave way.
    let mut worker = String::new();
    while worker.is_empty() {
        if let What::JobStarted(job) = next(&mut stream).await {
            worker = job.worker;
        }
    }
    operator.abort_job(at.unwrap()).await.unwrap();
    let mut last = None;
    while let Some(event) = stream.message().await.unwrap() {
        last = event.what;
    }
    let Some(What::JobAborted(job)) = last else {
        panic!("{last:?}")
    };
    assert_eq!(
        (job.worker, job.words),
        (worker, "operator's order".to_owned())
    );
}

#[tokio::test]
async fn a_position_that_nobody_came_to_can_be_asked_about() {
    let (grid, mut anna) = two_moves().await;
    anna.job().await;
    let mut operator = grid.operator().await;
    let request = v1::RunJobRequest {
        at: line(&["K12 L12", "J9 K9"]),
        kind: v1::JobKind::Engine.into(),
        budget: 0,
    };
    let stream = operator.run_job(request).await.unwrap();
    let mut stream = stream.into_inner();
    let What::Queued(node) = next(&mut stream).await else {
        panic!("it waits")
    };
    let mut bert = grid.worker("bert", Vec::new()).await;
    assert_eq!(bert.job().await.assigned.id.node.0, node.node);
    let orders = operator.list_orders(v1::ListOrdersRequest::default()).await;
    let orders = orders.unwrap().into_inner();
    let names: Vec<_> = orders.orders.iter().map(|o| o.order.as_str()).collect();
    assert_eq!(names, ["run", "reply", "hint", "start"]);
    let wrong = v1::RunJobRequest {
        at: line(&["K12 L12"]),
        kind: v1::JobKind::Engine.into(),
        budget: 0,
    };
    let refused = operator.run_job(wrong).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn forgetting_can_be_taken_back() {
    let (grid, mut anna) = two_moves().await;
    let job = anna.job().await;
    let mut operator = grid.operator().await;
    let which = v1::node_request::Which::Node(job.assigned.id.node.0);
    let node = v1::NodeRequest { which: Some(which) };
    operator.forget(node.clone()).await.unwrap();
    assert_eq!(anna.abort().await, job.assigned.lease);
    let shown = v1::GetNodeRequest {
        at: Some(node.clone()),
        ..v1::GetNodeRequest::default()
    };
    let forgotten = operator.get_node(shown.clone()).await.unwrap().into_inner();
    assert_eq!(forgotten.status(), v1::NodeStatus::Forgotten);
    operator.remember(node).await.unwrap();
    let remembered = operator.get_node(shown).await.unwrap().into_inner();
    assert_ne!(remembered.status(), v1::NodeStatus::Forgotten);
}

#[tokio::test]
async fn orders_are_kept_with_who_gave_them() {
    let store = Arc::<MemoryStore>::default();
    let grid = Grid::start(&store);
    grid.submit().await;
    let root = grid.coordinator.snapshot().await.unwrap().searches[0]
        .view
        .root;
    let carla = grid.coordinator.acting_for("carla");
    let pause = gridproof_search::Order::Pause { node: root };
    carla.order(pause).await.unwrap();
    grid.stop().await;

    let grid = Grid::start(&store);
    let mut operator = grid.operator().await;
    let request = v1::ListOrdersRequest {
        offset: 0,
        limit: 1,
    };
    let orders = operator.list_orders(request).await.unwrap().into_inner();
    assert_eq!((orders.orders_total, orders.orders.len()), (2, 1));
    let last = &orders.orders[0];
    assert_eq!((last.number, last.order.as_str()), (2, "pause"));
    assert_eq!((last.author.as_str(), last.node), ("carla", root.0));
    assert!(last.at > 0);
}

#[tokio::test]
async fn a_workers_words_command_no_terminal_and_begin_no_line_of_their_own() {
    const FORGED: &str = "1\n2026 INFO all is well\u{1b}[2J\u{202e}";
    const SHOWN: &str = "1\\n2026 INFO all is well\\u{1b}[2J\\u{202e}";

    let grid = Grid::with_search().await;
    let mut operator = grid.operator().await;
    let watched = operator.watch(v1::WatchRequest {}).await;
    let mut events = watched.unwrap().into_inner();
    let (say, saying) = mpsc::channel(8);
    let hello = v1::Hello {
        protocol: PROTOCOL,
        name: "pc-01".to_owned(),
        version: FORGED.to_owned(),
        instance: 1,
        slots: 1,
        ..v1::Hello::default()
    };
    let goodbye = v1::Goodbye {
        reason: FORGED.to_owned(),
    };
    let message = |what| v1::WorkerMessage {
        message: Some(what),
    };
    say.send(message(Say::Hello(hello))).await.unwrap();
    let mut client = WorkClient::new(grid.channel().await);
    let attached = client.attach(ReceiverStream::new(saying)).await;
    let mut said = attached.unwrap().into_inner();
    said.message().await.unwrap();
    let known = operator.list_workers(v1::ListWorkersRequest {}).await;
    assert_eq!(known.unwrap().into_inner().workers[0].version, SHOWN);
    say.send(message(Say::Goodbye(goodbye))).await.unwrap();
    let left = loop {
        if let What::WorkerLeft(left) = next(&mut events).await {
            break left;
        }
    };
    assert!(left.words.ends_with(SHOWN), "{left:?}");
}
