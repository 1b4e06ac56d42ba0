//! Certificates that take as long to check as any may, and then turn out not to hold.

use std::env;

use gridproof_certificate::{
    Answer, Node, Proof, ProofBuilder, ProofId, Reply, check, write_proof,
};
use gridproof_game::{Move, Position};
use gridproof_proto::v1;
use gridproof_solver::{Budget, Solver, Verdict, VerifierOptions};

/// Black wins it whatever White does.
pub(crate) const GAME: &str = "G7-M13 j8,k9";

/// A certificate for one position, which takes long to check.
pub(crate) struct Bomb {
    pub(crate) position: Position,
    pub(crate) certificate: Vec<u8>,
}

impl Bomb {
    /// For the position of a job that can be done.
    pub(crate) async fn of(push: &v1::Push) -> Self {
        let position = position_of(push);
        let is_long = env::var_os("GRIDPROOF_LONG").is_some();
        let nodes = if is_long { 1_200_000 } else { 200_000 };
        let made = tokio::task::spawn_blocking(move || Self {
            certificate: bomb(&position, nodes),
            position,
        });
        made.await.expect("the position is won")
    }
}

pub(crate) fn position_of(push: &v1::Push) -> Position {
    let position = push.position.as_ref().expect("a job has a position");
    Position::try_from(position).expect("a job's position makes sense")
}

fn bomb(position: &Position, nodes: usize) -> Vec<u8> {
    let solver = Solver::new(*position.rules());
    let options = VerifierOptions::for_budget(400_000);
    let mut budget = Budget::of_nodes(400_000);
    let done = solver.verify(position, options, &mut budget, &mut ());
    let Ok(Verdict::Proved(win)) = done.map(|done| done.verdict) else {
        panic!("Black wins");
    };
    let bomb = broken(&padded(&win.proof, nodes));
    write_proof(&bomb, Vec::new())
        .expect("memory takes any proof")
        .0
}

/// The same proof with copies of its largest parts at replies that need none, until it has so
/// many nodes.
fn padded(proof: &Proof, nodes: usize) -> Proof {
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

/// Without an answer to the null move, which is always needed.
fn broken(proof: &Proof) -> Proof {
    let replies = replies_of(proof);
    let null = replies.iter().position(|reply| reply.mv.is_null());
    let null = null.expect("it is answered") as u32;
    let own = replies
        .iter()
        .enumerate()
        .filter(|(at, reply)| *at as u32 != null && matches!(reply.answer, Answer::Proof(_)));
    let own: Vec<Reply> = own.map(|(_, reply)| reply.clone()).collect();
    let mut builder = ProofBuilder::new(proof.start().clone(), proof.attacker());
    let _: ProofId = builder.graft(proof).expect("the same game");
    let root = builder.defend(own).expect("replies of one node");
    builder.finish(root).expect("a whole proof")
}

fn replies_of(proof: &Proof) -> Vec<Reply> {
    match proof.node(proof.root()) {
        Node::Defend { replies } => replies.clone(),
        Node::Attack { .. } => panic!("the defender is to move"),
    }
}
