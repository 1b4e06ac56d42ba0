//! The coordinator: one task that owns the search core, and everything that must be done off
//! that task.
//!
//! What comes in goes through [`Coordinator`], a cheap handle. The task groups it, lets the core
//! handle it, and hands the facts to the store's writer; only when they are safe does anybody
//! hear of it. Certificates are checked before they come here ([`Checks`]); proofs of
//! replies are put together on other threads ([`gridproof_proofs::Question`]).

mod actor;
mod certificates;
mod checked_result;
mod connection;
mod departure;
mod effects;
mod executor;
mod grid_event;
mod handle;
mod order_log;
mod orders;
mod refusals;
mod remembered;
mod results;
mod roster;
mod run_job;
mod searches;
mod snapshot;
mod tally;
mod transaction;
mod views;
mod workers;

pub use actor::{CoordinatorOptions, StartError};
pub use certificates::StoredCertificates;
pub use checked_result::{CheckSize, CheckedResult, Checks, Claim, Rejection};
pub(crate) use checked_result::{believable, check_book_win};
pub use connection::{
    AssignedJob, ConnectionId, JobAssignment, Join, JoinRefusal, Joined, Outgoing,
};
pub use departure::StreamEnd;
pub use grid_event::GridEvent;
pub use handle::{Coordinator, CoordinatorGone, OrderError, SearchProofError};
pub use order_log::{GivenOrder, order_name};
pub use refusals::Refused;
pub use run_job::{RequestUpdate, RequestedJob};
pub use snapshot::{SearchSnapshot, Snapshot, WorkerSnapshot};
pub use tally::{LongJob, Tally};
pub use views::{
    ChildDetails, ChildFilter, ChildOrder, JobDetails, JobsPage, NodeDetails, NodeStatus, Page,
    hardest_reply, most_proving, turned_line,
};
