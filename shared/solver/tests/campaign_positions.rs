//! Positions from campaigns that once made trouble.

use gridproof_certificate::check;
use gridproof_game::{Position, read_game};
use gridproof_solver::{
    Budget, Order, Outcome, Solver, SolverOptions, Verification, VerifierOptions,
};

/// The checker refused the answer to E7 K15: one of its positions was proved by one move, whose
/// zone excused a reply, and later by another one too, which was written down.
const TWICE_PROVED: &str = "j10 j7,j8 f8,l8 h9,k9 i9,h10 l9,l10 i11,h12 l12,k13 j12,n12 l13,f14 \
                            g13,l14";

fn position(moves: &str) -> Position {
    let game = read_game(moves.as_bytes()).expect("a game");
    game.position().clone()
}

fn verify_twice_proved(memory: usize) -> Verification {
    let position = position(TWICE_PROVED);
    let nodes = 320_000;
    let options = VerifierOptions {
        solver: SolverOptions {
            memory,
            ..SolverOptions::default()
        },
        most_open: Some(8),
        ..VerifierOptions::for_budget(nodes)
    };
    Solver::new(*position.rules())
        .verify(&position, options, &mut Budget::of_nodes(nodes), &mut ())
        .expect("an open game")
}

fn assert_answers_hold(done: &Verification) {
    assert!(done.answered.len() > 3, "{:?}", done.counts);
    for reply in &done.answered {
        if let Err(refusal) = check(&reply.proof) {
            panic!("{}: {refusal}", reply.mv);
        }
    }
}

#[test]
fn a_position_that_two_moves_win_is_written_with_the_move_whose_zone_was_used() {
    assert_answers_hold(&verify_twice_proved(SolverOptions::DEFAULT_MEMORY));
}

#[test]
fn zones_that_are_forgotten_and_found_again_give_proofs_that_hold() {
    assert_answers_hold(&verify_twice_proved(8 << 20));
}

#[test]
fn a_search_ends_when_its_memory_is_full() {
    let position = position("j10 k9,l8");
    let options = SolverOptions {
        memory: 4 << 20,
        ..SolverOptions::of_order(Order(3))
    };
    let nodes = 10_000_000;
    let mut budget = Budget::of_nodes(nodes);
    let outcome = Solver::new(*position.rules())
        .win(&position, options, &mut budget)
        .expect("an open game");
    assert!(matches!(outcome, Outcome::Unknown), "{outcome:?}");
    assert!(budget.spent() > 1_000, "{}", budget.spent());
    assert!(budget.spent() < nodes / 50, "{}", budget.spent());
}
