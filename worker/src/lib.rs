//! Works for a Gridproof coordinator: takes jobs off a stream, runs each on a thread of its
//! own, and brings the answers home, whatever becomes of the connection meanwhile.
//!
//! [`run`] is all there is to call. What it needs comes from the caller: how to connect
//! ([`Dial`]), what to call itself ([`Settings`]), and when to pause or go ([`Wish`]).

pub mod config;
pub mod exit;
pub mod gate;
pub mod hours;
pub mod idle;
pub mod memory;
pub mod priority;
pub mod stats;

mod backoff;
mod desk;
mod dial;
mod job;
mod pool;
mod search;
mod session;
mod settings;

pub use backoff::Backoff;
pub use dial::{Dial, with_keepalive};
pub use session::{Ending, WorkError, run};
pub use settings::{JobReport, Settings, Wish};
