//! The events of a checked proof as bytes, and where in them is what a second telling jumps to.

use gridproof_game::Rules;

use crate::check::Unneeded;
use crate::event::Event;
use crate::file::{FormatError, read_event};

/// A part of the events, from its first byte to the one after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: u32,
    pub(super) to: u32,
}

#[derive(Debug)]
pub(super) struct Told {
    rules: Rules,
    bytes: Vec<u8>,
    /// Shared nodes with all below them, by number.
    pub(super) shared: Vec<Span>,
    /// Replies that go, with all below them, in order.
    going: Vec<Span>,
    /// Defender's nodes that lose replies, in order, with how many.
    fewer: Vec<(u32, u32)>,
}

impl Told {
    pub(super) fn new(
        rules: Rules,
        bytes: Vec<u8>,
        mut unneeded: Unneeded,
    ) -> Result<Self, FormatError> {
        unneeded.0.sort_unstable();
        let told = Self {
            rules,
            bytes,
            shared: Vec::new(),
            going: Vec::new(),
            fewer: Vec::new(),
        };
        let mut indexer = Indexer {
            told,
            open: Vec::new(),
            is_complete: false,
        };
        let mut unneeded = unneeded.0.into_iter().peekable();
        let (mut at, mut number) = (0, 0u32);
        while !indexer.is_complete {
            let (event, next) = indexer.told.event(at)?;
            let goes = unneeded.next_if_eq(&number).is_some();
            indexer.take(&event, Span { from: at, to: next }, goes);
            at = next;
            number += 1;
        }
        let mut told = indexer.told;
        told.fewer.sort_unstable();
        Ok(told)
    }

    /// The event that begins at this byte, and where the next one does.
    pub(super) fn event(&self, at: u32) -> Result<(Event, u32), FormatError> {
        let mut rest = &self.bytes[at as usize..];
        let event = read_event(&self.rules, &mut rest)?;
        Ok((event, (self.bytes.len() - rest.len()) as u32))
    }

    /// The number of the shared node that begins here.
    pub(super) fn shared_at(&self, at: u32) -> usize {
        let found = self.shared.binary_search_by_key(&at, |span| span.from);
        found.expect("all shared nodes are known")
    }

    /// Where the reply that begins here ends, if it goes.
    pub(super) fn going_at(&self, at: u32) -> Option<u32> {
        let found = self
            .going
            .binary_search_by_key(&at, |span| span.from)
            .ok()?;
        Some(self.going[found].to)
    }

    /// How many replies the defender's node that begins here loses.
    pub(super) fn fewer_at(&self, at: u32) -> u32 {
        let found = self.fewer.binary_search_by_key(&at, |(at, _)| *at);
        found.map_or(0, |found| self.fewer[found].1)
    }
}

/// Reads the events once, from the first to the last.
struct Indexer {
    told: Told,
    open: Vec<Open>,
    is_complete: bool,
}

/// What has begun and not ended.
enum Open {
    Attack {
        shared: Option<usize>,
    },
    Defend {
        shared: Option<usize>,
        at: u32,
        left: u32,
        fewer: u32,
    },
    /// A reply with a proof of its own; its place among those that go.
    Reply {
        going: Option<usize>,
    },
}

impl Indexer {
    fn take(&mut self, event: &Event, place: Span, goes: bool) {
        match *event {
            Event::Attack {
                completes, later, ..
            } => {
                let shared = self.share(later, place);
                match completes {
                    true => self.close(shared, place.to),
                    false => self.open.push(Open::Attack { shared }),
                }
            }
            Event::Defend { replies, later } => {
                let shared = self.share(later, place);
                match replies {
                    0 => self.close(shared, place.to),
                    left => self.open.push(Open::Defend {
                        shared,
                        at: place.from,
                        left,
                        fewer: 0,
                    }),
                }
            }
            Event::Reply { like, .. } => {
                let going = goes.then(|| {
                    self.told.going.push(place);
                    self.told.going.len() - 1
                });
                if goes && let Some(Open::Defend { fewer, .. }) = self.open.last_mut() {
                    *fewer += 1;
                }
                self.open.push(Open::Reply { going });
                if like.is_some() {
                    self.close(None, place.to);
                }
            }
            Event::Again(_) => self.close(None, place.to),
        }
    }

    fn share(&mut self, later: u32, place: Span) -> Option<usize> {
        (later > 0).then(|| {
            self.told.shared.push(place);
            self.told.shared.len() - 1
        })
    }

    /// A node ends, or an answer without one; and with it what it was the last part of.
    fn close(&mut self, mut shared: Option<usize>, to: u32) {
        loop {
            if let Some(shared) = shared {
                self.told.shared[shared].to = to;
            }
            shared = match self.open.pop() {
                None => {
                    self.is_complete = true;
                    return;
                }
                Some(Open::Attack { shared }) => shared,
                Some(Open::Reply { going }) => {
                    if let Some(going) = going {
                        self.told.going[going].to = to;
                    }
                    let Some(Open::Defend {
                        shared,
                        at,
                        left,
                        fewer,
                    }) = self.open.last_mut()
                    else {
                        unreachable!("replies stand at defender's nodes");
                    };
                    *left -= 1;
                    if *left > 0 {
                        return;
                    }
                    if *fewer > 0 {
                        self.told.fewer.push((*at, *fewer));
                    }
                    let shared = *shared;
                    self.open.pop();
                    shared
                }
                Some(Open::Defend { .. }) => unreachable!("a reply is between two nodes"),
            };
        }
    }
}
