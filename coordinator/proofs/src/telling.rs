//! The proof of a node told event by event: it need not fit in memory, of which it takes what the
//! graph above the certificates takes, and one certificate.

use gridproof_certificate::{
    CheckLimits, Checked, Claim, ContentHash, Event, EventChecker, FormatError, Proof, ProofReader,
    ProofWriter, Refusal, SharedId, WriteError,
};
use gridproof_game::{Colour, Move, Position, Symmetry};
use gridproof_search::NodeId;
use rustc_hash::FxHashMap;

use crate::assembly::{Assembly, after, turned};
use crate::proofs::{ProofError, Proofs};
use crate::source::{ProofSource, ReplySource};

/// What there is to tell, as it was when it was asked for: what is withdrawn meanwhile does not
/// change it.
#[derive(Debug)]
pub struct Telling<'a> {
    proofs: &'a Proofs,
    claim: Claim,
    node: NodeId,
    sources: FxHashMap<NodeId, ProofSource>,
    /// How often each node is met, for each way that it is turned.
    visits: FxHashMap<Place, u32>,
    /// Nodes of each certificate.
    sizes: FxHashMap<ContentHash, u64>,
    nodes: u64,
}

type Place = (NodeId, Position);

/// Why a proof was not told to its end.
#[derive(Debug, thiserror::Error)]
pub enum TellError {
    #[error(transparent)]
    Proof(#[from] ProofError),
    #[error(transparent)]
    Refused(#[from] Box<Refusal>),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl<'a> Telling<'a> {
    pub(crate) fn of_node(
        proofs: &'a Proofs,
        node: NodeId,
        at: &Position,
        attacker: Colour,
    ) -> Result<Self, ProofError> {
        let mut telling = Self::new(proofs, node, at, attacker);
        telling.visit(node, at)?;
        Ok(telling)
    }

    /// From a source that is not noted yet.
    pub(crate) fn of_source(
        proofs: &'a Proofs,
        node: NodeId,
        source: &ProofSource,
        at: &Position,
        attacker: Colour,
    ) -> Result<Self, ProofError> {
        let mut telling = Self::new(proofs, node, at, attacker);
        telling.sources.insert(node, source.clone());
        telling.visit(node, at)?;
        Ok(telling)
    }

    fn new(proofs: &'a Proofs, node: NodeId, at: &Position, attacker: Colour) -> Self {
        Self {
            proofs,
            claim: Claim {
                start: at.clone(),
                attacker,
            },
            node,
            sources: FxHashMap::default(),
            visits: FxHashMap::default(),
            sizes: FxHashMap::default(),
            nodes: 0,
        }
    }

    /// How many nodes it has.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The same as a proof in memory.
    pub fn assemble(&self) -> Result<Proof, ProofError> {
        let Claim { start, attacker } = &self.claim;
        Assembly::new(self.proofs, start, *attacker).finish(self.node, start)
    }

    /// Checks it.
    pub fn check(&self, limits: CheckLimits) -> Result<Checked, TellError> {
        let mut checker = EventChecker::new(self.claim.clone(), limits)?;
        self.tell(|event| Ok(checker.take(event)?))?;
        Ok(checker.finish()?)
    }

    /// Writes it as a file; gives back where it went and the file's hash.
    pub fn write<W: std::io::Write>(&self, out: W) -> Result<(W, ContentHash), TellError> {
        let mut writer = ProofWriter::new(out, self.claim.clone(), self.nodes)?;
        self.tell(|event| Ok(writer.write(&event)?))?;
        Ok(writer.finish()?)
    }

    fn visit(&mut self, node: NodeId, at: &Position) -> Result<(), ProofError> {
        let visits = self.visits.entry((node, at.clone())).or_default();
        *visits += 1;
        if *visits > 1 {
            return Ok(());
        }
        let source = match self.sources.get(&node) {
            Some(source) => source.clone(),
            None => {
                let source = self.proofs.source(node);
                let source = source.ok_or(ProofError::NotProved(node))?;
                self.sources.insert(node, source.clone());
                source
            }
        };
        self.visit_source(node, &source, at)
    }

    fn visit_source(
        &mut self,
        node: NodeId,
        source: &ProofSource,
        at: &Position,
    ) -> Result<(), ProofError> {
        let back = at.canonical().1.inverse();
        match source {
            ProofSource::Certificate(hash) => self.count(*hash)?,
            ProofSource::Move { mv, to } => {
                self.nodes += 1;
                self.visit(*to, &after(node, at, &turned(mv, at, back))?)?;
            }
            ProofSource::Replies(replies) => {
                self.nodes += 1;
                for reply in replies {
                    match reply {
                        ReplySource::Certificate { certificate, .. } => self.count(*certificate)?,
                        ReplySource::Node { mv, node: child } => {
                            self.visit(*child, &after(node, at, &turned(mv, at, back))?)?;
                        }
                        ReplySource::Like { .. } => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, hash: ContentHash) -> Result<(), ProofError> {
        let nodes = match self.sizes.get(&hash) {
            Some(nodes) => *nodes,
            None => {
                let bytes = self.proofs.bytes(hash)?;
                let reader = ProofReader::new(&bytes[..]);
                let nodes = reader
                    .map_err(|error| ProofError::Unreadable(hash, error))?
                    .nodes();
                self.sizes.insert(hash, nodes);
                nodes
            }
        };
        self.nodes += nodes;
        Ok(())
    }

    fn tell(&self, then: impl FnMut(Event) -> Result<(), TellError>) -> Result<(), TellError> {
        let mut teller = Teller {
            telling: self,
            names: FxHashMap::default(),
            next_name: 0,
            then,
        };
        teller.node(self.node, &self.claim.start)
    }
}

struct Teller<'a, F> {
    telling: &'a Telling<'a>,
    /// Of nodes that have been told and are met again.
    names: FxHashMap<Place, SharedId>,
    next_name: u64,
    then: F,
}

impl<F: FnMut(Event) -> Result<(), TellError>> Teller<'_, F> {
    fn node(&mut self, node: NodeId, at: &Position) -> Result<(), TellError> {
        let place = (node, at.clone());
        let later = self.telling.visits[&place] - 1;
        if later > 0 {
            if let Some(name) = self.names.get(&place) {
                return (self.then)(Event::Again(*name));
            }
            self.names.insert(place, SharedId(self.next_name));
            self.next_name += 1;
        }
        self.source(node, &self.telling.sources[&node], at, later)
    }

    fn source(
        &mut self,
        node: NodeId,
        source: &ProofSource,
        at: &Position,
        later: u32,
    ) -> Result<(), TellError> {
        let back = at.canonical().1.inverse();
        match source {
            ProofSource::Certificate(hash) => self.certificate(*hash, at, back, later)?,
            ProofSource::Move { mv, to } => {
                let mv = turned(mv, at, back);
                (self.then)(Event::Attack {
                    mv: mv.clone(),
                    completes: false,
                    later,
                })?;
                self.node(*to, &after(node, at, &mv)?)?;
            }
            ProofSource::Replies(replies) => {
                (self.then)(Event::Defend {
                    replies: replies.len() as u32,
                    later,
                })?;
                for reply in replies {
                    self.reply(node, at, back, reply)?;
                }
            }
        }
        Ok(())
    }

    fn reply(
        &mut self,
        node: NodeId,
        at: &Position,
        back: Symmetry,
        reply: &ReplySource,
    ) -> Result<(), TellError> {
        let told = |mv: &Move, like| Event::Reply {
            mv: turned(mv, at, back),
            like,
        };
        match reply {
            ReplySource::Certificate { mv, certificate } => {
                (self.then)(told(mv, None))?;
                self.certificate(*certificate, at, back, 0)
            }
            ReplySource::Node { mv, node: child } => {
                (self.then)(told(mv, None))?;
                self.node(*child, &after(node, at, &turned(mv, at, back))?)
            }
            ReplySource::Like { mv, like } => (self.then)(told(mv, Some(*like))),
        }
    }

    /// Its shared nodes get the numbers that come next; its root is the node that it proves.
    fn certificate(
        &mut self,
        hash: ContentHash,
        at: &Position,
        back: Symmetry,
        root_later: u32,
    ) -> Result<(), TellError> {
        let bytes = self.telling.proofs.bytes(hash)?;
        let reader = ProofReader::new(&bytes[..]);
        let reader = reader.map_err(|error| ProofError::Unreadable(hash, error))?;
        let turn = |mv: &Move| turned(mv, at, back);
        let first = self.next_name;
        let mut is_root = true;
        let mut named = 0;
        let then = &mut self.then;
        let read = reader.for_each_event(|mut event| {
            match &mut event {
                Event::Attack { mv, later, .. } => {
                    *mv = turn(mv);
                    named += u64::from(*later > 0);
                    if is_root {
                        *later = root_later;
                    }
                }
                Event::Defend { later, .. } => {
                    named += u64::from(*later > 0);
                    if is_root {
                        *later = root_later;
                    }
                }
                Event::Reply { mv, .. } => *mv = turn(mv),
                Event::Again(SharedId(name)) => *name += first,
            }
            is_root = false;
            then(event).map_err(CertificateError::Then)
        });
        read.map_err(|error| error.of(hash))?;
        self.next_name += named;
        Ok(())
    }
}

enum CertificateError {
    Read(FormatError),
    Then(TellError),
}

impl From<FormatError> for CertificateError {
    fn from(error: FormatError) -> Self {
        Self::Read(error)
    }
}

impl CertificateError {
    fn of(self, hash: ContentHash) -> TellError {
        match self {
            Self::Read(error) => ProofError::Unreadable(hash, error).into(),
            Self::Then(error) => error,
        }
    }
}
