//! Positions that several lines of a search lead to.

use gridproof_certificate::check;
use gridproof_game::PositionInput;
use gridproof_solver::{Budget, Solver, VerifierOptions};

/// From a campaign, where the checker refused the answer to E7 K15: one of its positions was
/// proved by one move, whose zone excused a reply, and later by another one too, which was
/// written down.
const TWICE_PROVED: &str = "j10 j7,j8 f8,l8 h9,k9 i9,h10 l9,l10 i11,h12 l12,k13 j12,n12 l13,f14 \
                            g13,l14";

#[test]
fn a_position_that_two_moves_win_is_written_with_the_move_whose_zone_was_used() {
    let input: PositionInput = TWICE_PROVED.parse().expect("moves");
    let game = input.read(std::io::empty()).expect("a game");
    let position = game.position();
    let nodes = 320_000;
    let done = Solver::new(*position.rules())
        .verify(
            position,
            VerifierOptions::for_job(nodes, 0),
            &[],
            &mut Budget::of_nodes(nodes),
            &mut (),
        )
        .expect("an open game");
    assert!(done.answered.len() > 3);
    for reply in &done.answered {
        if let Err(refusal) = check(&reply.proof) {
            panic!("{}: {refusal}", reply.mv);
        }
    }
}
