use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tonic::transport::{Channel, Endpoint, Error};

type Connecting = Pin<Box<dyn Future<Output = Result<Channel, Error>> + Send>>;

/// A way to the coordinator. Called again after each loss of the connection.
#[derive(Clone)]
pub struct Connector(Arc<dyn Fn() -> Connecting + Send + Sync>);

impl Connector {
    /// Over the network, with the keepalive without which a cut cable goes unnoticed. TLS is
    /// the endpoint's business.
    #[must_use]
    pub fn endpoint(endpoint: Endpoint) -> Self {
        let endpoint = with_keepalive(endpoint);
        Self::new(move || {
            let endpoint = endpoint.clone();
            async move { endpoint.connect().await }
        })
    }

    /// By any other way, such as memory.
    pub fn new<F>(connect: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Channel, Error>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(connect())))
    }

    pub(crate) async fn connect(&self) -> Result<Channel, Error> {
        (self.0)().await
    }
}

/// A partition is seen within ten seconds: five until somebody asks, five for the answer.
#[must_use]
pub fn with_keepalive(endpoint: Endpoint) -> Endpoint {
    const FIVE_SECONDS: Duration = Duration::from_secs(5);
    endpoint
        .connect_timeout(Duration::from_secs(10))
        .tcp_nodelay(true)
        .http2_keep_alive_interval(FIVE_SECONDS)
        .keep_alive_timeout(FIVE_SECONDS)
        .keep_alive_while_idle(true)
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}
