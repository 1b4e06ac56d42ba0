//! One proof out of many: certificates of leaves, joined evidence the moves of the graph.

use gridproof_certificate::{Answer, ContentHash, Proof, ProofBuilder, ProofId, Reply};
use gridproof_game::{Colour, Move, Position, Symmetry};
use gridproof_search::NodeId;
use rustc_hash::FxHashMap;

use crate::proofs::{ProofError, Proofs};
use crate::source::{ProofSource, ReplySource};

/// A proof in the making.
pub(crate) struct Assembly<'a> {
    proofs: &'a Proofs,
    builder: ProofBuilder,
    /// A node that several lines lead to is put in once for each way it is turned.
    done: FxHashMap<(NodeId, Position), ProofId>,
}

impl<'a> Assembly<'a> {
    pub(crate) fn new(proofs: &'a Proofs, start: &Position, attacker: Colour) -> Self {
        Self {
            proofs,
            builder: ProofBuilder::new(start.clone(), attacker),
            done: FxHashMap::default(),
        }
    }

    pub(crate) fn finish(mut self, node: NodeId, at: &Position) -> Result<Proof, ProofError> {
        let root = self.node(node, at)?;
        Ok(self.builder.finish(root)?)
    }

    fn node(&mut self, node: NodeId, at: &Position) -> Result<ProofId, ProofError> {
        let name = (node, at.clone());
        if let Some(id) = self.done.get(&name) {
            return Ok(*id);
        }
        let source = self.proofs.source(node);
        let id = self.source(node, &source.ok_or(ProofError::NotProved(node))?, at)?;
        self.done.insert(name, id);
        Ok(id)
    }

    fn source(
        &mut self,
        node: NodeId,
        source: &ProofSource,
        at: &Position,
    ) -> Result<ProofId, ProofError> {
        // What is stored is in the canonical orientation.
        let back = at.canonical().1.inverse();
        Ok(match source {
            ProofSource::Certificate(hash) => self.certificate(*hash, back)?,
            ProofSource::Move { mv, to } => {
                let mv = turned(mv, at, back);
                let then = self.node(*to, &after(node, at, &mv)?)?;
                self.builder.attack(mv, Some(then))?
            }
            ProofSource::Replies(replies) => {
                let replies = replies
                    .iter()
                    .map(|reply| self.reply(node, at, back, reply));
                let replies = replies.collect::<Result<_, _>>()?;
                self.builder.defend(replies)?
            }
        })
    }

    fn reply(
        &mut self,
        node: NodeId,
        at: &Position,
        back: Symmetry,
        reply: &ReplySource,
    ) -> Result<Reply, ProofError> {
        let (ReplySource::Certificate { mv, .. }
        | ReplySource::Node { mv, .. }
        | ReplySource::Like { mv, .. }) = reply;
        let mv = turned(mv, at, back);
        let answer = match reply {
            ReplySource::Certificate { certificate, .. } => {
                Answer::Proof(self.certificate(*certificate, back)?)
            }
            ReplySource::Node { node: child, .. } => {
                Answer::Proof(self.node(*child, &after(node, at, &mv)?)?)
            }
            ReplySource::Like { like, .. } => Answer::LikeReply(*like),
        };
        Ok(Reply { mv, answer })
    }

    fn certificate(&mut self, hash: ContentHash, back: Symmetry) -> Result<ProofId, ProofError> {
        let proof = self.proofs.load(hash)?;
        Ok(self.builder.graft(&proof.transformed(back))?)
    }
}

pub(crate) fn turned(mv: &Move, at: &Position, back: Symmetry) -> Move {
    mv.map(|square| back.apply(at.rules(), square))
}

pub(crate) fn after(node: NodeId, at: &Position, mv: &Move) -> Result<Position, ProofError> {
    let mut next = at.clone();
    match next.play(mv) {
        Ok(_) => Ok(next),
        Err(_) => Err(ProofError::IllegalMove(node)),
    }
}
