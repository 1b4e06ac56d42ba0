use gridproof_game::{Colour, Position, Rules};

use crate::proof::{Answer, Node, Proof, ProofId, Reply};
use gridproof_game::Move;

/// Makes a [`Proof`], children first.
///
/// The builder sees to the shape of the graph; whether the moves prove anything is for the
/// checker to say. It knows no positions, so it never merges equal nodes by itself: the
/// same node at another position is another node. [`Proof::deduplicated`] merges.
#[derive(Clone, Debug)]
pub struct ProofBuilder {
    start: Position,
    attacker: Colour,
    nodes: Vec<Node>,
}

/// Why nodes make no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BuildError {
    #[error("node {} is not in this proof yet: add children before their parents", .0.index())]
    Unknown(ProofId),
    #[error("node {} has the wrong side to move: the sides take turns", .0.index())]
    WrongSide(ProofId),
    #[error("reply {reply} is said to be answered like reply {like}: that must come before it")]
    LikeLater { reply: usize, like: u32 },
    #[error("a proof for {theirs} in a proof for {ours}")]
    OtherRules { theirs: Rules, ours: Rules },
    #[error("a proof that {} wins in a proof that {} wins", .attacker.other(), .attacker)]
    OtherAttacker { attacker: Colour },
    #[error("a proof holds at most {} nodes", u32::MAX)]
    TooLarge,
    #[error("two parents share node {} but lead to different positions", .0.index())]
    TwoPositions(ProofId),
}

impl ProofBuilder {
    /// A proof that `attacker` wins from `start`, still without nodes.
    #[must_use]
    pub const fn new(start: Position, attacker: Colour) -> Self {
        Self {
            start,
            attacker,
            nodes: Vec::new(),
        }
    }

    /// Adds a node with the attacker to move; `then` is `None` when the move completes a line.
    pub fn attack(&mut self, mv: Move, then: Option<ProofId>) -> Result<ProofId, BuildError> {
        if let Some(id) = then
            && !matches!(self.known(id)?, Node::Defend { .. })
        {
            return Err(BuildError::WrongSide(id));
        }
        self.push(Node::Attack { mv, then })
    }

    /// Adds a node with the defender to move. A reply like one that is itself like a third
    /// is stored as like the third: what two replays allow, one does.
    pub fn defend(&mut self, mut replies: Vec<Reply>) -> Result<ProofId, BuildError> {
        for i in 0..replies.len() {
            match replies[i].answer {
                Answer::Proof(id) if matches!(self.known(id)?, Node::Attack { .. }) => {}
                Answer::Proof(id) => return Err(BuildError::WrongSide(id)),
                Answer::LikeReply(like) => match replies[..i].get(like as usize) {
                    Some(earlier) => {
                        if let Answer::LikeReply(_) = earlier.answer {
                            replies[i].answer = earlier.answer;
                        }
                    }
                    None => return Err(BuildError::LikeLater { reply: i, like }),
                },
            }
        }
        self.push(Node::Defend { replies })
    }

    /// Takes over all nodes of another proof; the answer is its root here. The root belongs
    /// to that proof's start; as a rule it also holds with further defender's stones that the
    /// proof's zone excuses, which saves a search but not the check.
    pub fn graft(&mut self, other: &Proof) -> Result<ProofId, BuildError> {
        let (theirs, ours) = (*other.start.rules(), *self.start.rules());
        if theirs != ours {
            return Err(BuildError::OtherRules { theirs, ours });
        }
        if other.attacker != self.attacker {
            return Err(BuildError::OtherAttacker {
                attacker: self.attacker,
            });
        }
        if self.nodes.len() + other.nodes.len() > u32::MAX as usize {
            return Err(BuildError::TooLarge);
        }
        let offset = self.nodes.len() as u32;
        self.nodes.extend(
            other
                .nodes
                .iter()
                .map(|node| renumbered(node, |id| ProofId(id.0 + offset))),
        );
        Ok(ProofId(self.nodes.len() as u32 - 1))
    }

    /// The proof whose root this is. Nodes that the root does not rest on are left out.
    pub fn finish(mut self, root: ProofId) -> Result<Proof, BuildError> {
        let attack = matches!(self.known(root)?, Node::Attack { .. });
        if attack != (self.start.to_move() == self.attacker) {
            return Err(BuildError::WrongSide(root));
        }
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for parent in (0..=root.index()).rev() {
            if needed[parent] {
                for child in self.nodes[parent].children() {
                    needed[child.index()] = true;
                }
            }
        }
        if needed.iter().all(|needed| *needed) {
            self.nodes.truncate(root.index() + 1);
            return Ok(Proof {
                start: self.start,
                attacker: self.attacker,
                nodes: self.nodes,
            });
        }
        let mut new_ids = vec![ProofId(u32::MAX); root.index() + 1];
        let mut nodes = Vec::with_capacity(needed.iter().filter(|needed| **needed).count());
        for (i, node) in self.nodes.iter().enumerate().take(root.index() + 1) {
            if needed[i] {
                new_ids[i] = ProofId(nodes.len() as u32);
                nodes.push(renumbered(node, |id| new_ids[id.index()]));
            }
        }
        Ok(Proof {
            start: self.start,
            attacker: self.attacker,
            nodes,
        })
    }

    fn known(&self, id: ProofId) -> Result<&Node, BuildError> {
        self.nodes.get(id.index()).ok_or(BuildError::Unknown(id))
    }

    fn push(&mut self, node: Node) -> Result<ProofId, BuildError> {
        let id = u32::try_from(self.nodes.len()).map_err(|_| BuildError::TooLarge)?;
        if id == u32::MAX {
            return Err(BuildError::TooLarge);
        }
        self.nodes.push(node);
        Ok(ProofId(id))
    }
}

pub(crate) fn renumbered(node: &Node, new: impl Fn(ProofId) -> ProofId) -> Node {
    match node {
        Node::Attack { mv, then } => Node::Attack {
            mv: mv.clone(),
            then: then.map(new),
        },
        Node::Defend { replies } => Node::Defend {
            replies: replies
                .iter()
                .map(|Reply { mv, answer }| Reply {
                    mv: mv.clone(),
                    answer: match *answer {
                        Answer::Proof(id) => Answer::Proof(new(id)),
                        like => like,
                    },
                })
                .collect(),
        },
    }
}
