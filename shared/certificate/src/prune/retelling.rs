//! A proof told again without the replies that go.

use super::told::Told;
use crate::event::{Event, SharedId};
use crate::file::FormatError;

/// What a telling is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pass<'a> {
    /// How often each shared node is met is not known yet.
    Counting,
    Telling(&'a [u32]),
}

#[derive(Debug)]
pub(super) struct Retelling<'a> {
    told: &'a Told,
    pass: Pass<'a>,
    /// How often each shared node has been met.
    visits: Vec<u32>,
    /// The new numbers of shared nodes that are told again.
    names: Vec<SharedId>,
    next_name: SharedId,
    nodes: u64,
    at: u32,
    next: Next,
    open: Vec<Open>,
}

/// What begins at the byte at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Node,
    /// A shared node that is told here, and not where it stands.
    NodeFromAfar,
    Reply,
    Nothing,
}

#[derive(Debug)]
enum Open {
    Replies {
        left: u32,
        /// For each reply so far: the number that it gets, or that of the one whose proof
        /// answers it.
        proofs: Vec<u32>,
        kept: u32,
    },
    /// Go on here.
    Return(u32),
}

/// The number of a reply that goes.
const GONE: u32 = u32::MAX;

impl<'a> Retelling<'a> {
    pub(super) fn new(told: &'a Told, pass: Pass<'a>) -> Self {
        Self {
            told,
            pass,
            visits: vec![0; told.shared.len()],
            names: vec![SharedId(0); told.shared.len()],
            next_name: SharedId(0),
            nodes: 0,
            at: 0,
            next: Next::Node,
            open: Vec::new(),
        }
    }

    /// Nodes told so far.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(super) fn into_visits(self) -> Vec<u32> {
        self.visits
    }

    pub(super) fn next_event(&mut self) -> Result<Option<Event>, FormatError> {
        loop {
            let event = match self.next {
                Next::Nothing => return Ok(None),
                Next::Reply => match self.told.going_at(self.at) {
                    Some(end) => self.pass_over(end)?,
                    None => Some(self.reply()?),
                },
                Next::Node => self.node(false)?,
                Next::NodeFromAfar => self.node(true)?,
            };
            if event.is_some() {
                return Ok(event);
            }
        }
    }

    fn pass_over(&mut self, end: u32) -> Result<Option<Event>, FormatError> {
        let (event, _) = self.told.event(self.at)?;
        self.at = end;
        if let Some(Open::Replies { proofs, .. }) = self.open.last_mut() {
            // One that stays may be said to be like this one, which is itself like another.
            let proof = match event {
                Event::Reply {
                    like: Some(like), ..
                } => proofs[like as usize],
                _ => GONE,
            };
            proofs.push(proof);
        }
        self.close_reply();
        Ok(None)
    }

    fn reply(&mut self) -> Result<Event, FormatError> {
        let (event, next) = self.told.event(self.at)?;
        self.at = next;
        let (Event::Reply { mv, like }, Some(Open::Replies { proofs, kept, .. })) =
            (event, self.open.last_mut())
        else {
            unreachable!("a checked proof has replies at its defender's nodes");
        };
        let number = *kept;
        *kept += 1;
        let like = like.map(|like| proofs[like as usize]);
        debug_assert_ne!(
            like,
            Some(GONE),
            "a reply is kept for those that it answers"
        );
        proofs.push(like.unwrap_or(number));
        match like {
            Some(_) => self.close_reply(),
            None => self.next = Next::Node,
        }
        Ok(Event::Reply { mv, like })
    }

    /// `from_afar`: its visit is counted.
    fn node(&mut self, from_afar: bool) -> Result<Option<Event>, FormatError> {
        let at = self.at;
        let (event, next) = self.told.event(at)?;
        self.at = next;
        let later = match event {
            Event::Again(SharedId(id)) => {
                let shared = id as usize;
                self.visits[shared] += 1;
                if self.visits[shared] > 1 {
                    self.close_node();
                    return Ok(Some(Event::Again(self.names[shared])));
                }
                self.open.push(Open::Return(next));
                self.at = self.told.shared[shared].from;
                self.next = Next::NodeFromAfar;
                return Ok(None);
            }
            Event::Attack { later: 0, .. } | Event::Defend { later: 0, .. } => 0,
            _ => {
                let shared = self.told.shared_at(at);
                self.visits[shared] += u32::from(!from_afar);
                if self.visits[shared] > 1 {
                    self.at = self.told.shared[shared].to;
                    self.close_node();
                    return Ok(Some(Event::Again(self.names[shared])));
                }
                self.name(shared)
            }
        };
        self.nodes += 1;
        Ok(Some(match event {
            Event::Attack { mv, completes, .. } => {
                match completes {
                    true => self.close_node(),
                    false => self.next = Next::Node,
                }
                Event::Attack {
                    mv,
                    completes,
                    later,
                }
            }
            Event::Defend { replies, .. } => {
                if replies == 0 {
                    self.close_node();
                } else {
                    self.open.push(Open::Replies {
                        left: replies,
                        proofs: Vec::new(),
                        kept: 0,
                    });
                    self.next = Next::Reply;
                }
                let replies = replies - self.told.fewer_at(at);
                Event::Defend { replies, later }
            }
            Event::Reply { .. } | Event::Again(_) => {
                unreachable!("a checked proof has a node here")
            }
        }))
    }

    /// A shared node is told: how many times it comes again.
    fn name(&mut self, shared: usize) -> u32 {
        let Pass::Telling(visits) = self.pass else {
            return 0;
        };
        let later = visits[shared] - 1;
        if later > 0 {
            self.names[shared] = self.next_name;
            self.next_name.0 += 1;
        }
        later
    }

    fn close_node(&mut self) {
        match self.open.last() {
            None => self.next = Next::Nothing,
            Some(Open::Replies { .. }) => self.close_reply(),
            Some(&Open::Return(at)) => {
                self.at = at;
                self.open.pop();
                self.close_node();
            }
        }
    }

    fn close_reply(&mut self) {
        let Some(Open::Replies { left, .. }) = self.open.last_mut() else {
            unreachable!("replies stand at defender's nodes");
        };
        *left -= 1;
        self.next = Next::Reply;
        if *left == 0 {
            self.open.pop();
            self.close_node();
        }
    }
}
