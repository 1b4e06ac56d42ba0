//! What proofs of replies are worth together, from their zones alone.

use std::borrow::Cow;
use std::sync::Arc;

use gridproof_certificate::check;
use gridproof_game::{Position, read_game};
use gridproof_solver::{
    Budget, ListedReply, ProvedReply, ReplyZone, Solver, Verdict, VerifierOptions, join_replies,
};

fn third_move() -> Position {
    let game = read_game(b"G7-M13 j8,k9").expect("a game");
    game.position().clone()
}

/// A third move that wins: all replies are answered, many like others.
fn answered(position: &Position, solver: &Solver) -> Vec<ProvedReply> {
    let options = VerifierOptions::for_budget(400_000);
    let mut budget = Budget::of_nodes(400_000);
    let done = solver
        .verify(position, options, &mut budget, &mut ())
        .expect("an open game");
    assert!(
        matches!(done.verdict, Verdict::Proved(_)),
        "{:?}",
        done.counts
    );
    done.answered
}

fn zones(solver: &Solver, replies: &[ProvedReply]) -> Vec<ReplyZone> {
    let zone = |reply: &ProvedReply| ReplyZone {
        mv: reply.mv.clone(),
        zone: Arc::new(solver.zone(&reply.proof)),
    };
    replies.iter().map(zone).collect()
}

#[test]
fn zones_of_all_replies_tell_how_to_join_their_proofs() {
    let position = third_move();
    let solver = Solver::new(*position.rules());
    let replies = answered(&position, &solver);
    let left = solver.settle(&position, &zones(&solver, &replies));
    let Ok(Verdict::Proved(listed)) = left else {
        panic!("{left:?}");
    };
    let proof_of = |_, listed: &ListedReply| {
        let known = replies.iter().find(|reply| reply.mv == listed.mv);
        let known = known.expect("nothing is listed that nobody answered");
        Cow::Borrowed(&*known.proof)
    };
    let proof = join_replies(&position, &listed, proof_of).expect("a whole proof");
    check(&proof).expect("what zones promise holds");
}

#[test]
fn a_reply_that_nobody_answered_is_still_needed() {
    let position = third_move();
    let solver = Solver::new(*position.rules());
    let mut zones = zones(&solver, &answered(&position, &solver));
    let null = zones.iter().position(|reply| reply.mv.is_null());
    let null = zones.remove(null.expect("the null move is answered first"));
    let left = solver.settle(&position, &zones);
    assert!(
        matches!(&left, Ok(Verdict::Open(needed)) if *needed == [null.mv]),
        "{left:?}"
    );
}
