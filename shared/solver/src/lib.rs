//! Lambda searches, zones and verifiers.
mod attacks;
mod coverage;
mod defence;
mod limits;
#[cfg_attr(not(feature = "mutations"), allow(dead_code, unreachable_pub))]
mod mutation;
mod probe;
mod proof_zone;
mod proved;
mod remembering;
mod search;
mod solver;
mod store;
mod tree;
mod verifier;
mod zone;

pub use coverage::{Coverage, ParseCoverageError};
pub use limits::{Budget, Cancel, Order, Progress};
pub use remembering::Remembering;
pub use solver::{Outcome, SolveError, Solver, SolverOptions, Verdict, Verification, Win};
pub use store::{ProofStore, StoreCounts};
pub use verifier::{
    Findings, Known, KnownReply, KnownZone, Left, Listed, Settled, VerifierCounts, VerifierOptions,
    join_replies,
};
pub use zone::{Stones, Zone};

#[cfg(feature = "mutations")]
pub use mutation::{Rule, break_rule};
