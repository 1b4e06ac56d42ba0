//! Workers that lie, hoard or flood, over the wire: each costs little, and nobody else pays.

mod support;

use std::sync::Arc;
use std::time::Duration;

use gridproof_certificate::{check, write_proof};
use gridproof_game::{Colour, Opening, Position, read_game};
use gridproof_grid::coordinator::{ChildFilter, ChildOrder, Page};
use gridproof_grid::service::ServiceOptions;
use gridproof_proto::v1::coordinator_message::Message as Said;
use gridproof_proto::v1::done::Outcome;
use gridproof_proto::v1::push::Goal;
use gridproof_proto::v1::work_client::WorkClient;
use gridproof_proto::v1::worker_message::Message as Say;
use gridproof_proto::{PROTOCOL, v1};
use gridproof_search::{NodeId, SearchId, Verdict};
use gridproof_tests::{padded, proof_of};
use support::{Grid, suggest};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

struct Wire {
    say: mpsc::Sender<v1::WorkerMessage>,
    said: Streaming<v1::CoordinatorMessage>,
}

impl Wire {
    async fn attach(grid: &Grid, hello: v1::Hello) -> Self {
        let (say, saying) = mpsc::channel(1024);
        say.send(message(Say::Hello(hello))).await.unwrap();
        let mut client = WorkClient::new(grid.channel().await)
            .max_decoding_message_size(64 << 20)
            .max_encoding_message_size(64 << 20);
        let said = client.attach(ReceiverStream::new(saying)).await.unwrap();
        let said = said.into_inner();
        Self { say, said }
    }

    async fn say(&self, what: Say) {
        self.say.send(message(what)).await.unwrap();
    }

    async fn done(&self, push: &v1::Push, outcome: Outcome) {
        let done = v1::Done {
            lease: push.lease,
            spent: 1000,
            outcome: Some(outcome),
        };
        self.say(Say::Done(done)).await;
    }

    async fn next(&mut self) -> Result<Said, Status> {
        let next = self.said.message().await?;
        Ok(next
            .and_then(|message| message.message)
            .expect("something is said"))
    }

    async fn push(&mut self) -> v1::Push {
        loop {
            if let Said::Push(push) = self.next().await.unwrap() {
                return push;
            }
        }
    }

    async fn accepted(&mut self) {
        while !matches!(self.next().await.unwrap(), Said::Accepted(_)) {}
    }

    /// Why the coordinator ended it.
    async fn end(&mut self) -> Status {
        loop {
            if let Err(status) = self.next().await {
                return status;
            }
        }
    }
}

fn message(what: Say) -> v1::WorkerMessage {
    v1::WorkerMessage {
        message: Some(what),
    }
}

fn hello(name: &str) -> v1::Hello {
    v1::Hello {
        protocol: PROTOCOL,
        name: name.to_owned(),
        instance: 1,
        slots: 1,
        ..v1::Hello::default()
    }
}

/// The head of a proof file that says to prove a position with so many nodes. What follows is
/// never read.
fn bomb(start: &Position, attacker: Colour, nodes: u64) -> Vec<u8> {
    let letter = |colour: Colour| if colour == Colour::Black { b'B' } else { b'W' };
    let rules = start.rules();
    let mut file = b"\x89GPROOF\x0a\x01\x00".to_vec();
    file.extend([rules.columns(), rules.rows(), rules.in_a_row()]);
    file.extend([rules.stones_per_turn(), rules.first_stones()]);
    file.extend([letter(start.to_move()), letter(attacker)]);
    for colour in [Colour::Black, Colour::White] {
        let stones = start.stones(colour);
        file.extend((stones.len() as u16).to_le_bytes());
        let place = |square: gridproof_game::Square| {
            u16::from(square.row()) * u16::from(rules.columns()) + u16::from(square.column())
        };
        let mut places: Vec<u16> = stones.iter().map(place).collect();
        places.sort_unstable();
        places
            .iter()
            .for_each(|place| file.extend(place.to_le_bytes()));
    }
    file.extend(nodes.to_le_bytes());
    file.extend(zstd::encode_all(&[0x0b; 4096][..], 1).unwrap());
    file.extend([0; 32]);
    file
}

fn position_of(push: &v1::Push) -> Position {
    push.position.as_ref().unwrap().try_into().unwrap()
}

fn won(certificate: Vec<u8>) -> Outcome {
    Outcome::Won(v1::Won {
        certificate: certificate.into(),
    })
}

#[tokio::test]
async fn a_certificate_of_another_position_is_refused_before_it_is_read() {
    let grid = Grid::with_search().await;
    let mut liar = Wire::attach(&grid, hello("liar")).await;
    let push = liar.push().await;
    let other = "G7-M13".parse::<Opening>().unwrap().position();
    liar.done(&push, won(bomb(&other, Colour::Black, u64::MAX)))
        .await;
    let end = liar.end().await;
    assert_eq!(end.code(), Code::PermissionDenied, "{end}");
    assert!(end.message().contains("another position"), "{end}");
}

#[tokio::test]
async fn a_certificate_larger_than_its_job_is_refused_before_it_is_read() {
    let grid = Grid::with_search().await;
    let mut liar = Wire::attach(&grid, hello("liar")).await;
    let push = liar.push().await;
    let position = position_of(&push);
    liar.done(&push, won(bomb(&position, Colour::Black, 1 << 40)))
        .await;
    let end = liar.end().await;
    assert_eq!(end.code(), Code::PermissionDenied, "{end}");
    assert!(end.message().contains("may have"), "{end}");
}

#[tokio::test]
async fn who_has_nothing_to_check_does_not_wait_for_checks() {
    let options = ServiceOptions {
        // All checkers are busy, for ever.
        checkers: 0,
        ..ServiceOptions::default()
    };
    let grid = Grid::with_service(options).await;
    let mut waiting = Wire::attach(&grid, hello("waiting")).await;
    let push = waiting.push().await;
    let position = position_of(&push);
    waiting
        .done(&push, won(bomb(&position, Colour::Black, 1)))
        .await;
    let mut honest = Wire::attach(&grid, hello("honest")).await;
    let other = "XX-L8".parse::<Opening>().unwrap().position();
    let submitted = grid
        .coordinator
        .submit("XX-L8".to_owned(), other, Colour::Black, 1);
    submitted.await.unwrap();
    let push = honest.push().await;
    honest.done(&push, Outcome::Unknown(v1::Unknown {})).await;
    honest.accepted().await;
}

#[tokio::test]
async fn a_worker_that_brings_thousands_of_jobs_along_is_not_let_in() {
    let grid = Grid::with_search().await;
    let held = v1::Held {
        lease: 1,
        job: Some(v1::JobName {
            kind: v1::JobKind::Engine.into(),
            ..v1::JobName::default()
        }),
    };
    let hoarder = v1::Hello {
        held: vec![held; 10_000],
        ..hello("hoarder")
    };
    let end = Wire::attach(&grid, hoarder).await.end().await;
    assert_eq!(end.code(), Code::InvalidArgument, "{end}");
}

#[tokio::test]
async fn a_long_first_message_is_refused_before_it_is_decoded() {
    let grid = Grid::with_search().await;
    let empty = v1::Hello {
        held: vec![v1::Held::default(); 1 << 20],
        ..hello("hoarder")
    };
    let long = v1::Hello {
        version: "x".repeat(60 << 20),
        ..hello("talker")
    };
    for first in [empty, long] {
        let end = Wire::attach(&grid, first).await.end().await;
        assert_eq!(end.code(), Code::ResourceExhausted, "{end}");
    }
}

#[tokio::test]
async fn a_message_of_all_empty_moves_is_refused_before_it_is_decoded() {
    let grid = Grid::with_search().await;
    let (mut flood, push) = at_verifier(&grid).await;
    let open = v1::Open {
        moves: vec![v1::Move::default(); 1 << 20],
        ..v1::Open::default()
    };
    flood.done(&push, Outcome::Open(open)).await;
    let end = flood.end().await;
    assert_eq!(end.code(), Code::ResourceExhausted, "{end}");
}

#[tokio::test]
async fn who_comes_and_goes_without_end_has_to_wait() {
    let grid = Arc::new(Grid::with_search().await);
    let mut visits = JoinSet::new();
    for _ in 0..100 {
        let grid = Arc::clone(&grid);
        visits.spawn(async move { Wire::attach(&grid, hello("flap")).await.next().await });
    }
    let (mut welcome, mut refused) = (0, 0);
    // Those that have to wait are not waited for.
    while welcome < 8 || refused < 80 {
        match visits.join_next().await.expect("a visit").unwrap() {
            Ok(_) => welcome += 1,
            Err(status) => {
                assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
                refused += 1;
            }
        }
    }
}

/// A defender's position with a verifier job, and the worker that has it.
async fn at_verifier(grid: &Grid) -> (Wire, v1::Push) {
    let mut engine = grid.worker("engine", Vec::new()).await;
    let job = engine.job().await;
    let unknown = gridproof_search::JobResult::Unknown;
    engine.answer(&job, unknown).await;
    let job = engine.job().await;
    engine.answer(&job, suggest(&["K11 L10"])).await;
    grid.coordinator
        .goodbye(engine.connection, "enough".to_owned())
        .await
        .unwrap();
    let mut flood = Wire::attach(grid, hello("flood")).await;
    loop {
        let push = flood.push().await;
        if push.job.as_ref().unwrap().kind() == v1::JobKind::Verifier {
            return (flood, push);
        }
        flood.done(&push, Outcome::Unknown(v1::Unknown {})).await;
    }
}

/// All full moves of two stones on empty squares.
fn all_moves(position: &Position) -> Vec<v1::Move> {
    let empty = |square: &u32| {
        let taken = |colour| {
            let mut stones = position.stones(colour).iter();
            stones.any(|stone| u32::from(stone.row()) * 19 + u32::from(stone.column()) == *square)
        };
        !taken(Colour::Black) && !taken(Colour::White)
    };
    let squares: Vec<u32> = (0..361).filter(empty).collect();
    let pairs = squares.iter().enumerate().flat_map(|(at, &first)| {
        squares[at + 1..].iter().map(move |&second| v1::Move {
            stones: vec![first, second],
            nulls: 0,
        })
    });
    pairs.collect()
}

async fn children(grid: &Grid, node: u32) -> usize {
    let page = Page {
        offset: 0,
        limit: 1,
    };
    let order = ChildOrder::default();
    let node = grid
        .coordinator
        .node(NodeId(node), order, ChildFilter::default(), page);
    node.await.unwrap().unwrap().children_total
}

#[tokio::test]
async fn of_open_replies_without_end_only_the_beginning_counts() {
    let grid = Grid::with_search().await;
    let (mut flood, push) = at_verifier(&grid).await;
    let position = position_of(&push);
    let moves = all_moves(&position).into_iter().take(20_000).collect();
    let open = v1::Open {
        moves,
        ..v1::Open::default()
    };
    flood.done(&push, Outcome::Open(open)).await;
    flood.accepted().await;
    let Some(Goal::FindReplies(limits)) = push.goal else {
        panic!("a verifier looks for replies");
    };
    let count = children(&grid, push.job.unwrap().node).await;
    assert!(count > 0 && count <= limits.most_open as usize, "{count}");
}

#[tokio::test]
async fn of_findings_without_end_only_the_beginning_counts() {
    let grid = Grid::with_search().await;
    let (mut flood, push) = at_verifier(&grid).await;
    let position = position_of(&push);
    for open in all_moves(&position).into_iter().take(2500) {
        let finding = v1::Finding {
            lease: push.lease,
            open: Some(open),
        };
        flood.say(Say::Finding(finding)).await;
    }
    flood.done(&push, Outcome::Unknown(v1::Unknown {})).await;
    let accepted = tokio::time::timeout(Duration::from_secs(60), flood.accepted());
    accepted.await.unwrap();
    let count = children(&grid, push.job.unwrap().node).await;
    assert!((1000..=2048).contains(&count), "{count}");
}

#[tokio::test]
async fn what_a_proof_does_not_need_is_not_stored() {
    let grid = Grid::start(&Arc::default());
    let game = read_game(b"G7-M13 j8,k9").unwrap();
    let root = game.position().clone();
    let submitted = grid
        .coordinator
        .submit("G7-M13".to_owned(), root, Colour::Black, 1);
    submitted.await.unwrap();
    let mut liar = Wire::attach(&grid, hello("liar")).await;
    let push = liar.push().await;
    let honest = proof_of(&position_of(&push));
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    let padded = padded(&honest, if is_long { 1_200_000 } else { 300_000 });
    check(&padded).expect("it is true");
    let file = write_proof(&padded, Vec::new()).unwrap().0;
    let bytes = file.len();
    liar.done(&push, won(file)).await;
    liar.accepted().await;
    let verdict = grid.coordinator.verdict(SearchId(1)).await;
    assert_eq!(verdict.unwrap(), Verdict::Proved);
    let stored = grid.coordinator.proof(SearchId(1)).await.unwrap();
    println!(
        "a proof of {} nodes, padded to {} in {bytes} bytes, is stored with {}",
        honest.len(),
        padded.len(),
        stored.len()
    );
    check(&stored).unwrap();
    assert!(padded.len() > 3 * honest.len());
    assert!(stored.len() <= honest.len());
}
