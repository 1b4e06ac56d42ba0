//! Proves that a side wins a position of a k-in-a-row game, or says that it does not know.
//!
//! - [`Solver::win`]: the side to move wins, by lambda searches of orders 1, 2, ...
//! - [`Solver::verify`]: the other side wins whatever is played; what stays open is named.
//! - [`hold`]: a side does not lose, by a full search of a small board; [`value`]: win, loss or draw.
//! - [`Solver::settle`]: what proofs of some replies are worth together, without a search.
//!
//! A claimed win comes with a proof, which the checker of `gridproof-certificate` confirms
//! without trusting this crate. The theory is in `docs/theory.md`.
//!
//! ```
//! use gridproof_game::read_game;
//! use gridproof_solver::{Budget, Outcome, Solver, SolverOptions};
//!
//! // Black has three in a row and is to move.
//! let game = read_game(b"j10 a1,a3 k10,l10 c1,c3")?;
//! let position = game.position();
//! let solver = Solver::new(*position.rules());
//! let mut budget = Budget::of_nodes(100_000);
//! let Outcome::Won(win) = solver.win(position, SolverOptions::default(), &mut budget)? else {
//!     panic!("three in a row win");
//! };
//! let checked = gridproof_certificate::check(&win.proof)?;
//! assert_eq!(checked.claim.start, *position);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]

mod attacks;
mod budget;
mod coverage;
mod defence;
mod fours;
mod hold;
#[cfg_attr(not(feature = "mutations"), allow(dead_code, unreachable_pub))]
mod mutation;
mod options;
mod order;
mod outcome;
mod probe;
mod proof_zone;
mod search;
mod solver;
mod threes;
mod tree;
mod value;
mod verifier;
mod zone;

pub use budget::{Budget, Cancel, Progress};
pub use coverage::{Coverage, ParseCoverageError};
pub use hold::{Hold, MOST_SQUARES, hold};
pub use options::SolverOptions;
pub use order::Order;
pub use outcome::{Outcome, SolveError, Verdict, Verification, Win};
pub use solver::Solver;
pub use value::{Value, value};
pub use verifier::{
    Findings, KnownReplies, Leftover, ListedReply, ProvedReply, ReplyStatus, ReplyZone,
    VerifierCounts, VerifierOptions, join_replies,
};
pub use zone::Zone;

#[cfg(feature = "mutations")]
pub use mutation::{Rule, break_rule};
