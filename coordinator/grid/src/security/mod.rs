//! Who may connect: tokens, certificates, and what a refused client may cost.
//!
//! # How to use it
//! ```text
//! // ListenerOptions are flags of `gridproof serve`.
//! let ListenerConfig { address, tls, authenticator } = options.load(&data)?;
//! let listener = TcpListener::bind(address).await?;
//! let limits = Limits::of_this_process();
//! let incoming = Incoming::new(listener, tls, limits, authenticator.refusals());
//! Server::builder()
//!     .add_service(authenticator.guard(WorkServer::new(work), Some(Role::Worker)))
//!     .add_service(authenticator.guard(OperateServer::new(operate), Some(Role::Operator)))
//!     .serve_with_incoming(incoming);
//! // in a service: request.extensions().get::<Principal>() says who calls;
//! // about once a second: authenticator.refresh()? ends the streams of revoked tokens.
//! ```

mod authenticator;
mod authority;
mod connection;
mod identity;
mod incoming;
mod interceptor;
mod limits;
mod listener;
mod principal;
mod refusals;
mod revocation;
mod tokens;

pub use authenticator::Authenticator;
pub use authority::{Authority, AuthorityError, Certified};
pub use connection::{Connection, Peer};
pub use identity::Identity;
pub use incoming::Incoming;
pub use interceptor::{AuthError, AuthInterceptor};
pub use limits::{Admission, Limits};
pub use listener::{ListenerConfig, ListenerError, ListenerOptions};
pub use principal::{ParseNameError, Principal, PrincipalName, Role};
pub use refusals::{Notice, RefusalLog};
pub use revocation::EndsWithToken;
pub use tokens::{TokenFile, TokenFileError, TokenRecord};
