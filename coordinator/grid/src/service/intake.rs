//! What workers send passes here before it is decoded.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Request;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

use super::frames::Frames;
use super::freight::{Freight, Share};

/// The workers' service behind its limits. Each request has its [`Share`] in its extensions.
#[derive(Clone, Debug)]
pub(super) struct Intake<S> {
    service: S,
    freight: Freight,
}

impl<S> Intake<S> {
    pub(super) fn new(service: S) -> Self {
        Self {
            service,
            freight: Freight::default(),
        }
    }
}

impl<S: NamedService> NamedService for Intake<S> {
    const NAME: &'static str = S::NAME;
}

impl<S: Service<Request<Body>>> Service<Request<Body>> for Intake<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> S::Future {
        let share = self.freight.share();
        let mut request = request.map(|body| {
            Body::new(Incoming {
                body,
                frames: Frames::new(),
                share: Arc::clone(&share),
            })
        });
        request.extensions_mut().insert(share);
        self.service.call(request)
    }
}

/// A stream of messages that is looked at as it comes.
struct Incoming {
    body: Body,
    frames: Frames,
    share: Arc<Share>,
}

impl HttpBody for Incoming {
    type Data = <Body as HttpBody>::Data;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Status>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(bytes) = frame.data_ref()
        {
            match this.frames.take(bytes) {
                Ok(lengths) => this.share.add(bytes.len(), &lengths),
                Err(status) => return Poll::Ready(Some(Err(status))),
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
