//! What can be counted of a proof without looking at a board.

use crate::proof::{Answer, Node, Proof, Reply};

/// The size of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stats {
    /// Nodes of both sides; one that several parents share counts once.
    pub nodes: u64,
    /// Moves on the longest way from the root, the last one included.
    pub depth: u32,
    /// The strategy's order r in Λr.
    pub lambda: u32,
    /// Defender's moves, null and semi-null ones too, that have a proof of their own.
    pub explicit_replies: u64,
    /// Defender's moves that the proof of an earlier one answers.
    pub replayed_replies: u64,
}

/// Depth and lambda order of one node, from those of its children.
///
/// An attacker's move is a Λr-move when every reply to it with u > 0 null stones loses to a
/// Λi-strategy with i <= r - u, or at once (i = 0). A node's order is the greatest among
/// its moves, the moves after full replies included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct NodeStats {
    pub(crate) depth: u32,
    pub(crate) lambda: u32,
}

impl NodeStats {
    /// A move that completes a line: Λ0.
    pub(crate) const COMPLETION: Self = Self {
        depth: 1,
        lambda: 0,
    };

    /// The defender to move, before any reply is counted: the attacker threatened
    /// something, and a threat makes a Λ1-move.
    pub(crate) const DEFENCE: Self = Self {
        depth: 0,
        lambda: 1,
    };

    pub(crate) fn count_reply(&mut self, nulls: u8, answer: Self) {
        self.depth = self.depth.max(answer.depth + 1);
        let raised = match answer.lambda {
            0 => 0,
            order => order + u32::from(nulls),
        };
        self.lambda = self.lambda.max(raised);
    }

    pub(crate) const fn attack(then: Self) -> Self {
        Self {
            depth: then.depth + 1,
            lambda: then.lambda,
        }
    }
}

impl Proof {
    /// Counts its nodes and replies.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let replies = |node: &Node, own: bool| match node {
            Node::Attack { .. } => 0,
            Node::Defend { replies } => {
                let is_own = |reply: &&Reply| matches!(reply.answer, Answer::Proof(_)) == own;
                replies.iter().filter(is_own).count() as u64
            }
        };
        let root = self.node_stats().pop().expect("no proof is empty");
        Stats {
            nodes: self.nodes.len() as u64,
            depth: root.depth,
            lambda: root.lambda,
            explicit_replies: self.nodes.iter().map(|node| replies(node, true)).sum(),
            replayed_replies: self.nodes.iter().map(|node| replies(node, false)).sum(),
        }
    }

    /// By node, the root's last.
    pub(crate) fn node_stats(&self) -> Vec<NodeStats> {
        let mut node_stats: Vec<NodeStats> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let stats = match node {
                Node::Attack { then: None, .. } => NodeStats::COMPLETION,
                Node::Attack { then: Some(id), .. } => NodeStats::attack(node_stats[id.index()]),
                Node::Defend { replies } => {
                    let mut defence = NodeStats::DEFENCE;
                    for reply in replies {
                        if let Some(id) = reply.proof_among(replies) {
                            defence.count_reply(reply.mv.nulls(), node_stats[id.index()]);
                        }
                    }
                    defence
                }
            };
            node_stats.push(stats);
        }
        node_stats
    }
}
