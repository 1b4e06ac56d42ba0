//! Goes through a store as if nobody had ever checked anything in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gridproof_certificate::{CheckLimits, Claim, ContentHash, check_file};
use gridproof_game::Move;
use gridproof_proofs::{ProofSource, Proofs, ReplySource};
use gridproof_search::{Core, Fact, NodeId, Options};

use super::fill::missing;
use super::{Note, Record, Store, StoreError};
use crate::coordinator::StoredCertificates;

/// A store that is in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub records: u64,
    pub facts: u64,
    /// Each was checked again.
    pub certificates: u64,
    /// Certificates that no record rests on: a compaction removes them.
    pub unused: u64,
    /// Nodes that are said to be won: each has a proof that holds.
    pub wins: u64,
}

/// Reads every record, replays the search, checks every certificate against the position that it
/// is for, and puts together and checks the proof of every node that is said to be won.
pub fn verify(store: &Arc<dyn Store>) -> Result<Verified, StoreError> {
    let mut found = Verified::default();
    let mut facts: Vec<Fact> = Vec::new();
    let mut claims = Claims::default();
    for record in store.records() {
        let record = record?;
        found.records += 1;
        match record {
            Record::Fact(fact) => facts.push(fact),
            Record::Note(note) => claims.note(note),
        }
    }
    found.facts = facts.len() as u64;
    let core = Core::replay(Options::default(), facts);
    let core = core.map_err(|error| damaged(error.to_string()))?;
    let wanted = claims.certificates(&core)?;
    for hash in wanted.keys() {
        if !store.has_certificate(*hash)? {
            return Err(missing(*hash));
        }
    }
    for hash in store.certificates() {
        let hash = hash?;
        let claims = wanted.get(&hash);
        check_certificate(&**store, hash, claims.map_or(&[], |claims| claims))?;
        found.certificates += 1;
        found.unused += u64::from(claims.is_none());
    }
    found.wins = claims.check_wins(store, &core)?;
    Ok(found)
}

fn damaged(words: impl Into<String>) -> StoreError {
    StoreError::Damaged(words.into())
}

fn check_certificate(
    store: &dyn Store,
    hash: ContentHash,
    claims: &[(NodeId, Claim)],
) -> Result<(), StoreError> {
    let bytes = store.certificate(hash)?.ok_or_else(|| missing(hash))?;
    let checked = check_file(&bytes[..], CheckLimits::default())
        .map_err(|refusal| damaged(format!("certificate {hash}: {refusal}")))?;
    if checked.hash != hash {
        let words = format!("certificate {hash} has the hash {}", checked.hash);
        return Err(damaged(words));
    }
    let is_other = |(_, claim): &&(NodeId, Claim)| *claim != checked.checked.claim;
    match claims.iter().find(is_other) {
        None => Ok(()),
        Some((node, _)) => Err(damaged(format!(
            "{node} rests on certificate {hash}, which is for another position"
        ))),
    }
}

/// What the notes say is proved, and by what.
#[derive(Default)]
struct Claims {
    sources: BTreeMap<NodeId, ProofSource>,
    answers: Vec<(NodeId, Move, ContentHash)>,
}

impl Claims {
    fn note(&mut self, note: Note) {
        match note {
            Note::Proof { node, source } => drop(self.sources.insert(node, source)),
            Note::Unproved { nodes } => {
                for node in nodes {
                    self.sources.remove(&node);
                }
            }
            Note::Answer {
                node,
                mv,
                certificate,
                ..
            } => self.answers.push((node, mv, certificate)),
            _ => {}
        }
    }

    /// What each certificate must prove.
    fn certificates(
        &self,
        core: &Core,
    ) -> Result<BTreeMap<ContentHash, Vec<(NodeId, Claim)>>, StoreError> {
        let mut wanted: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut want = |node: NodeId, mv: Option<&Move>, hash: ContentHash| {
            let claim = claim_of(core, node, mv)?;
            wanted.entry(hash).or_default().push((node, claim));
            Ok::<_, StoreError>(())
        };
        for (node, mv, hash) in &self.answers {
            want(*node, Some(mv), *hash)?;
        }
        for (node, source) in &self.sources {
            match source {
                ProofSource::Certificate(hash) => want(*node, None, *hash)?,
                ProofSource::Move { .. } => {}
                ProofSource::Replies(replies) => {
                    for reply in replies {
                        if let ReplySource::Certificate { mv, certificate } = reply {
                            want(*node, Some(mv), *certificate)?;
                        }
                    }
                }
            }
        }
        Ok(wanted)
    }

    /// Checks that every node that counts as won is. A proof holds those of the nodes that it
    /// leads to, so that those need none of their own.
    fn check_wins(&self, store: &Arc<dyn Store>, core: &Core) -> Result<u64, StoreError> {
        let proofs = Proofs::new(Arc::new(StoredCertificates::new(Arc::clone(store))));
        for (node, source) in &self.sources {
            proofs.proved(*node, source.clone());
        }
        let ids = (0..core.node_count()).map(|index| NodeId(index as u32));
        let is_won = |id: &NodeId| core.node(*id).is_some_and(|node| node.numbers.is_proved());
        let won: BTreeSet<NodeId> = ids.filter(is_won).collect();
        let led_to: BTreeSet<NodeId> = won.iter().flat_map(|id| self.leads_to(*id)).collect();
        // First those that no other leads to; what is left then leads round in a circle.
        let first = won.difference(&led_to);
        let mut covered = BTreeSet::new();
        for &id in first.chain(&won) {
            if covered.contains(&id) {
                continue;
            }
            let claim = claim_of(core, id, None)?;
            let proof = proofs.telling(id, &claim.start, claim.attacker);
            let proof = proof.map_err(|error| {
                damaged(format!("{id} is said to be won, and has no proof: {error}"))
            })?;
            let checked = proof.check(CheckLimits::default()).map_err(|refusal| {
                damaged(format!("the proof of {id} does not hold: {refusal}"))
            })?;
            if checked.claim != claim {
                return Err(damaged(format!(
                    "the proof of {id} is for another position"
                )));
            }
            self.cover(id, &mut covered);
        }
        Ok(won.len() as u64)
    }

    fn leads_to(&self, id: NodeId) -> Vec<NodeId> {
        match self.sources.get(&id) {
            Some(ProofSource::Move { to, .. }) => vec![*to],
            Some(ProofSource::Replies(replies)) => {
                let nodes = replies.iter().filter_map(|reply| match reply {
                    ReplySource::Node { node, .. } => Some(*node),
                    _ => None,
                });
                nodes.collect()
            }
            Some(ProofSource::Certificate(_)) | None => Vec::new(),
        }
    }

    fn cover(&self, id: NodeId, covered: &mut BTreeSet<NodeId>) {
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if covered.insert(id) {
                waiting.extend(self.leads_to(id));
            }
        }
    }
}

/// That a node is won, or the position after a move from it.
fn claim_of(core: &Core, node: NodeId, mv: Option<&Move>) -> Result<Claim, StoreError> {
    let known = core.node(node).zip(core.position(node));
    let Some((view, mut start)) = known else {
        return Err(damaged(format!(
            "a proof is noted for {node}, which nothing made"
        )));
    };
    if let Some(mv) = mv
        && start.play(mv).is_err()
    {
        return Err(damaged(format!("a reply at {node} cannot be played")));
    }
    Ok(Claim {
        start,
        attacker: view.attacker,
    })
}
