//! A solver that asks a store of proofs before it searches, if there is one.

use gridproof_game::Position;

use crate::limits::{Budget, Order};
use crate::solver::{Outcome, SolveError, Solver, SolverOptions, Verification};
use crate::store::ProofStore;
use crate::verifier::{Findings, Known, VerifierOptions};

/// A solver and the proofs of all that it won so far. A position that one of them fits costs no
/// nodes. Answers depend on what was asked before, in which order.
#[derive(Debug)]
pub struct Remembering<'a> {
    solver: &'a Solver,
    store: Option<&'a mut ProofStore>,
}

impl Solver {
    /// This solver, with a store that it asks first and puts its proofs into. Without one it
    /// is as before.
    pub fn remembering<'a>(
        &'a self,
        store: impl Into<Option<&'a mut ProofStore>>,
    ) -> Remembering<'a> {
        Remembering {
            solver: self,
            store: store.into(),
        }
    }
}

impl Remembering<'_> {
    /// As [`Solver::win`]. A position that is known to be won is won, whatever the order.
    pub fn win(
        &mut self,
        position: &Position,
        order: Order,
        options: SolverOptions,
        budget: &mut Budget<'_>,
    ) -> Result<Outcome, SolveError> {
        let store = self.store.as_deref_mut();
        self.solver
            .win_with_store(position, order, options, store, budget)
    }

    /// As [`Solver::verify`]. The store is asked about the position, and then about each reply
    /// that has to be answered and that no sibling's zone excuses.
    pub fn verify(
        &mut self,
        position: &Position,
        options: VerifierOptions,
        known: Known<'_>,
        budget: &mut Budget<'_>,
        findings: &mut dyn Findings,
    ) -> Result<Verification, SolveError> {
        let store = self.store.as_deref_mut();
        self.solver
            .verify_with_store(position, options, known, store, budget, findings)
    }
}
