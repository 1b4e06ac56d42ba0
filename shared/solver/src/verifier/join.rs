//! One proof of a position out of those of its replies.

use std::borrow::Cow;

use gridproof_certificate::{Answer, BuildError, Proof, ProofBuilder, Reply};
use gridproof_game::Position;

use super::ListedReply;

/// The proof of a position whose replies are all answered. `proof_of` knows the proof of each
/// that is not like another.
pub fn join_replies<'p>(
    position: &Position,
    listed: &[ListedReply],
    mut proof_of: impl FnMut(usize, &ListedReply) -> Cow<'p, Proof>,
) -> Result<Proof, BuildError> {
    let attacker = position.to_move().other();
    let mut builder = ProofBuilder::new(position.clone(), attacker);
    let mut replies = Vec::with_capacity(listed.len());
    for (place, reply) in listed.iter().enumerate() {
        let answer = match reply.like {
            Some(like) => Answer::LikeReply(like),
            None => Answer::Proof(builder.graft(&proof_of(place, reply))?),
        };
        let mv = reply.mv.clone();
        replies.push(Reply { mv, answer });
    }
    let root = builder.defend(replies)?;
    builder.finish(root)
}
