//! Works for a Gridproof coordinator: takes jobs off a stream, runs each on a thread of its
//! own, and delivers the results, whatever becomes of the connection meanwhile.
//!
//! [`run`] is all there is to call. What it needs comes from the caller: how to connect
//! ([`Connector`]), what to call itself ([`Settings`]), and when to pause or leave
//! ([`DesiredState`]):
//!
//! ```no_run
//! use std::num::NonZeroU16;
//!
//! use gridproof_worker::{Connector, DesiredState, Settings, run};
//! use tokio::sync::watch;
//! use tonic::transport::Endpoint;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::new("pc-01", NonZeroU16::MIN);
//! let connector = Connector::endpoint(Endpoint::from_static("http://127.0.0.1:4100"));
//! let (owner, desired) = watch::channel(DesiredState::default());
//! tokio::spawn(async move {
//!     let _ = tokio::signal::ctrl_c().await;
//!     // Finish the jobs that were begun, then leave.
//!     owner.send_replace(DesiredState::Drained);
//! });
//! let departure = run(settings, connector, desired).await?;
//! println!("left: {departure}");
//! # Ok(())
//! # }
//! ```
//!
//! The program `gridproof-worker` is this, with [`config`] before it and a schedule
//! ([`hours`], [`availability`]) beside it.

#![warn(missing_docs)]

pub mod availability;
pub mod config;
pub mod exit;
pub mod hours;
pub mod idle;
pub mod memory;
pub mod priority;
pub mod stats;

mod backoff;
mod connector;
mod job;
mod jobs;
mod pool;
mod runner;
mod session;
mod settings;
mod wire;

pub use backoff::Backoff;
pub use connector::{Connector, with_keepalive};
pub use session::{Departure, WorkError, run};
pub use settings::{DesiredState, Settings};
