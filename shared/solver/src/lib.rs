//! Lambda searches, zones and verifiers.
mod attacks;
mod coverage;
mod limits;
mod probe;
mod search;
mod solver;
mod tree;
mod verifier;
mod zone;

pub use coverage::{Coverage, ParseCoverageError};
pub use limits::{Budget, Cancel, Order, Progress};
pub use solver::{Outcome, SolveError, Solver, SolverOptions, Verdict, Win};
pub use verifier::{Findings, Settled, VerifierCounts, VerifierOptions};
pub use zone::{Stones, Zone};
