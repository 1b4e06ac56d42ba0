//! The search over jobs: a state machine. An event and a time go in, effects come out.
//!
//! # How to drive it
//! ```text
//! let mut core = Core::replay(options, facts)?;       // nothing stored: no facts
//! let mut effects = Vec::new();
//! core.resume(now, &mut effects);                     // once, after the facts
//! loop {
//!     let answer = core.handle(now, event, &mut effects);
//!     // 1. store every Effect::Record of `effects`, flush;
//!     // 2. acknowledge the event (answer says whether it made sense);
//!     // 3. carry out the other effects in their order.
//! }
//! ```
//! The core knows no clock, no store, no network. It never sees a certificate or a zone: the
//! shell checks a certificate before it says `Won`, and works out with zones what a proved
//! reply means for its siblings when the core asks it to [`Effect::Settle`] a node.

mod effect;
mod event;
mod fact;
mod ids;
mod job;
mod key;
mod numbers;
mod options;
mod stored;

pub use effect::{Effect, How, Verdict, Waste};
pub use event::{
    Departure, Event, Found, Hello, Order, Outcome, Running, Sender, Settled, Suggestion,
};
pub use fact::{Answer, Child, ChildIndex, Fact, FactError};
pub use ids::{Epoch, Generation, LeaseId, NodeId, SearchId, Time, WorkerId};
pub use job::{Job, JobKind, JobName, Level};
pub use key::NodeKey;
pub use numbers::{INFINITE, Number, Numbers, Status};
pub use options::{Budgets, Options, Overcounting, ParsePolicyError, Policy};
