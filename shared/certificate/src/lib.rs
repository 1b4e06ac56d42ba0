//! Proofs that a position is won, the files that carry them, and a checker that trusts
//! nobody. Of our crates it knows the rules of the game alone.

mod builder;
mod dedup;
mod proof;
mod stats;

pub use builder::{BuildError, ProofBuilder};
pub use proof::{Answer, Node, Proof, ProofId, Reply};
pub use stats::Stats;
