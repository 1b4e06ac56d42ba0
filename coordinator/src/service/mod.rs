//! The gRPC services, and the server that offers them.
//!
//! The caller brings the world: where connections come from ([`serve`] takes any stream of
//! them), who is let in ([`Gate`]), and the server's own settings, such as TLS.

mod convert;
mod gate;
mod operate;
mod server;
mod work;

pub use gate::{Gate, OpenGate, WorkerIdentity};
pub use server::{ServeError, ServiceOptions, incoming, listen, serve, with_keepalive};
