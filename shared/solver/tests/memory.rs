//! Searches that may take little memory.

use gridproof_certificate::check;
use gridproof_game::{Position, PositionInput};
use gridproof_solver::{
    Budget, Order, Outcome, Solver, SolverOptions, Verification, VerifierOptions,
};

/// A hard position of a campaign: many of White's replies to it need quiet moves.
const HARD: &str = "j10 j7,j8 f8,l8 h9,k9 i9,h10 l9,l10 i11,h12 l12,k13 j12,n12 l13,f14 g13,l14";

fn position(moves: &str) -> Position {
    let input: PositionInput = moves.parse().expect("moves");
    let game = input.read(std::io::empty()).expect("a game");
    game.position().clone()
}

fn verify(memory: usize) -> Verification {
    let position = position(HARD);
    let nodes = 320_000;
    let usual = VerifierOptions::for_job(nodes, 0);
    let options = VerifierOptions {
        solver: SolverOptions {
            memory,
            ..usual.solver
        },
        ..usual
    };
    let mut budget = Budget::of_nodes(nodes);
    Solver::new(*position.rules())
        .verify(&position, options, &[], &mut budget, &mut ())
        .expect("an open game")
}

#[test]
fn a_search_ends_when_its_memory_is_full() {
    let position = position("j10 k9,l8");
    let options = SolverOptions {
        memory: 16 << 20,
        ..SolverOptions::default()
    };
    let nodes = 10_000_000;
    let mut budget = Budget::of_nodes(nodes);
    let outcome = Solver::new(*position.rules())
        .win(&position, Order(3), options, &mut budget)
        .expect("an open game");
    assert!(matches!(outcome, Outcome::Unknown), "{outcome:?}");
    assert!(budget.spent() > 1_000, "{}", budget.spent());
    assert!(budget.spent() < nodes / 50, "{}", budget.spent());
}

#[test]
fn zones_that_are_forgotten_and_found_again_give_proofs_that_hold() {
    let (much, little) = (verify(1 << 30), verify(8 << 20));
    assert!(little.answered.len() > 3, "{:?}", little.counts);
    for reply in much.answered.iter().chain(&little.answered) {
        if let Err(refusal) = check(&reply.proof) {
            panic!("{}: {refusal}", reply.mv);
        }
    }
}
