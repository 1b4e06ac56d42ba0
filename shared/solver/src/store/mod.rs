//! Proofs that were made before, found again for the positions that they fit.
//!
//! A proof fits a position with the same stones of the attacker, turned or mirrored as may be,
//! if its zone excuses the stones that the defender has more; what the defender has less never
//! hurts the attacker. A proof of the very same position is turned and used. Any other is
//! followed move by move on the new board, which makes a proof of the new position without a
//! search, and the checker has the last word on it: a proof that fits wrongly costs time, never
//! a false win.

mod follow;
mod shelf;

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::check;
use gridproof_game::{Colour, Position, SquareSet, Symmetry};
use gridproof_threats::{Shape, ThreatBoard};
use rustc_hash::FxHashMap;

use crate::limits::Cancel;
use crate::mutation::{Rule, holds};
use crate::proved::Proved;
use crate::zone::Stones;
use follow::follow;
use shelf::{Shelf, Way};

/// Proofs of earlier positions. The oldest make room for new ones.
#[derive(Debug)]
pub struct ProofStore {
    shelves: FxHashMap<Shelf, VecDeque<Stored>>,
    /// The shelves of all proofs, oldest first.
    arrivals: VecDeque<Shelf>,
    nodes: usize,
    most_nodes: usize,
    counts: StoreCounts,
}

/// What a store was good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreCounts {
    /// Positions that somebody asked about.
    pub asked: u64,
    /// Of these, the ones that were known, turned or mirrored as may be.
    pub same: u64,
    /// The ones that the proof of another position answered, and the checker agreed.
    pub fitted: u64,
    /// Proofs that fitted, but could not be followed or were refused.
    pub failed: u64,
}

#[derive(Debug)]
struct Stored {
    proved: Proved,
    /// From the proof's position to the shelf.
    way: Way,
    /// The defender's stones, as they lie on the shelf.
    defender: SquareSet,
}

/// Larger proofs are not followed: searches are to stop soon when they are told to.
const MOST_FOLLOWED: usize = 1 << 14;

impl Default for ProofStore {
    /// Some hundred megabytes at most.
    fn default() -> Self {
        Self::of_nodes(1 << 20)
    }
}

impl ProofStore {
    /// A store for proofs of so many nodes together, their zones counted as some nodes more.
    #[must_use]
    pub fn of_nodes(most_nodes: usize) -> Self {
        Self {
            shelves: FxHashMap::default(),
            arrivals: VecDeque::new(),
            nodes: 0,
            most_nodes,
            counts: StoreCounts::default(),
        }
    }

    #[must_use]
    pub const fn counts(&self) -> StoreCounts {
        self.counts
    }

    /// What all proofs in the store take, in nodes.
    #[must_use]
    pub const fn nodes(&self) -> usize {
        self.nodes
    }

    /// Takes a proof in. Whoever made it answers for it.
    pub(crate) fn keep(&mut self, proved: &Proved) {
        let proof = &proved.proof;
        let nodes = in_nodes(proved);
        if nodes > self.most_nodes {
            return;
        }
        let (shelf, ways) = Shelf::of(proof.start(), proof.attacker());
        let way = ways[0];
        let defender = proof.start().stones(proof.attacker().other());
        let stored = Stored {
            proved: proved.clone(),
            way,
            defender: way.apply_to_set(proof.start().rules(), defender),
        };
        let on_shelf = self.shelves.entry(shelf).or_default();
        if on_shelf.iter().any(|old| old.defender == stored.defender) {
            return;
        }
        on_shelf.push_back(stored);
        self.arrivals.push_back(shelf);
        self.nodes += nodes;
        while self.nodes > self.most_nodes {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let oldest = self.arrivals.pop_front().expect("every proof arrived");
        let on_shelf = self.shelves.get_mut(&oldest).expect("it has its shelf");
        // Proofs stand on each shelf in the order in which they came.
        let gone = on_shelf.pop_front().expect("it is still there");
        self.nodes -= in_nodes(&gone.proved);
        if on_shelf.is_empty() {
            self.shelves.remove(&oldest);
        }
    }

    /// A proof of the position, which stands on the board, if an earlier one gives it.
    pub(crate) fn recall<S: Shape>(
        &mut self,
        board: &mut ThreatBoard<S>,
        position: &Position,
        attacker: Colour,
        cancel: &Cancel,
    ) -> Option<Proved> {
        self.counts.asked += 1;
        let (fit, Proved { proof, zone, order }, turn) = self.find(board, position, attacker)?;
        let found = match fit {
            Fit::Same if turn == Symmetry::IDENTITY => (proof, zone),
            Fit::Same => {
                let zone = zone.transformed(board.geometry(), turn);
                (Arc::new(proof.transformed(turn)), Rc::new(zone))
            }
            Fit::Like => {
                let proof = proof.transformed(turn);
                let followed = follow(&proof, board, position, cancel);
                let accepted = followed.filter(|(proof, _)| check(proof).is_ok());
                self.counts.failed += u64::from(accepted.is_none());
                let (proof, zone) = accepted?;
                (Arc::new(proof), zone)
            }
        };
        match fit {
            Fit::Same => self.counts.same += 1,
            Fit::Like => self.counts.fitted += 1,
        }
        let (proof, zone) = found;
        debug_assert!(proof.start() == position);
        Some(Proved { proof, zone, order })
    }

    /// The proof of the very position if there is one, else the oldest that fits.
    fn find<S: Shape>(
        &self,
        board: &ThreatBoard<S>,
        position: &Position,
        attacker: Colour,
    ) -> Option<(Fit, Proved, Symmetry)> {
        let (shelf, ways) = Shelf::of(position, attacker);
        let on_shelf = self.shelves.get(&shelf)?;
        let rules = position.rules();
        let mut like = None;
        for way in ways {
            let defender = way.apply_to_set(rules, position.stones(attacker.other()));
            let found = |fit, stored: &Stored| {
                let turn = stored.way.then(way.inverse());
                Some((fit, stored.proved.clone(), turn))
            };
            let same = on_shelf.iter().find(|stored| stored.defender == defender);
            if let Some(stored) = same {
                return found(Fit::Same, stored);
            }
            like = like.or_else(|| {
                let fits = |stored: &&Stored| stored.fits(board, &defender);
                found(Fit::Like, on_shelf.iter().find(fits)?)
            });
        }
        like
    }
}

/// What a proof takes in the store. Its zone is some kilobytes, so that many small proofs are not
/// for nothing.
fn in_nodes(proved: &Proved) -> usize {
    const ZONE: usize = 32;
    proved.proof.len() + ZONE
}

/// How a stored proof is one of the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// Once it is turned.
    Same,
    /// Once it is followed there.
    Like,
}

impl Stored {
    /// Whether the zone excuses what the defender has more, as it lies on the shelf.
    fn fits<S: Shape>(&self, board: &ThreatBoard<S>, defender: &SquareSet) -> bool {
        if self.proved.proof.len() > MOST_FOLLOWED {
            return false;
        }
        let back = self.way.inverse();
        let more = defender.difference(&self.defender);
        let extra: Stones = more
            .iter()
            .map(|square| back.apply(board.rules(), square))
            .collect();
        !holds(Rule::StoredProofFits)
            || self
                .proved
                .zone
                .excuses(board.shape(), board.geometry(), &extra)
    }
}
