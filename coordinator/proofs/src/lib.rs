//! The proofs behind a job-level search.
//!
//! The search core knows that a node is proved; [`Proofs`] knows where the proof is: in a
//! certificate that a job brought, in an attacker's move to a proved node, or in the proofs of
//! a defender's replies. From there the whole proof of any proved node is put together, and a
//! [`Question`] of the core is answered: what do the proofs of some replies mean for the others?
//!
//! Certificates themselves are kept elsewhere and come through [`Certificates`].

mod answers;
mod assembly;
mod proofs;
mod settle;
mod source;
mod telling;
mod zone_of_node;
mod zones;

pub use answers::{Answers, KnownAnswer};
pub use proofs::{Certificates, ProofError, Proofs};
pub use settle::{Question, SettleError, Settlement};
pub use source::{ProofSource, ReplySource, stored_hash};
pub use telling::{TellError, Telling};
