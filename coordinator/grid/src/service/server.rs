use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use gridproof_proto::v1::operate_server::OperateServer;
use gridproof_proto::v1::work_server::WorkServer;
use gridproof_proto::{DESCRIPTORS, MESSAGE_LIMIT};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::service::InterceptorLayer;
use tonic::transport::server::Connected;
use tonic::transport::{self, Server};
use tonic::{Request, Status};

use super::arrivals::Arrivals;
use super::checkers::Checkers;
use super::intake::Intake;
use super::operate::OperateService;
use super::work::WorkService;
use crate::GridBook;
use crate::coordinator::Coordinator;
use crate::security::{Authenticator, Peer, Role};

/// How the services behave.
#[derive(Clone, Debug)]
pub struct ServiceOptions {
    pub authenticator: Authenticator,
    /// Workers give a sign of life at least this often.
    pub progress_seconds: u32,
    /// The largest message that is taken.
    pub message_limit: usize,
    /// Checks of certificates at the same time.
    pub checkers: usize,
    /// Asked before a job goes to a worker.
    pub book: Option<GridBook>,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism();
        Self {
            authenticator: Authenticator::disabled(),
            progress_seconds: 10,
            message_limit: MESSAGE_LIMIT,
            checkers: cores.map_or(2, usize::from),
            book: None,
        }
    }
}

/// Why the server ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen at {address}")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("the server failed")]
    Transport(#[from] transport::Error),
    #[error("gRPC reflection cannot be set up: {0}")]
    Reflection(String),
}

/// Listens for connections over TCP.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| ServeError::Listen { address, source })
}

/// Calls at one time over one connection: a worker has one, an operator's page a few.
const STREAMS: u32 = 64;
/// Bytes of all headers of a call.
const HEADERS: u32 = 8 << 10;
/// Calls that a peer took back before they were looked at, or broke the protocol with; after that
/// many it is dropped.
const TAKEN_BACK: usize = 32;

/// A server that notices within ten seconds when a worker's machine is gone, and bounds what a
/// connection may have under way.
#[must_use]
pub fn with_keepalive(server: Server) -> Server {
    const FIVE_SECONDS: Duration = Duration::from_secs(5);
    server
        .http2_keepalive_interval(Some(FIVE_SECONDS))
        .http2_keepalive_timeout(Some(FIVE_SECONDS))
        .tcp_keepalive(Some(Duration::from_secs(30)))
        .max_concurrent_streams(STREAMS)
        .http2_max_header_list_size(HEADERS)
        .http2_max_pending_accept_reset_streams(Some(TAKEN_BACK))
        .http2_max_local_error_reset_streams(Some(TAKEN_BACK))
}

/// Calls of strangers are counted before anything is done about them.
#[expect(clippy::unnecessary_wraps, reason = "so interceptors are")]
fn count(request: Request<()>) -> Result<Request<()>, Status> {
    if let Some(peer) = request.extensions().get::<Peer>() {
        peer.called();
    }
    Ok(request)
}

/// Serves workers and operators until `shutdown`, then ends every stream and returns.
/// TLS, limits and the like are settings of `server`.
pub async fn serve<IO, E>(
    server: Server,
    incoming: impl Stream<Item = Result<IO, E>>,
    coordinator: Coordinator,
    options: ServiceOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    IO: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let options = Arc::new(options);
    let limit = options.message_limit;
    let work = WorkService {
        coordinator: coordinator.clone(),
        checkers: Arc::new(Checkers::new(options.checkers)),
        arrivals: Arrivals::default(),
        options: Arc::clone(&options),
    };
    let operate = OperateService {
        coordinator: coordinator.clone(),
        shutdown: shutdown.clone(),
    };
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_serving::<WorkServer<WorkService>>().await;
    health.set_serving::<OperateServer<OperateService>>().await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()
        .map_err(|error| ServeError::Reflection(error.to_string()))?
        // Who asks names a symbol or a file.
        .max_decoding_message_size(16 << 10);
    let work = WorkServer::new(work)
        .max_decoding_message_size(limit)
        .max_encoding_message_size(limit);
    // Operators ask small questions.
    let operate = OperateServer::new(operate).max_decoding_message_size(1 << 20);
    let door = &options.authenticator;
    let router = server
        .layer(InterceptorLayer::new(count))
        .add_service(door.guard(Intake::new(work), Some(Role::Worker)))
        .add_service(door.guard(operate, Some(Role::Operator)))
        // Load balancers and supervisors have no token. It says nothing but "serving".
        // Strangers may call it: 64 of its calls at a time must not hold 4 MB each.
        .add_service(health_service.max_decoding_message_size(1 << 10))
        .add_service(door.guard(reflection, None));
    // Open streams hold the server up, so the coordinator ends them first.
    let going_down = async {
        shutdown.cancelled().await;
        coordinator.shut_down().await;
    };
    router
        .serve_with_incoming_shutdown(incoming, going_down)
        .await?;
    // Where connections can come to an end, that ends the server, too.
    coordinator.shut_down().await;
    Ok(())
}
