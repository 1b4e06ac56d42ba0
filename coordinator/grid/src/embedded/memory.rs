//! A line of memory between a worker and the server.

use std::io;

use gridproof_worker::Connector;
use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::{Endpoint, Uri};
use tower::service_fn;

type Connections = UnboundedReceiverStream<io::Result<DuplexStream>>;

/// Bytes under way in each direction.
const ROOM: usize = 256 << 10;

/// A way to connect, and where its connections arrive.
pub(super) fn line() -> (Connector, Connections) {
    let (connections, incoming) = mpsc::unbounded_channel();
    let connector = Connector::new(move || {
        let connections = connections.clone();
        let connect = move |_: Uri| {
            let connections = connections.clone();
            async move {
                let (ours, theirs) = tokio::io::duplex(ROOM);
                let sent = connections.send(Ok(theirs));
                sent.map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused))?;
                Ok::<_, io::Error>(TokioIo::new(ours))
            }
        };
        async move {
            Endpoint::from_static("http://memory.invalid")
                .connect_with_connector(service_fn(connect))
                .await
        }
    });
    (connector, UnboundedReceiverStream::new(incoming))
}
