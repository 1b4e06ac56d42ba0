//! The page's own listener: plain on loopback, TLS elsewhere, behind the door of the grid's
//! listener. What strangers may take is bounded there.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use gridproof_grid::security::{Connection, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio_stream::StreamExt as _;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;
use tracing::debug;

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the page cannot listen at {address}: {error}")]
    Listen {
        address: SocketAddr,
        error: io::Error,
    },
}

/// Who is let in and then says nothing for so long may come again.
const HEADERS_WITHIN: Duration = Duration::from_secs(20);
/// How often an HTTP/2 browser is asked whether it is there, and how long it may take to answer.
const KEEPALIVE: Duration = Duration::from_secs(20);
/// Bytes of all headers of a request, the cookie among them.
const HEADERS: usize = 16 << 10;
/// Requests at one time over one connection, and those taken back before they were looked at or
/// that broke the protocol.
const STREAMS: u32 = 64;
const TAKEN_BACK: usize = 32;

/// Binds the page's address.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| ServeError::Listen { address, error })
}

/// Serves until it is told to end. Open streams end with it.
pub async fn serve(mut incoming: Incoming, router: Router, shutdown: CancellationToken) {
    loop {
        let connection = tokio::select! {
            () = shutdown.cancelled() => return,
            next = incoming.next() => match next {
                Some(Ok(connection)) => connection,
                Some(Err(_)) => continue,
                None => return,
            },
        };
        let (router, shutdown) = (router.clone(), shutdown.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = talk(connection, router) => {}
            }
        });
    }
}

async fn talk(connection: Connection, router: Router) {
    let peer = connection.peer();
    let service = router.map_request(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer.clone());
        request.map(Body::new)
    });
    let service = TowerToHyperService::new(service.map_err(|error: Infallible| match error {}));
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .max_header_list_size(HEADERS as u32)
        .max_pending_accept_reset_streams(TAKEN_BACK)
        .max_local_error_reset_streams(TAKEN_BACK)
        .max_concurrent_streams(STREAMS);
    if let Err(error) = builder
        .serve_connection(TokioIo::new(connection), service)
        .await
    {
        debug!("a browser's connection ended: {error}");
    }
}
