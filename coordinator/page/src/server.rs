//! The page's own listener: plain on loopback, TLS elsewhere.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
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

/// Browsers open some connections each; more than this in all are not served.
const CONNECTIONS: usize = 512;
/// Who says nothing for so long at the start is not waited for.
const HEADERS_WITHIN: Duration = Duration::from_secs(20);

/// Binds the page's address.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let bound = TcpListener::bind(address).await;
    bound.map_err(|error| ServeError::Listen { address, error })
}

/// Serves until it is told to end. Open streams end with it.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    shutdown: CancellationToken,
) {
    let acceptor = tls.map(TlsAcceptor::from);
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let (stream, _) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                debug!("a browser's connection failed: {error}");
                // Perhaps no file handle is free: that takes a moment to change.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            continue;
        };
        let (acceptor, router, shutdown) = (acceptor.clone(), router.clone(), shutdown.clone());
        tokio::spawn(async move {
            let _permit = permit;
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = connection(stream, acceptor, router) => {}
            }
        });
    }
}

async fn connection(stream: TcpStream, acceptor: Option<TlsAcceptor>, router: Router) {
    // News are small and should not wait for more.
    let _ = stream.set_nodelay(true);
    match acceptor {
        None => talk(stream, router).await,
        Some(acceptor) => {
            let shaken = tokio::time::timeout(HEADERS_WITHIN, acceptor.accept(stream)).await;
            if let Ok(Ok(stream)) = shaken {
                talk(stream, router).await;
            }
        }
    }
}

async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, router: Router) {
    let service =
        router.map_request(|request: Request<hyper::body::Incoming>| request.map(Body::new));
    let service = TowerToHyperService::new(service.map_err(|error: Infallible| match error {}));
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(64 << 10);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(64);
    if let Err(error) = builder
        .serve_connection(TokioIo::new(stream), service)
        .await
    {
        debug!("a browser's connection ended: {error}");
    }
}
