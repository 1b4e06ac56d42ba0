//! The shell round the pure core: one task that owns it, and everything that must be done off
//! that task.
//!
//! What comes in goes through [`Shell`], a cheap handle. The task groups it, lets the core
//! handle it, and hands the facts to the store's writer; only when they are safe does
//! anybody hear of it. Certificates are checked before they come here ([`check`]); proofs of
//! replies are put together on other threads ([`settle`](Settlement)).

mod actor;
mod answers;
mod assembly;
mod carry_out;
mod check;
mod connection;
mod effects;
mod handle;
mod happening;
mod orders;
mod outside;
mod proofs;
mod refusals;
mod settle;
mod snapshot;
mod tally;
mod workers;
mod zones;

pub use actor::{ShellError, ShellOptions};
pub(crate) use answers::kind_name;
pub use check::{CheckedDone, Rejection, check_done};
pub(crate) use check::{believable, status_from_wire};
pub use connection::{Assigned, Closing, ConnectionId, Join, JoinRefusal, Joined, Outgoing, Push};
pub use handle::{OrderError, SearchProofError, Shell, ShellGone};
pub use happening::Happening;
pub use proofs::{ProofError, Proofs};
pub use refusals::Refused;
pub use snapshot::{SearchSnapshot, Snapshot, WorkerSnapshot};
pub use tally::{LongJob, Tally};
