use std::sync::{Arc, Mutex, PoisonError};

use gridproof_book::Prover;
use gridproof_certificate::{Proof, check};
use gridproof_game::{Colour, Move, Position, Rules};
use gridproof_solver::{Budget, Order, Outcome, Solver, SolverOptions, Verdict, VerifierOptions};

/// Answers of positions that many games share.
pub(super) type Shared = Arc<Mutex<std::collections::HashMap<(Position, Colour), Option<Proof>>>>;

/// Positions with more stones are hardly ever shared by two games.
const SHARED_STONES: usize = 11;

/// The solver with a budget for each position. Every proof is checked before anybody sees it.
#[derive(Clone, Debug)]
pub(super) struct SolverProver {
    rules: Rules,
    solver: Solver,
    nodes: u64,
    shared: Shared,
}

/// What a search for a proof came to.
#[derive(Debug)]
pub(super) enum Searched {
    /// The proof, which was checked.
    Proved(Box<Proof>),
    /// A move of the other side that the search has no answer to.
    Open(Move),
    Nothing,
}

impl SolverProver {
    pub(super) fn new(rules: Rules, nodes: u64, shared: Shared) -> Self {
        Self {
            rules,
            solver: Solver::new(rules),
            nodes,
            shared,
        }
    }

    /// A proof for the side to move.
    pub(super) fn win(&self, position: &Position, nodes: u64) -> Option<Proof> {
        let mut budget = Budget::of_nodes(nodes);
        let options = SolverOptions::of_order(Order::SINGLE_THREATS);
        match self.solver.win(position, options, &mut budget) {
            Ok(Outcome::Won(win)) => Some(win.proof),
            _ => None,
        }
    }

    pub(super) const fn rules(&self) -> Rules {
        self.rules
    }

    /// A proof for the side that is not to move. Where it could not even win if the other passed,
    /// nothing more is asked.
    fn verify(&self, position: &Position, nodes: u64) -> Option<Proof> {
        let attacker = position.to_move().other();
        self.win(&position.clone().with_to_move(attacker), nodes)?;
        match self.replies(position, nodes) {
            Searched::Proved(proof) => Some(*proof),
            Searched::Open(_) | Searched::Nothing => None,
        }
    }

    fn replies(&self, position: &Position, nodes: u64) -> Searched {
        let options = VerifierOptions {
            solver: SolverOptions::of_order(Order::SINGLE_THREATS),
            most_open: Some(1),
            ..VerifierOptions::for_budget(nodes)
        };
        let mut budget = Budget::of_nodes(nodes);
        let run = self.solver.verify(position, options, &mut budget, &mut ());
        match run.map(|run| run.verdict) {
            Ok(Verdict::Proved(win)) => Searched::Proved(Box::new(win.proof)),
            Ok(Verdict::Open(moves)) => {
                let mut full = moves.into_iter().filter(Move::is_full);
                full.next().map_or(Searched::Nothing, Searched::Open)
            }
            _ => Searched::Nothing,
        }
    }

    /// A search for the win of the side that is not to move, whatever it would cost if the other
    /// passed.
    pub(super) fn search_deeply(
        &self,
        position: &Position,
        attacker: Colour,
        nodes: u64,
    ) -> Searched {
        let searched = if position.to_move() == attacker {
            let win = self.win(position, nodes);
            win.map_or(Searched::Nothing, |proof| Searched::Proved(Box::new(proof)))
        } else {
            self.replies(position, nodes)
        };
        match searched {
            // A proof that does not hold is a bug of ours; nothing is claimed then.
            Searched::Proved(proof) if check(&proof).is_err() => Searched::Nothing,
            searched => searched,
        }
    }

    pub(super) fn search(
        &self,
        position: &Position,
        attacker: Colour,
        nodes: u64,
    ) -> Option<Proof> {
        // Whoever cannot complete a line in two turns has nothing to threaten with.
        let rules = position.rules();
        let stones = position.stones(attacker).len();
        if stones + 2 * usize::from(rules.stones_per_turn()) < usize::from(rules.in_a_row()) {
            return None;
        }
        let proof = if position.to_move() == attacker {
            self.win(position, nodes)
        } else {
            self.verify(position, nodes)
        };
        proof.filter(|proof| check(proof).is_ok())
    }
}

impl Prover for SolverProver {
    fn prove(&mut self, position: &Position, attacker: Colour) -> Option<Proof> {
        if position.stone_count() > SHARED_STONES {
            return self.search(position, attacker, self.nodes);
        }
        let key = (position.clone(), attacker);
        let shared = || self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shared().get(&key) {
            return known.clone();
        }
        let proof = self.search(position, attacker, self.nodes);
        shared().insert(key, proof.clone());
        proof
    }
}
