//! What proofs of replies are worth together, from their zones alone.

use std::sync::Arc;

use gridproof_certificate::{Answer, ProofBuilder, Reply, check};
use gridproof_game::{Position, PositionInput};
use gridproof_solver::{
    Budget, Known, KnownReply, KnownZone, Left, Listed, Solver, Verdict, VerifierOptions,
};

fn position(moves: &str) -> Position {
    let input: PositionInput = moves.parse().expect("moves");
    let game = input.read(std::io::empty()).expect("a game");
    game.position().clone()
}

/// A third move that wins: all replies are answered, many like others.
fn answered(position: &Position, solver: &Solver) -> Vec<KnownReply> {
    let options = VerifierOptions::for_budget(400_000);
    let mut budget = Budget::of_nodes(400_000);
    let done = solver
        .verify(position, options, Known::default(), &mut budget, &mut ())
        .expect("an open game");
    assert!(
        matches!(done.verdict, Verdict::Proved(_)),
        "{:?}",
        done.counts
    );
    done.answered
}

fn zones(solver: &Solver, replies: &[KnownReply]) -> Vec<KnownZone> {
    let zone = |reply: &KnownReply| KnownZone {
        mv: reply.mv.clone(),
        zone: Arc::new(solver.zone(&reply.proof)),
    };
    replies.iter().map(zone).collect()
}

#[test]
fn zones_of_all_replies_tell_how_to_join_their_proofs() {
    let position = position("G7-M13 j8,k9");
    let solver = Solver::new(*position.rules());
    let replies = answered(&position, &solver);
    let left = solver.settle(&position, &zones(&solver, &replies));
    let Ok(Left::Nothing(listed)) = left else {
        panic!("{left:?}");
    };
    let mut builder = ProofBuilder::new(position.clone(), position.to_move().other());
    let reply = |Listed { mv, like }: Listed| {
        let answer = match like {
            Some(like) => Answer::LikeReply(like),
            None => {
                let known = replies.iter().find(|reply| reply.mv == mv);
                let known = known.expect("nothing is listed that nobody answered");
                Answer::Proof(builder.graft(&known.proof).expect("the same game"))
            }
        };
        Reply { mv, answer }
    };
    let listed = listed.into_iter().map(reply).collect();
    let root = builder.defend(listed).expect("replies in order");
    let proof = builder.finish(root).expect("a whole proof");
    check(&proof).expect("what zones promise holds");
}

#[test]
fn a_reply_that_nobody_answered_is_still_needed() {
    let position = position("G7-M13 j8,k9");
    let solver = Solver::new(*position.rules());
    let mut zones = zones(&solver, &answered(&position, &solver));
    let null = zones.iter().position(|reply| reply.mv.is_null());
    let null = zones.remove(null.expect("the null move is answered first"));
    let left = solver.settle(&position, &zones);
    assert!(
        matches!(&left, Ok(Left::Replies(needed)) if *needed == [null.mv]),
        "{left:?}"
    );
}
