//! The gRPC services, and the server that offers them.
//!
//! The caller brings the world: where connections come from ([`serve`] takes any stream of
//! them, with or without TLS), who is let in ([`Authenticator`](crate::security::Authenticator)), and
//! the server's own settings.

mod arrivals;
mod backup;
mod checkers;
mod convert;
mod explore;
mod export;
mod frames;
mod freight;
mod intake;
mod operate;
mod pace;
mod pieces;
mod run_job;
mod server;
mod watch;
mod work;

pub use server::{ServeError, ServiceOptions, listen, serve, with_keepalive};
