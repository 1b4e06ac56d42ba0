//! True proofs that are larger than they need be.

use gridproof_certificate::{Answer, Node, Proof, ProofBuilder, Reply, check};
use gridproof_game::{Move, Position};
use gridproof_solver::{Budget, Solver, Verdict, VerifierOptions};

/// A proof that all replies lose, in a position where they do.
#[must_use]
pub fn proof_of(position: &Position) -> Proof {
    let solver = Solver::new(*position.rules());
    let options = VerifierOptions::for_budget(400_000);
    let mut budget = Budget::of_nodes(400_000);
    let done = solver.verify(position, options, &mut budget, &mut ());
    match done.map(|done| done.verdict) {
        Ok(Verdict::Proved(win)) => win.proof.clone(),
        other => panic!("not proved: {other:?}"),
    }
}

/// The same proof with copies of its largest parts at replies that need none, until it has so
/// many nodes.
#[must_use]
pub fn padded(proof: &Proof, nodes: usize) -> Proof {
    let start = proof.start();
    let replies = replies_of(proof);
    let part = |id, after| {
        let mut builder = ProofBuilder::new(after, proof.attacker());
        builder.graft(proof).expect("the same game");
        builder.finish(id).expect("a part of the proof")
    };
    let parts = replies.iter().filter_map(|reply| match reply.answer {
        Answer::Proof(id) if reply.mv.nulls() > 0 => Some(part(id, start.after(&reply.mv))),
        _ => None,
    });
    let largest = parts.max_by_key(Proof::len).expect("the null move");
    let mut builder = ProofBuilder::new(start.clone(), proof.attacker());
    builder.graft(proof).expect("the same game");
    // First, so that they are read before the proof turns out not to hold.
    let (mut padding, mut size) = (Vec::new(), proof.len());
    let squares: Vec<_> = start.empties().iter().collect();
    for (at, &first) in squares.iter().enumerate() {
        for &second in &squares[at + 1..] {
            let mv = Move::full([first, second]);
            if size + largest.len() > nodes || replies.iter().any(|reply| reply.mv == mv) {
                continue;
            }
            let mut copy = ProofBuilder::new(start.after(&mv), proof.attacker());
            let root = copy.graft(&largest).expect("the same game");
            let copy = copy.finish(root).expect("a whole proof");
            if check(&copy).is_ok() {
                size += copy.len();
                let answer = Answer::Proof(builder.graft(&copy).expect("the same game"));
                padding.push(Reply { mv, answer });
            }
        }
    }
    let first = padding.len() as u32;
    padding.extend(replies.iter().map(|reply| Reply {
        mv: reply.mv.clone(),
        answer: match reply.answer {
            Answer::LikeReply(like) => Answer::LikeReply(like + first),
            own @ Answer::Proof(_) => own,
        },
    }));
    let root = builder.defend(padding).expect("replies of one node");
    builder.finish(root).expect("a whole proof")
}

/// The defender's replies at a proof's start.
#[must_use]
pub fn replies_of(proof: &Proof) -> Vec<Reply> {
    match proof.node(proof.root()) {
        Node::Defend { replies } => replies.clone(),
        Node::Attack { .. } => panic!("the defender is to move"),
    }
}
