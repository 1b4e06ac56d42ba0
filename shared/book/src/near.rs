//! Where a proof is near.

use gridproof_game::{Colour, Position};

use crate::book::{Book, child_of};
use crate::entry::{Entry, Status};
use crate::file::BookError;
use crate::key::Key;

/// An open entry that a search may prove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearProof {
    /// The position, whose side to move is thought to lose.
    pub key: Key,
    /// Who is thought to win.
    pub attacker: Colour,
    /// Searches that ended without a proof.
    pub searches: u32,
}

/// The entries where a proof is nearest, the nearest first: those with moves that are proved to
/// lose. Each further move that is not, and each search in vain, puts an entry off; of equals the
/// one that was played most comes first.
pub fn near_proofs(book: &Book, count: usize) -> Result<Vec<NearProof>, BookError> {
    let mut found = Vec::new();
    for (key, entry) in book.entries() {
        if entry.proved().is_some() || entry.moves.is_empty() {
            continue;
        }
        let position = key.position(book.rules())?;
        let attacker = position.to_move().other();
        let lost = lost_moves(book, &position, entry)?;
        if lost == 0 {
            continue;
        }
        let searches = entry.searches(attacker);
        let open = (entry.moves.len() - lost) as u32;
        let distance = open.saturating_add(2 * searches);
        let games = entry.all_wins().games();
        let near = NearProof {
            key: key.clone(),
            attacker,
            searches,
        };
        found.push((distance, std::cmp::Reverse(games), near));
    }
    found.sort_by(|a, b| (a.0, a.1, &a.2.key).cmp(&(b.0, b.1, &b.2.key)));
    found.truncate(count);
    Ok(found.into_iter().map(|(.., near)| near).collect())
}

fn lost_moves(book: &Book, position: &Position, entry: &Entry) -> Result<usize, BookError> {
    let mut lost = 0;
    for mv in &entry.moves {
        let child = book.get(&child_of(position, mv)?);
        let proved = child.and_then(|child| child.proved());
        lost += usize::from(proved.is_some_and(|proved| proved.winner != position.to_move()));
    }
    Ok(lost)
}

impl Entry {
    /// How many searches for a side's win have failed: they are what its number is above one.
    #[must_use]
    pub const fn searches(&self, attacker: Colour) -> u32 {
        match (&self.status, attacker) {
            (Status::Open { proof, .. }, Colour::Black) => proof.saturating_sub(1),
            (Status::Open { disproof, .. }, Colour::White) => disproof.saturating_sub(1),
            _ => 0,
        }
    }

    /// Notes a search for a side's win that found none.
    pub fn note_search(&mut self, attacker: Colour) {
        let (mut proof, mut disproof) = match self.status {
            Status::Open { proof, disproof } => (proof, disproof),
            Status::Played => (1, 1),
            Status::Proved(_) => return,
        };
        match attacker {
            Colour::Black => proof = proof.saturating_add(1),
            Colour::White => disproof = disproof.saturating_add(1),
        }
        self.status = Status::Open { proof, disproof };
    }
}

#[cfg(test)]
mod tests {
    use gridproof_certificate::ContentHash;
    use gridproof_game::Rules;

    use super::*;
    use crate::entry::Proved;

    #[test]
    fn the_turn_before_a_proved_win_comes_first_until_it_was_searched_in_vain() {
        let mut book = Book::new(Rules::CONNECT6);
        for stones in ["j10,i8,h9,k11,l10,k9,k10", "j10,j9,k9,k11,l10,k12,l12"] {
            let game = gridproof_game::read_game(stones.as_bytes()).unwrap();
            book.add_game(&game, 9, Colour::Black, &"games".into());
            let (end, _) = Key::of(game.position());
            book.entry(end).status = Status::Proved(Proved {
                winner: Colour::Black,
                certificate: ContentHash([1; 32]),
                mv: None,
            });
        }
        let near = near_proofs(&book, 9).unwrap();
        assert_eq!(near.len(), 2);
        assert!(near.iter().all(|near| near.attacker == Colour::Black));
        book.entry(near[0].key.clone()).note_search(Colour::Black);
        let then = near_proofs(&book, 9).unwrap();
        assert_eq!((then[0].searches, then[1].searches), (0, 1));
        assert_eq!(then[1].key, near[0].key);
    }
}
