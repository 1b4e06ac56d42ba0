//! Who may connect: tokens, certificates, and what a refused client may cost.
//!
//! # How to use it
//! ```text
//! // ListenerOptions are flags of `gridproof serve`.
//! let ListenerConfig { address, tls, authenticator } = options.load(&data)?;
//! let listener = TcpListener::bind(address).await?;
//! let incoming = Incoming::new(listener, tls, authenticator.refusals());
//! Server::builder()
//!     .add_service(WorkServer::with_interceptor(work, authenticator.require(Role::Worker)))
//!     .add_service(OperateServer::with_interceptor(operate, authenticator.require(Role::Operator)))
//!     .serve_with_incoming(incoming);
//! // in a service: request.extensions().get::<Principal>() says who calls;
//! // about once a second: authenticator.refresh()? tells whose streams to cut.
//! ```

mod authenticator;
mod authority;
mod incoming;
mod interceptor;
mod listener;
mod principal;
mod refusals;
mod tokens;

pub use authenticator::Authenticator;
pub use authority::{Authority, AuthorityError, Certified};
pub use incoming::{Connection, Incoming};
pub use interceptor::{AuthError, AuthInterceptor};
pub use listener::{ListenerConfig, ListenerError, ListenerOptions};
pub use principal::{ParseNameError, Principal, PrincipalName, Role};
pub use refusals::{Notice, RefusalLog};
pub use tokens::{TokenFile, TokenFileError, TokenRecord};
