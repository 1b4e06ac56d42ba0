//! What follows from proofs without any search.

use gridproof_certificate::{Proof, ProofBuilder, check};
use gridproof_game::{Move, Position};

use crate::book::{Book, child_of};
use crate::entry::{BookMove, Proved};
use crate::file::BookError;
use crate::key::Key;

/// The proof of a position whose side to move plays into a position that it is proved to win.
/// `None` if the proof is of something else.
#[must_use]
pub fn proof_before(position: &Position, mv: &Move, after: &Proof) -> Option<Proof> {
    let mut builder = ProofBuilder::new(position.clone(), position.to_move());
    let then = builder.graft(after).ok()?;
    let root = builder.attack(mv.clone(), Some(then)).ok()?;
    let proof = builder.finish(root).ok()?;
    check(&proof).is_ok().then_some(proof)
}

/// An open entry whose side to move has a move that is proved to win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduction {
    /// The entry.
    pub key: Key,
    /// Its winning move.
    pub mv: BookMove,
    /// What is claimed of the position after it.
    pub after: Proved,
}

impl Deduction {
    /// The proof of the entry, from that of the position after the move, in canonical form.
    pub fn proof(&self, book: &Book, after: &Proof) -> Result<Option<Proof>, BookError> {
        let position = self.key.position(book.rules())?;
        let after = after.transformed(self.mv.symmetry.inverse());
        Ok(proof_before(&position, &self.mv.mv, &after))
    }
}

impl Book {
    /// The entries that a proof below them decides. Those that their own proofs decide in turn
    /// are found by asking again.
    pub fn deductions(&self) -> Result<Vec<Deduction>, BookError> {
        let mut found = Vec::new();
        for (key, entry) in self.entries() {
            if entry.proved().is_some() || entry.moves.is_empty() {
                continue;
            }
            let position = key.position(self.rules())?;
            for mv in &entry.moves {
                let child = self.get(&child_of(&position, mv)?);
                let proved = child.and_then(|child| child.proved());
                if let Some(after) = proved.filter(|after| after.winner == position.to_move()) {
                    found.push(Deduction {
                        key: key.clone(),
                        mv: mv.clone(),
                        after: after.clone(),
                    });
                    break;
                }
            }
        }
        Ok(found)
    }
}
