//! Connections as they come in, with the TLS handshake behind them.
//!
//! tonic can do the handshake too, but keeps its failures to itself; here they are told
//! once, and what strangers may take is bounded ([`Limits`]).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_stream::Stream;

use super::connection::{self, Connection, Peer};
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
        let limits = *connections.limits();
        let until = Instant::now() + limits.introduction;
        let peer = Peer { address, admission };
        let Some(tls) = &tls else {
            let stream = connection::Stream::Plain(stream);
            let connection = Connection::new(stream, peer, until, limits, refusals.clone());
            if ready.send(Ok(connection)).await.is_err() {
                return;
            }
            continue;
        };
        let acceptor = TlsAcceptor::from(tls.config());
        let (refusals, ready) = (refusals.clone(), ready.clone());
        let evicted = peer.admission.evicted();
        tokio::spawn(async move {
            let accepted = tokio::time::timeout_at(until, acceptor.accept(stream));
            let Some(accepted) = evicted.run_until_cancelled(accepted).await else {
                let reason = "made room for another without a token";
                return refusals.record(Some(address.ip()), reason);
            };
            match accepted {
                Ok(Ok(stream)) => {
                    let stream = connection::Stream::Tls(Box::new(stream));
                    let connection = Connection::new(stream, peer, until, limits, refusals);
                    // If nobody takes it, the server is going down.
                    let _ = ready.send(Ok(connection)).await;
                }
                Ok(Err(error)) => refusals.record(Some(address.ip()), failure(&error)),
                Err(_) => refusals.record(Some(address.ip()), "said nothing"),
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
