//! The proof of what a search has proved.

use gridproof_certificate::{Answer, BuildError, Proof, ProofBuilder, ProofId, Reply};
use gridproof_game::{Move, Position};
use gridproof_threats::Shape;
use rustc_hash::FxHashMap;

use super::Search;
use crate::tree::{Kind, NodeId, Replies, TreeAnswer};

type Written = FxHashMap<NodeId, ProofId>;

impl<S: Shape> Search<'_, '_, S> {
    /// The proof of a proved node, whose position is `start` and on the board.
    pub(super) fn proof(&mut self, root: NodeId, start: &Position) -> Proof {
        let mut builder = ProofBuilder::new(start.clone(), self.attacker);
        self.write(root, &mut builder, &mut FxHashMap::default())
            .and_then(|root| builder.finish(root))
            .expect("the search adds children before parents")
    }

    /// Writes the proof of a proved node, whose position is on the board.
    fn write(
        &mut self,
        id: NodeId,
        builder: &mut ProofBuilder,
        written: &mut Written,
    ) -> Result<ProofId, BuildError> {
        if let Some(&done) = written.get(&id) {
            return Ok(done);
        }
        debug_assert!(self.tree.is_proved(id));
        let made = match self.tree.get(id).kind {
            Kind::Leaf | Kind::Attack(_) | Kind::Wide(_) => {
                unreachable!("a node of this kind is not proved")
            }
            Kind::Line(line) => self.write_line(line, builder)?,
            Kind::Won { stones, completes } => {
                let then = if completes {
                    None
                } else {
                    Some(builder.defend(Vec::new())?)
                };
                builder.attack(Move::full(self.tree.stones(stones)), then)?
            }
            Kind::Proved { stones, then } => {
                let stones = self.tree.stones(stones);
                self.board.place_all(&stones, self.attacker);
                let then = self.write(then, builder, written)?;
                self.board.undo_all(stones.len());
                builder.attack(Move::full(stones), Some(then))?
            }
            Kind::Defend(replies) => self.write_replies(replies, builder, written)?,
        };
        written.insert(id, made);
        Ok(made)
    }

    fn write_replies(
        &mut self,
        replies: Replies,
        builder: &mut ProofBuilder,
        written: &mut Written,
    ) -> Result<ProofId, BuildError> {
        let length = self.board.shape().stones_per_turn() as u8;
        let replies = self.tree.replies(replies).to_vec();
        let mut list = Vec::with_capacity(replies.len());
        // Replies with proofs come first, since others may only be like earlier ones.
        let mut places = vec![0; replies.len()];
        for (place, reply) in places.iter_mut().zip(&replies) {
            if let TreeAnswer::Node(node) = reply.answer() {
                *place = list.len() as u32;
                let stones = self.tree.stones(reply.stones);
                self.board.place_all(&stones, self.defender());
                let answer = Answer::Proof(self.write(node, builder, written)?);
                self.board.undo_all(stones.len());
                let mv = Move::new(stones.iter().copied(), length - stones.len() as u8);
                list.push(Reply { mv, answer });
            }
        }
        for reply in &replies {
            if let TreeAnswer::Like(index) = reply.answer() {
                let answer = Answer::LikeReply(places[index as usize]);
                let stones = self.tree.stones(reply.stones);
                let mv = Move::new(stones.iter().copied(), length - stones.len() as u8);
                list.push(Reply { mv, answer });
            }
        }
        builder.defend(list)
    }
}
