//! A connection that is dropped when its peer does not introduce itself, or does not read.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::transport::server::Connected;

use super::limits::{Admission, Limits, Standing};
use super::refusals::RefusalLog;

/// A connection that has come as far as HTTP/2.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    peer: Peer,
    limits: Limits,
    /// Until it is no stranger.
    introduction: Option<Pin<Box<Sleep>>>,
    evicted: Pin<Box<WaitForCancellationFutureOwned>>,
    /// While something waits that the peer does not read.
    unread: Option<Pin<Box<Sleep>>>,
    refusals: RefusalLog,
}

#[derive(Debug)]
pub(super) enum Stream {
    /// Without TLS.
    Plain(TcpStream),
    /// After the handshake.
    Tls(Box<TlsStream<TcpStream>>),
}

/// Who is at the other end: in the extensions of every request.
#[derive(Clone, Debug)]
pub struct Peer {
    pub(super) address: SocketAddr,
    pub(super) admission: Admission,
}

impl Connection {
    pub(super) fn new(
        stream: Stream,
        peer: Peer,
        until: Instant,
        limits: Limits,
        refusals: RefusalLog,
    ) -> Self {
        Self {
            stream,
            limits,
            evicted: Box::pin(peer.admission.evicted().cancelled_owned()),
            peer,
            introduction: Some(Box::pin(tokio::time::sleep_until(until))),
            unread: None,
            refusals,
        }
    }

    /// Who is at the other end.
    #[must_use]
    pub fn peer(&self) -> Peer {
        self.peer.clone()
    }

    fn drop_peer(&self, reason: &'static str) -> io::Error {
        self.refusals.record(Some(self.peer.address.ip()), reason);
        io::Error::new(io::ErrorKind::TimedOut, reason)
    }

    /// An error once the time to introduce itself is over.
    fn poll_introduction(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let Some(deadline) = &mut self.introduction else {
            return Ok(());
        };
        if self.peer.admission.standing() == Standing::Admitted {
            self.introduction = None;
            return Ok(());
        }
        if self.evicted.as_mut().poll(cx).is_ready() {
            return Err(self.drop_peer("made room for another without a token"));
        }
        match deadline.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(self.drop_peer("made no call that was let in")),
        }
    }

    /// Watches how long a write waits.
    fn poll_written<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.unread = None;
            return written;
        }
        let patience = self.limits.unread;
        let deadline = self
            .unread
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(self.drop_peer("does not read")))
    }
}

impl Peer {
    /// It has shown who it is, and is no stranger any more.
    pub fn admit(&self) {
        self.admission.admit();
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.poll_introduction(cx)?;
        match &mut this.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // Here too: who does not read keeps the connection from reading.
        this.poll_introduction(cx)?;
        let written = match &mut this.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        };
        this.poll_written(cx, written)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.poll_introduction(cx)?;
        let flushed = match &mut this.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        };
        this.poll_written(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
