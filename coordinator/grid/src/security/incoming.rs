//! Connections as they come in, with the TLS handshake behind them.
//!
//! tonic can do the handshake too, but keeps its failures to itself; here they are told
//! once, and what strangers may take is bounded ([`Limits`]).

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_stream::{Stream, StreamExt as _};

use super::connection::{Connection, LimitedStream, Peer};
use super::identity::Identity;
use super::limits::{Connections, Limits};
use super::refusals::RefusalLog;

/// A failing accept, for want of file handles perhaps, is not tried again at once.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// How often the certificate's end is looked at.
const LOOK: Duration = Duration::from_secs(60);

/// A stream of connections for `serve_with_incoming`. Stops listening when it is dropped.
#[derive(Debug)]
pub struct Incoming {
    ready: mpsc::Receiver<io::Result<Connection>>,
    accepting: AbortHandle,
}

impl Incoming {
    /// Without TLS if there is no identity. Must be called inside a tokio runtime.
    #[must_use]
    pub fn new(
        listener: TcpListener,
        tls: Option<Arc<Identity>>,
        limits: Limits,
        refusals: RefusalLog,
    ) -> Self {
        let (sender, ready) = mpsc::channel(64);
        let connections = Connections::new(limits);
        let accepting = tokio::spawn(accept(listener, tls, connections, refusals, sender));
        Self {
            ready,
            accepting: accepting.abort_handle(),
        }
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.ready.poll_recv(cx)
    }
}

/// For servers of HTTP alone.
impl axum::serve::Listener for Incoming {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            match self.next().await {
                Some(Ok(connection)) => {
                    let address = connection.peer().address;
                    return (connection, address);
                }
                Some(Err(_)) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// Who bound the listener knows it.
    fn local_addr(&self) -> io::Result<SocketAddr> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

async fn accept(
    listener: TcpListener,
    tls: Option<Arc<Identity>>,
    connections: Connections,
    refusals: RefusalLog,
    ready: mpsc::Sender<io::Result<Connection>>,
) {
    let mut looks = tokio::time::interval(LOOK);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = looks.tick() => {
                if let Some(tls) = &tls {
                    tls.look();
                }
                continue;
            }
        };
        let Ok((stream, address)) = accepted else {
            // For want of file handles, most likely: said once, not at every try.
            refusals.record(None, "the system hands out no more connections");
            tokio::time::sleep(ACCEPT_RETRY).await;
            continue;
        };
        let admission = match connections.enter(address.ip()) {
            Ok(admission) => admission,
            Err(reason) => {
                refusals.record(Some(address.ip()), reason);
                continue;
            }
        };
        // Small messages go out at once: 14 times faster.
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let peer = Peer { address, admission };
        let limits = *connections.limits();
        let stream = LimitedStream::new(stream, peer, limits, refusals.clone());
        let Some(tls) = &tls else {
            if ready.send(Ok(Connection::Plain(stream))).await.is_err() {
                return;
            }
            continue;
        };
        let acceptor = TlsAcceptor::from(tls.config());
        let (refusals, ready) = (refusals.clone(), ready.clone());
        tokio::spawn(async move {
            match acceptor.accept(stream).await {
                Ok(stream) => {
                    // If nobody takes it, the server is going down.
                    let _ = ready.send(Ok(Connection::Tls(Box::new(stream)))).await;
                }
                // The stream itself has told why.
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                Err(error) => refusals.record(Some(address.ip()), failure(&error)),
            }
        });
    }
}

/// In few and fixed words, so that a client cannot make up new ones for the log.
fn failure(error: &io::Error) -> &'static str {
    use tokio_rustls::rustls::{AlertDescription, Error};

    let tls = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    match tls {
        Some(Error::InvalidMessage(_)) => "does not speak TLS",
        Some(Error::NoCertificatesPresented) => "shows no certificate",
        Some(Error::InvalidCertificate(_)) => "shows a certificate of another authority",
        Some(Error::AlertReceived(
            AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::DecryptError,
        )) => "does not believe our certificate",
        _ => "broke off the TLS handshake",
    }
}
