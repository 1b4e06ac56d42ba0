//! Certificates that take as long to check as any may, and then turn out not to hold.

use std::env;

use gridproof_certificate::{Answer, Proof, ProofBuilder, ProofId, Reply, write_proof};
use gridproof_game::Position;
use gridproof_proto::v1;
use gridproof_tests::{padded, proof_of, replies_of};

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
    let bomb = broken(&padded(&proof_of(position), nodes));
    write_proof(&bomb, Vec::new())
        .expect("memory takes any proof")
        .0
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
