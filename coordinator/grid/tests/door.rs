//! What a stranger may cost, and how it ends when a token is revoked: over real sockets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gridproof_grid::coordinator::{Coordinator, CoordinatorOptions};
use gridproof_grid::security::{Authenticator, Incoming, Limits, Role, TokenFile};
use gridproof_grid::service::{ServiceOptions, listen, serve, with_keepalive};
use gridproof_grid::store::MemoryStore;
use gridproof_host::{Credentials, Token};
use gridproof_proto::v1;
use gridproof_proto::v1::operate_client::OperateClient;
use jiff::Timestamp;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_util::sync::CancellationToken;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;

struct Door {
    address: SocketAddr,
    tokens: TokenFile,
    operator: Token,
    authenticator: Authenticator,
    _folder: tempfile::TempDir,
}

type Client = OperateClient<InterceptedService<Channel, Credentials>>;

impl Door {
    async fn open(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tokens = TokenFile::at(folder.path().join("tokens.toml"));
        let name = "anna".parse().unwrap();
        let operator = tokens
            .issue(&name, Role::Operator, Timestamp::UNIX_EPOCH)
            .unwrap();
        let authenticator = Authenticator::new(tokens.clone()).unwrap();
        let listener = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.local_addr().unwrap();
        let incoming = Incoming::new(listener, None, limits, authenticator.refusals());
        let store = Arc::new(MemoryStore::new());
        let options = CoordinatorOptions::default();
        let (coordinator, _) =
            Coordinator::start(store, &options, |failure| panic!("{failure}")).unwrap();
        let options = ServiceOptions {
            authenticator: authenticator.clone(),
            ..ServiceOptions::default()
        };
        let server = with_keepalive(Server::builder());
        let shutdown = CancellationToken::new();
        tokio::spawn(serve(server, incoming, coordinator, options, shutdown));
        Self {
            address,
            tokens,
            operator,
            authenticator,
            _folder: folder,
        }
    }

    async fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address)).unwrap();
        endpoint.connect().await.unwrap()
    }

    async fn operator(&self) -> Client {
        let credentials = Credentials::from(&self.operator);
        OperateClient::with_interceptor(self.channel().await, credentials)
    }

    /// A connection from another address of this machine.
    async fn stranger(&self) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.9:0".parse().unwrap()).unwrap();
        socket.connect(self.address).await.unwrap()
    }
}

/// Hours, so that a test that hangs shows which limit does not hold.
fn patient() -> Limits {
    Limits {
        introduction: Duration::from_secs(3600),
        unread: Duration::from_secs(3600),
        ..Limits::default()
    }
}

/// Waits until the other side has hung up.
async fn is_dropped(mut stream: TcpStream) {
    let mut waste = [0; 4096];
    while !matches!(stream.read(&mut waste).await, Ok(0) | Err(_)) {}
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Empty settings.
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];

/// A call of nothing: POST / over http, which needs no table.
fn headers(stream: u32) -> Vec<u8> {
    let block = [0x83, 0x86, 0x84];
    let mut frame = vec![0, 0, block.len() as u8, 1, 0x5];
    frame.extend(stream.to_be_bytes());
    frame.extend(block);
    frame
}

#[tokio::test]
async fn who_calls_and_does_not_read_is_not_served_without_end() {
    let door = Door::open(patient()).await;
    let mut stranger = door.stranger().await;
    stranger.write_all(PREFACE).await.unwrap();
    stranger.write_all(&SETTINGS).await.unwrap();
    // A thousand calls at a time, until the server takes no more: it must, for nobody reads
    // the answers. It hangs up, or leaves the rest in the socket.
    let mut sent = 0;
    for round in 0.. {
        let first = 1 + 2000 * round;
        let calls = (0..1000).flat_map(|call| headers(first + 2 * call));
        let calls: Vec<u8> = calls.collect();
        let written = tokio::time::timeout(Duration::from_secs(2), stranger.write_all(&calls));
        match written.await {
            Ok(Ok(())) => sent += calls.len(),
            Ok(Err(_)) | Err(_) => break,
        }
        assert!(sent < 16 << 20, "the server goes on and on");
    }
    let mut operator = door.operator().await;
    operator.list(v1::ListRequest {}).await.unwrap();
}

#[tokio::test]
async fn who_says_nothing_is_dropped() {
    let door = Door::open(Limits {
        introduction: Duration::from_millis(200),
        ..patient()
    })
    .await;
    let silent = door.stranger().await;
    let mut half = door.stranger().await;
    half.write_all(&PREFACE[..10]).await.unwrap();
    let mut without_call = door.stranger().await;
    without_call.write_all(PREFACE).await.unwrap();
    without_call.write_all(&SETTINGS).await.unwrap();
    let mut refused = door.stranger().await;
    refused.write_all(PREFACE).await.unwrap();
    refused.write_all(&SETTINGS).await.unwrap();
    refused.write_all(&headers(1)).await.unwrap();
    for stranger in [silent, half, without_call, refused] {
        is_dropped(stranger).await;
    }
}

#[tokio::test]
async fn who_is_let_in_stays() {
    let door = Door::open(Limits {
        introduction: Duration::from_millis(200),
        ..patient()
    })
    .await;
    let mut operator = door.operator().await;
    let mut events = operator
        .watch(v1::WatchRequest {})
        .await
        .unwrap()
        .into_inner();
    // A stranger who came later is gone: the time is over for both.
    is_dropped(door.stranger().await).await;
    let submit = v1::SubmitRequest {
        game: "TX-H9".to_owned(),
        ..v1::SubmitRequest::default()
    };
    operator.submit(submit).await.unwrap();
    assert!(events.message().await.unwrap().is_some());
}

#[tokio::test]
async fn a_crowd_of_strangers_leaves_room_for_those_who_belong_here() {
    let door = Door::open(Limits {
        strangers_of_address: 8,
        ..patient()
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(TcpStream::connect(door.address).await.unwrap());
    }
    // From the same address, each over a connection of its own.
    for _ in 0..8 {
        let mut operator = door.operator().await;
        operator.list(v1::ListRequest {}).await.unwrap();
    }
    // One made room for them all, since who is let in makes room again.
    is_dropped(held.remove(0)).await;
}

#[tokio::test]
async fn who_calls_without_a_token_again_and_again_is_not_answered_for_ever() {
    let limits = Limits {
        introduction: Duration::from_millis(500),
        stranger_bytes: usize::MAX,
        ..patient()
    };
    let door = Door::open(limits).await;
    let (mut answers, mut calls) = door.stranger().await.into_split();
    let calling = tokio::spawn(async move {
        calls.write_all(PREFACE).await?;
        calls.write_all(&SETTINGS).await?;
        for call in 0..10_000 {
            calls.write_all(&headers(1 + 2 * call)).await?;
        }
        std::io::Result::Ok(calls)
    });
    // Until it hangs up.
    let mut answered = 0;
    let mut head = [0; 9];
    while answers.read_exact(&mut head).await.is_ok() {
        let [a, b, c, kind, ..] = head;
        answered += u32::from(kind == 1);
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        if answers.read_exact(&mut payload).await.is_err() {
            break;
        }
    }
    calling.abort();
    // Those that are read together are counted together.
    assert!(answered < 200, "{answered}");
}

#[tokio::test]
async fn an_unfinished_health_call_holds_hardly_any_memory() {
    let door = Door::open(patient()).await;
    let mut health = HealthClient::new(door.channel().await);
    let long = |length: usize| HealthCheckRequest {
        service: "x".repeat(length),
    };
    let known = health.check(long(100)).await.unwrap_err();
    assert_eq!(known.code(), Code::NotFound);
    let refused = health.check(long(2 << 10)).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange, "{refused}");
}

#[tokio::test]
async fn a_revoked_token_ends_the_streams_that_it_opened() {
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    for _ in 0..if is_long { 2_000 } else { 2 } {
        revoked_while_it_watches().await;
    }
}

async fn revoked_while_it_watches() {
    let door = Door::open(patient()).await;
    let mut operator = door.operator().await;
    let mut events = operator
        .watch(v1::WatchRequest {})
        .await
        .unwrap()
        .into_inner();
    door.tokens.revoke("anna", Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(door.authenticator.refresh().unwrap().len(), 1);
    let ended = loop {
        match events.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended without a word"),
            Err(status) => break status,
        }
    };
    assert_eq!(ended.code(), Code::Unauthenticated, "{ended}");
    let refused = operator.list(v1::ListRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn what_there_is_to_call_is_told_to_holders_of_a_token_alone() {
    let door = Door::open(patient()).await;
    let question = || Request::new(tokio_stream::once(ServerReflectionRequest::default()));
    let mut stranger = ServerReflectionClient::new(door.channel().await);
    let refused = stranger.server_reflection_info(question()).await;
    assert_eq!(refused.unwrap_err().code(), Code::Unauthenticated);
    let credentials = Credentials::from(&door.operator);
    let channel = door.channel().await;
    let mut operator = ServerReflectionClient::with_interceptor(channel, credentials);
    operator.server_reflection_info(question()).await.unwrap();
}
