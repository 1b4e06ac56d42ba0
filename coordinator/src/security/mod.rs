//! Who may come in: tokens, certificates, and what a stranger may cost.
//!
//! # How to use it
//! ```text
//! // DoorOptions are flags of `gridproof serve`.
//! let Doors { address, tls, doorkeeper } = options.unlock(&data)?;
//! let listener = TcpListener::bind(address).await?;
//! let incoming = Incoming::new(listener, tls, doorkeeper.strangers());
//! Server::builder()
//!     .add_service(WorkerServer::with_interceptor(workers, doorkeeper.door(Role::Worker)))
//!     .add_service(OperatorServer::with_interceptor(desk, doorkeeper.door(Role::Operator)))
//!     .serve_with_incoming(incoming);
//! // in a service: request.extensions().get::<Holder>() says who is there;
//! // about once a second: doorkeeper.refresh()? tells whose streams to cut.
//! ```

mod authority;
mod door;
mod doorkeeper;
mod doors;
mod incoming;
mod strangers;
mod tokens;

pub use authority::{Authority, AuthorityError, Certified};
pub use door::{Door, Holder, Refusal};
pub use doorkeeper::Doorkeeper;
pub use doors::{DoorError, DoorOptions, Doors};
pub use incoming::{Connection, Incoming};
pub use strangers::{Notice, Strangers};
pub use tokens::{HolderName, ParseNameError, Record, Role, TokenFile, TokenFileError};
