use gridproof_certificate::{Answer, Node, Proof};
use gridproof_game::Move;

/// One line of a proof to its end: the attacker's moves, and of the defender's the ones that
/// hold out longest. Real moves are preferred to such with null stones.
#[must_use]
pub fn main_line(proof: &Proof) -> Vec<Move> {
    let lengths = lengths(proof);
    let mut line = Vec::new();
    let mut at = Some(proof.root());
    while let Some(id) = at {
        at = match proof.node(id) {
            Node::Attack { mv, then } => {
                line.push(mv.clone());
                *then
            }
            Node::Defend { replies } => {
                let longest = replies.iter().filter_map(|reply| {
                    // Only a proof of its own leads to positions of this line.
                    let Answer::Proof(next) = reply.answer else {
                        return None;
                    };
                    Some((reply.mv.is_full(), lengths[next.index()], reply, next))
                });
                let longest = longest.max_by_key(|(full, length, ..)| (*full, *length));
                longest.map(|(_, _, reply, next)| {
                    line.push(reply.mv.clone());
                    next
                })
            }
        };
    }
    line
}

/// Moves on the longest way from each node.
fn lengths(proof: &Proof) -> Vec<u32> {
    let mut lengths = vec![0; proof.len()];
    for (id, node) in proof.nodes() {
        let below = node.children().map(|child| lengths[child.index()]).max();
        lengths[id.index()] = 1 + below.unwrap_or(0);
    }
    lengths
}
