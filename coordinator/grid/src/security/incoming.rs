//! Connections as they come in, with the TLS handshake behind them.
//!
//! tonic can do the handshake too, but keeps its failures to itself; here they are told
//! once, and one address's share of unfinished handshakes is bounded.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use gridproof_host::tls::HANDSHAKE;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;
use tokio_stream::Stream;
use tonic::transport::server::{Connected, TcpConnectInfo};

use super::refusals::RefusalLog;

/// Unfinished handshakes from one address. A room of machines behind one address that comes
/// back at once gets by with this, since a handshake takes about a millisecond.
const HANDSHAKES_PER_ADDRESS: u32 = 64;

/// A failing accept, for want of file handles perhaps, is not tried again at once.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// A connection that has come as far as HTTP/2.
#[derive(Debug)]
pub enum Connection {
    /// Without TLS.
    Plain(TcpStream),
    /// After the handshake.
    Tls(Box<TlsStream<TcpStream>>),
}

/// A stream of connections for `serve_with_incoming`. Stops listening when it is dropped.
#[derive(Debug)]
pub struct Incoming {
    ready: mpsc::Receiver<io::Result<Connection>>,
    accepting: AbortHandle,
}

impl Incoming {
    /// Without TLS if there is no configuration. Must be called inside a tokio runtime.
    #[must_use]
    pub fn new(
        listener: TcpListener,
        tls: Option<Arc<ServerConfig>>,
        refusals: RefusalLog,
    ) -> Self {
        let (sender, ready) = mpsc::channel(64);
        let accepting = tokio::spawn(accept(
            listener,
            tls.map(TlsAcceptor::from),
            refusals,
            sender,
        ));
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
    tls: Option<TlsAcceptor>,
    refusals: RefusalLog,
    ready: mpsc::Sender<io::Result<Connection>>,
) {
    let handshakes = Handshakes::default();
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_RETRY).await;
                continue;
            }
        };
        // Small messages go out at once: 14 times faster.
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let Some(tls) = tls.clone() else {
            if ready.send(Ok(Connection::Plain(stream))).await.is_err() {
                return;
            }
            continue;
        };
        let Some(permit) = handshakes.begin(peer.ip()) else {
            refusals.record(Some(peer.ip()), "too many unfinished handshakes");
            continue;
        };
        let (refusals, ready) = (refusals.clone(), ready.clone());
        tokio::spawn(async move {
            let handshake = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await;
            drop(permit);
            match handshake {
                Ok(Ok(stream)) => {
                    // If nobody takes it, the server is going down.
                    let _ = ready.send(Ok(Connection::Tls(Box::new(stream)))).await;
                }
                Ok(Err(error)) => refusals.record(Some(peer.ip()), failure(&error)),
                Err(_) => refusals.record(Some(peer.ip()), "said nothing"),
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

#[derive(Clone, Debug, Default)]
struct Handshakes(Arc<Mutex<BTreeMap<IpAddr, u32>>>);

/// One unfinished handshake; dropping it ends that.
struct HandshakePermit {
    handshakes: Handshakes,
    peer: IpAddr,
}

impl Handshakes {
    fn begin(&self, peer: IpAddr) -> Option<HandshakePermit> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(peer).or_default();
        if *count >= HANDSHAKES_PER_ADDRESS {
            return None;
        }
        *count += 1;
        let handshakes = self.clone();
        Some(HandshakePermit { handshakes, peer })
    }
}

impl Drop for HandshakePermit {
    fn drop(&mut self) {
        let mut counts = self
            .handshakes
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.peer);
            }
        }
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        match self {
            Self::Plain(stream) => stream.connect_info(),
            Self::Tls(stream) => stream.get_ref().0.connect_info(),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_hold_all_handshakes() {
        let handshakes = Handshakes::default();
        let [greedy, other] = [[10, 0, 0, 1], [10, 0, 0, 2]].map(IpAddr::from);
        let held: Vec<_> = std::iter::from_fn(|| handshakes.begin(greedy)).collect();
        assert_eq!(held.len(), HANDSHAKES_PER_ADDRESS as usize);
        assert!(handshakes.begin(other).is_some());
        drop(held);
        assert!(
            handshakes.0.lock().unwrap().is_empty(),
            "nothing is remembered afterwards"
        );
        assert!(handshakes.begin(greedy).is_some());
    }
}
