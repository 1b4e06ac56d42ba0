//! A connection that is dropped when its peer does not introduce itself, or does not read. Of a
//! stranger only so much is read as an introduction takes: the rest waits until it is let in.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::transport::server::Connected;

use super::limits::{Admission, Limits, Standing};
use super::refusals::RefusalLog;

/// A connection that has come as far as HTTP/2.
#[derive(Debug)]
pub enum Connection {
    /// Without TLS.
    Plain(LimitedStream),
    /// After the handshake.
    Tls(Box<TlsStream<LimitedStream>>),
}

/// The bytes of a connection, below TLS: so the handshake is bounded, too.
#[derive(Debug)]
pub struct LimitedStream {
    stream: TcpStream,
    peer: Peer,
    limits: Limits,
    /// Until it is no stranger.
    introduction: Option<Introduction>,
    /// While something waits that the peer does not read.
    unread: Option<Pin<Box<Sleep>>>,
    refusals: RefusalLog,
}

#[derive(Debug)]
struct Introduction {
    deadline: Pin<Box<Sleep>>,
    /// Until it is let in, or has to go.
    settled: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Bytes that were read.
    read: usize,
}

/// Of a stranger so much is read at once, so that its calls are counted before there are many.
const SIP: usize = 1 << 10;

/// Who is at the other end: in the extensions of every request.
#[derive(Clone, Debug)]
pub struct Peer {
    pub(super) address: SocketAddr,
    pub(super) admission: Admission,
}

impl Connection {
    /// Who is at the other end.
    #[must_use]
    pub fn peer(&self) -> Peer {
        let stream = match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_ref().0,
        };
        stream.peer.clone()
    }
}

impl LimitedStream {
    pub(super) fn new(stream: TcpStream, peer: Peer, limits: Limits, refusals: RefusalLog) -> Self {
        let introduction = Introduction {
            deadline: Box::pin(tokio::time::sleep(limits.introduction)),
            settled: Box::pin(peer.admission.settled().cancelled_owned()),
            read: 0,
        };
        Self {
            stream,
            peer,
            limits,
            introduction: Some(introduction),
            unread: None,
            refusals,
        }
    }

    fn drop_peer(&self, reason: &'static str) -> io::Error {
        self.refusals.record(Some(self.peer.address.ip()), reason);
        io::Error::new(io::ErrorKind::TimedOut, reason)
    }

    /// An error once the time to introduce itself is over.
    fn poll_introduction(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let Some(introduction) = &mut self.introduction else {
            return Ok(());
        };
        // Asked first, so that this task is woken as soon as something comes of it.
        let settled = introduction.settled.as_mut().poll(cx);
        match self.peer.admission.standing() {
            Standing::Admitted => {
                self.introduction = None;
                return Ok(());
            }
            Standing::Evicted => {
                return Err(self.drop_peer("made room for another without a token"));
            }
            Standing::Stranger => debug_assert!(settled.is_pending()),
        }
        match introduction.deadline.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => Err(self.drop_peer("made no call that was let in")),
        }
    }

    /// Reads a little, unless the stranger has said enough: then the rest waits, and it is dropped
    /// when its time is over.
    fn poll_sip(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        introduction: &mut Introduction,
    ) -> Poll<io::Result<()>> {
        let has_said_enough = introduction.read >= self.limits.stranger_bytes
            || self.peer.admission.calls() >= self.limits.stranger_calls;
        if has_said_enough {
            return Poll::Pending;
        }
        let mut bytes = [0; SIP];
        let room = SIP.min(buffer.remaining());
        let mut sip = ReadBuf::new(&mut bytes[..room]);
        ready!(Pin::new(&mut self.stream).poll_read(cx, &mut sip))?;
        if introduction.read == 0 && !sip.filled().is_empty() {
            self.peer.admission.heard();
        }
        introduction.read += sip.filled().len();
        buffer.put_slice(sip.filled());
        Poll::Ready(Ok(()))
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

    /// It has made a call, whatever became of it.
    pub fn called(&self) {
        self.admission.called();
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer()
    }
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.poll_introduction(cx)?;
        let Some(mut introduction) = this.introduction.take() else {
            return Pin::new(&mut this.stream).poll_read(cx, buffer);
        };
        let read = this.poll_sip(cx, buffer, &mut introduction);
        this.introduction = Some(introduction);
        read
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // Here too: who does not read keeps the connection from reading.
        this.poll_introduction(cx)?;
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.poll_written(cx, written)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.poll_introduction(cx)?;
        let flushed = Pin::new(&mut this.stream).poll_flush(cx);
        this.poll_written(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
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
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::super::limits::Connections;
    use super::*;

    /// Hours, so that nothing but what is tested ends a connection.
    fn patient() -> Limits {
        Limits {
            introduction: Duration::from_secs(3600),
            unread: Duration::from_secs(3600),
            ..Limits::default()
        }
    }

    /// Who comes, and what the door makes of it.
    async fn come(limits: Limits) -> (TcpStream, LimitedStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stranger = TcpStream::connect(address).await.unwrap();
        let (stream, address) = listener.accept().await.unwrap();
        let admission = Connections::new(limits).enter(address.ip()).unwrap();
        let peer = Peer { address, admission };
        let stream = LimitedStream::new(stream, peer, limits, RefusalLog::default());
        (stranger, stream)
    }

    /// Whether there is nothing to read at this moment.
    async fn waits(stream: &mut LimitedStream) -> bool {
        let mut byte = [0];
        let read = stream.read(&mut byte);
        tokio::select! {
            biased;
            _ = read => false,
            () = std::future::ready(()) => true,
        }
    }

    #[tokio::test]
    async fn a_stranger_is_heard_no_longer_than_an_introduction_takes() {
        let limits = patient();
        let (mut stranger, mut stream) = come(limits).await;
        let words = vec![7; 3 * limits.stranger_bytes];
        stranger.write_all(&words).await.unwrap();
        let mut heard = vec![0; limits.stranger_bytes];
        stream.read_exact(&mut heard).await.unwrap();
        // What came is in the socket: without the limit it would be there to read.
        stream.stream.readable().await.unwrap();
        assert!(waits(&mut stream).await);
        let peer = stream.peer.clone();
        let mut rest = vec![0; 2 * limits.stranger_bytes];
        let (read, ()) = tokio::join!(stream.read_exact(&mut rest), async { peer.admit() });
        read.unwrap();
    }

    #[tokio::test]
    async fn a_stranger_makes_few_calls() {
        let (mut stranger, mut stream) = come(patient()).await;
        stranger.write_all(b"a call").await.unwrap();
        stream.stream.readable().await.unwrap();
        for _ in 0..patient().stranger_calls {
            stream.peer.called();
        }
        assert!(waits(&mut stream).await);
        stream.peer.admit();
        assert!(!waits(&mut stream).await);
    }

    #[tokio::test]
    async fn who_does_not_read_is_dropped_when_its_time_is_over() {
        let hasty = Limits {
            introduction: Duration::from_millis(20),
            ..patient()
        };
        let (_silent, mut stream) = come(hasty).await;
        // Nothing is read meanwhile, as where answers wait for somebody to take them.
        let bytes = vec![0; 1 << 20];
        let failure = loop {
            if let Err(failure) = stream.write_all(&bytes).await {
                break failure;
            }
        };
        assert_eq!(failure.to_string(), "made no call that was let in");
    }
}
