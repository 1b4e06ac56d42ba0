//! Real gRPC over simulated TCP.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use gridproof_worker::{Connector, with_keepalive};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::Connected;
use tonic::transport::{Channel, Endpoint, Error, Uri};
use tower::service_fn;
use turmoil::net::{TcpListener, TcpStream};

const PORT: u16 = 4100;

/// A simulated connection, in the shape that the server asks for.
pub struct Wire(TcpStream);

/// What arrives at the host that calls it.
pub async fn listen() -> io::Result<ReceiverStream<io::Result<Wire>>> {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    let (connections, incoming) = mpsc::channel(16);
    tokio::spawn(async move {
        loop {
            let accepted = listener.accept().await.map(|(stream, _)| Wire(stream));
            if connections.send(accepted).await.is_err() {
                return;
            }
        }
    });
    Ok(ReceiverStream::new(incoming))
}

/// A worker's way to the coordinator.
pub fn connector() -> Connector {
    Connector::new(connect)
}

pub async fn connect() -> Result<Channel, Error> {
    let connect = |_: Uri| async {
        let stream = TcpStream::connect(("coordinator", PORT)).await?;
        Ok::<_, io::Error>(TokioIo::new(stream))
    };
    with_keepalive(Endpoint::from_static("http://coordinator"))
        .connect_with_connector(service_fn(connect))
        .await
}

impl Connected for Wire {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
