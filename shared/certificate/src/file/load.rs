use std::io::BufRead;

use gridproof_game::Move;

use super::{ContentHash, FormatError, ProofReader};
use crate::builder::ProofBuilder;
use crate::event::{Event, SharedId};
use crate::proof::{Answer, Node, Proof, ProofId, Reply};

/// What a proof may take in memory where nobody says anything else. A few kilobytes can unpack
/// to more than any machine has; checking needs no such limit, for it forgets what it has read.
const MOST_MEMORY: u64 = 10 << 30;

/// Reads a whole proof into memory, without checking that it proves anything.
pub fn read_proof(reader: impl BufRead) -> Result<(Proof, ContentHash), FormatError> {
    read_proof_within(reader, MOST_MEMORY)
}

/// The same for a proof that takes no more than so many bytes of memory.
pub fn read_proof_within(
    reader: impl BufRead,
    memory: u64,
) -> Result<(Proof, ContentHash), FormatError> {
    let file = ProofReader::new(reader)?;
    let claim = file.claim().clone();
    let mut loader = Loader {
        builder: ProofBuilder::new(claim.start, claim.attacker),
        open_nodes: Vec::new(),
        shared: Vec::new(),
        root: None,
    };
    let mut taken = 0;
    let hash = file.for_each_event(|event| {
        taken += bytes_of(&event);
        if taken > memory {
            return Err(FormatError::TooLarge);
        }
        loader.take(event)
    })?;
    let root = loader.root.expect("a complete proof has a root");
    Ok((loader.builder.finish(root)?, hash))
}

/// What an event takes in memory: lists may have room for twice of what is in them.
const fn bytes_of(event: &Event) -> u64 {
    let bytes = match event {
        Event::Attack { .. } | Event::Defend { .. } => size_of::<Node>(),
        Event::Reply { .. } => size_of::<Reply>(),
        Event::Again(_) => 0,
    };
    2 * bytes as u64
}

struct Loader {
    builder: ProofBuilder,
    open_nodes: Vec<OpenNode>,
    /// By number; `None` while the node is open.
    shared: Vec<Option<ProofId>>,
    root: Option<ProofId>,
}

struct OpenNode {
    share: Option<SharedId>,
    turn: OpenTurn,
}

enum OpenTurn {
    Attack(Move),
    Defend(OpenDefence),
}

struct OpenDefence {
    replies: Vec<Reply>,
    left: u32,
    /// The reply whose answer is being read.
    current: Option<Move>,
}

impl Loader {
    fn take(&mut self, event: Event) -> Result<(), FormatError> {
        match event {
            Event::Attack {
                mv,
                completes,
                later,
            } => {
                let share = self.share(later);
                if completes {
                    let id = self.builder.attack(mv, None)?;
                    return self.close(share, id);
                }
                let turn = OpenTurn::Attack(mv);
                self.open_nodes.push(OpenNode { share, turn });
            }
            Event::Defend { replies, later } => {
                let share = self.share(later);
                if replies == 0 {
                    let id = self.builder.defend(Vec::new())?;
                    return self.close(share, id);
                }
                let turn = OpenTurn::Defend(OpenDefence {
                    replies: Vec::new(),
                    left: replies,
                    current: None,
                });
                self.open_nodes.push(OpenNode { share, turn });
            }
            Event::Reply { mv, like: None } => self.open_defence().current = Some(mv),
            Event::Reply {
                mv,
                like: Some(like),
            } => {
                let answer = Answer::LikeReply(like);
                if let Some((share, id)) = self.settle(Reply { mv, answer })? {
                    return self.close(share, id);
                }
            }
            Event::Again(id) => {
                let index = usize::try_from(id.0).unwrap_or(usize::MAX);
                let node = self.shared.get(index).copied().flatten();
                let node = node.ok_or_else(|| {
                    FormatError::damaged(format!("shared node {} is named before it is told", id.0))
                })?;
                return self.close(None, node);
            }
        }
        Ok(())
    }

    fn share(&mut self, later: u32) -> Option<SharedId> {
        (later > 0).then(|| {
            self.shared.push(None);
            SharedId(self.shared.len() as u64 - 1)
        })
    }

    fn open_defence(&mut self) -> &mut OpenDefence {
        match self.open_nodes.last_mut().map(|node| &mut node.turn) {
            Some(OpenTurn::Defend(open)) => open,
            _ => unreachable!("the grammar admits replies at a defender's node only"),
        }
    }

    /// Adds a reply to the open node; the node itself when it was the last.
    fn settle(&mut self, reply: Reply) -> Result<Option<(Option<SharedId>, ProofId)>, FormatError> {
        let open = self.open_defence();
        open.replies.push(reply);
        open.left -= 1;
        if open.left > 0 {
            return Ok(None);
        }
        let replies = std::mem::take(&mut open.replies);
        let share = self.open_nodes.pop().and_then(|node| node.share);
        Ok(Some((share, self.builder.defend(replies)?)))
    }

    /// Hands a node to its parent, and on from there as long as parents close. A loop, for a
    /// file may be deeper than the program's stack.
    fn close(&mut self, mut share: Option<SharedId>, mut id: ProofId) -> Result<(), FormatError> {
        loop {
            if let Some(share) = share {
                self.shared[share.0 as usize] = Some(id);
            }
            let Some(parent) = self.open_nodes.last_mut() else {
                self.root = Some(id);
                return Ok(());
            };
            (share, id) = match &mut parent.turn {
                OpenTurn::Attack(mv) => {
                    let mv = std::mem::take(mv);
                    let share = self.open_nodes.pop().and_then(|node| node.share);
                    (share, self.builder.attack(mv, Some(id))?)
                }
                OpenTurn::Defend(open) => {
                    let mv = open.current.take().expect("a node's child answers a reply");
                    let answer = Answer::Proof(id);
                    match self.settle(Reply { mv, answer })? {
                        Some(closed) => closed,
                        None => return Ok(()),
                    }
                }
            };
        }
    }
}
