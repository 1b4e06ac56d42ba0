use std::convert::Infallible;

use crate::event::{Event, EventSource, SharedId};
use crate::proof::{Answer, Node, Proof, ProofId};

/// Tells a proof, or the part of it under one node, event by event.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    proof: &'a Proof,
    /// Parents still to come of each node, and the number it got when it was told first.
    later: Vec<u32>,
    shared: Vec<Option<SharedId>>,
    next_shared: SharedId,
    stack: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Node(ProofId),
    /// This reply of this node, then the ones after it.
    Replies(ProofId, usize),
}

impl<'a> Walk<'a> {
    pub(crate) fn new(proof: &'a Proof) -> Self {
        Self::under(proof, proof.root())
    }

    pub(crate) fn under(proof: &'a Proof, root: ProofId) -> Self {
        let mut parents = vec![0u32; root.index() + 1];
        parents[root.index()] = 1;
        for (id, node) in proof.nodes().take(root.index() + 1).rev() {
            if parents[id.index()] > 0 {
                for child in node.children() {
                    parents[child.index()] += 1;
                }
            }
        }
        Self {
            proof,
            shared: vec![None; parents.len()],
            later: parents.into_iter().map(|n| n.saturating_sub(1)).collect(),
            next_shared: SharedId(0),
            stack: vec![Step::Node(root)],
        }
    }

    fn node(&mut self, id: ProofId) -> Event {
        if let Some(shared) = self.shared[id.index()] {
            return Event::Again(shared);
        }
        let later = self.later[id.index()];
        if later > 0 {
            self.shared[id.index()] = Some(self.next_shared);
            self.next_shared.0 += 1;
        }
        match self.proof.node(id) {
            Node::Attack { mv, then } => {
                self.stack.extend(then.map(Step::Node));
                Event::Attack {
                    mv: mv.clone(),
                    completes: then.is_none(),
                    later,
                }
            }
            Node::Defend { replies } => {
                if !replies.is_empty() {
                    self.stack.push(Step::Replies(id, 0));
                }
                Event::Defend {
                    replies: replies.len() as u32,
                    later,
                }
            }
        }
    }

    fn reply(&mut self, id: ProofId, number: usize) -> Event {
        let Node::Defend { replies } = self.proof.node(id) else {
            unreachable!("only a defender's node has replies");
        };
        if number + 1 < replies.len() {
            self.stack.push(Step::Replies(id, number + 1));
        }
        let reply = &replies[number];
        let like = match reply.answer {
            Answer::Proof(answer) => {
                self.stack.push(Step::Node(answer));
                None
            }
            Answer::LikeReply(like) => Some(like),
        };
        Event::Reply {
            mv: reply.mv.clone(),
            like,
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        Some(match self.stack.pop()? {
            Step::Node(id) => self.node(id),
            Step::Replies(id, number) => self.reply(id, number),
        })
    }
}

impl EventSource for Walk<'_> {
    type Error = Infallible;

    fn next_event(&mut self) -> Result<Event, Infallible> {
        Ok(self.next().expect("a proof in memory tells all its nodes"))
    }
}
