//! Ends the streams of a token that is revoked, whatever service they are of.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tower::Service;

/// In the extensions of a request: is cancelled when the caller's token is revoked.
#[derive(Clone, Debug)]
pub(super) struct Revocation(pub(super) CancellationToken);

/// A service whose answers end with the token of who asked.
#[derive(Clone, Debug)]
pub struct EndsWithToken<S>(pub S);

impl<S: NamedService> NamedService for EndsWithToken<S> {
    const NAME: &'static str = S::NAME;
}

impl<S, B> Service<Request<B>> for EndsWithToken<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let revocation = request.extensions().get::<Revocation>().cloned();
        let answer = self.0.call(request);
        Box::pin(async move {
            let Some(Revocation(token)) = revocation else {
                return answer.await;
            };
            let is_revoked = token.clone().cancelled_owned();
            tokio::select! {
                biased;
                () = is_revoked => Ok(revoked().into_http()),
                answer = answer => answer.map(|answer| answer.map(|body| {
                    let revoked = Box::pin(token.cancelled_owned());
                    Body::new(UntilRevoked { body: Some(body), revoked })
                })),
            }
        })
    }
}

fn revoked() -> Status {
    Status::unauthenticated("this token was revoked: ask the operator for a new one")
}

/// A body that ends when it must.
struct UntilRevoked {
    /// None after its end.
    body: Option<Body>,
    revoked: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl HttpBody for UntilRevoked {
    type Data = <Body as HttpBody>::Data;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Status>>> {
        let this = self.get_mut();
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        if this.revoked.as_mut().poll(cx).is_ready() {
            this.body = None;
            let mut trailers = http::HeaderMap::new();
            let written = revoked().add_header(&mut trailers);
            return Poll::Ready(Some(written.map(|()| Frame::trailers(trailers))));
        }
        Pin::new(body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
