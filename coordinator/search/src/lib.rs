//! The search over jobs: a state machine. An event and a time go in, effects come out.
//!
//! # How to drive it
//! ```text
//! let mut core = Core::replay(options, facts)?;       // nothing stored: no facts
//! let mut effects = Vec::new();
//! core.resume(now, &mut effects);                     // once, after the facts
//! loop {
//!     let handled = core.handle(now, event, &mut effects);
//!     // 1. store every Effect::Record of `effects`, with the certificates they go with; flush;
//!     // 2. acknowledge the event (`handled` says whether it made sense);
//!     // 3. carry out the other effects in their order.
//! }
//! ```
//! The core knows no clock, no store, no network. It never sees a certificate or a zone: the
//! shell checks a certificate before it says `Won`, and works out with zones what a proved
//! reply means for its siblings when the core asks it to [`Effect::Settle`] a node.
//!
//! # What holds after every event
//! - The numbers on record equal a recomputation from the leaves, and depend on facts alone.
//! - What is proved stays proved, unless a worker's results are withdrawn. What has failed
//!   stays failed, unless results are withdrawn or an operator gives a move to try again.
//! - Every attempt at a job has one lease; a job that nobody waits for has none.
//! - The same events give the same state, and the facts alone the same graph and numbers.
//!
//! [`Core::check_invariants`] checks the first three.
//!
//! # Who owns what
//! [`Core`] only coordinates. The graph keeps nodes and their numbers, the roster the workers, the
//! jobs their leases, the searches their shares, the standings how far workers can be trusted, the
//! audits whose answers are looked at again; each in a folder or file of that name.

mod audits;
mod core;
mod effect;
mod event;
mod fact;
mod graph;
mod ids;
mod job;
mod jobs;
mod key;
mod numbers;
mod opinions;
mod options;
mod requests;
mod roster;
mod searches;
mod standings;
mod stats;
pub mod stored;

pub use core::{ChildView, Core, LeaseView, NamedBy, NodeView, ReplyState, SearchView};
pub use effect::{AbortReason, Effect, ProvedBy, Verdict};
pub use event::{Departure, Event, HeldJob, Hello, Order, Sender, Settled};
pub use fact::{Child, ChildIndex, Fact, FactError, Next, StoredResult};
pub use graph::{BrokenInvariant, ReplayError};
pub use ids::{Epoch, Generation, LeaseId, NodeId, Revision, SearchId, Time, WorkerId};
pub use job::{
    Goal, JobEnd, JobId, JobKind, JobResult, JobSpec, Level, MOST_SUGGESTIONS, ReplyLimits, Side,
    Suggestion,
};
pub use key::NodeKey;
pub use numbers::{
    Detour, FirstNumbers, INFINITE, LARGEST, Number, Numbers, Overcounting, Policy, RunningNode,
    Status,
};
pub use options::{AuditRate, Budgets, Options};
pub use requests::Request;
pub use standings::{Mark, QuarantineReason, Reliability};
pub use stats::{Effort, Handled, IgnoreReason, Stats, Wasted};
