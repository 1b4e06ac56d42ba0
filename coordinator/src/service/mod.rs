//! The gRPC services, and the server that offers them.
//!
//! The caller brings the world: where connections come from ([`serve`] takes any stream of
//! them, with or without TLS), who is let in ([`Doorkeeper`](crate::security::Doorkeeper)), and
//! the server's own settings.

mod convert;
mod operate;
mod pace;
mod server;
mod watch;
mod work;

pub use server::{ServeError, ServiceOptions, listen, serve, with_keepalive};
