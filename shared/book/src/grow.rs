//! Where a book should grow.
//!
//! KataGo's books and Buro's expand the leaf that play most likely comes to and of which least
//! is known. So does this: the way to an entry costs the logarithm of how rarely its moves are
//! chosen, each search that was made there costs more, and the cheapest entries are next.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use gridproof_game::{Colour, Position};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::book::{Book, children_of};
use crate::entry::{Entry, Status};
use crate::file::BookError;
use crate::key::Key;

/// An entry to search next.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The position.
    pub key: Key,
    /// What leads there, and what was spent there: less is better.
    pub cost: f64,
    /// Searches that ended without a proof.
    pub searches: u32,
}

/// Cost of a search that was made in a position: as much as a move that one game in fifty chooses.
const SEARCHED: f64 = 4.0;

/// The entries to search next, the best first: positions that are not proved and are reached from
/// the empty board, or from entries that nothing leads to, without passing a proved one.
pub fn leaves(book: &Book, count: usize) -> Result<Vec<Leaf>, BookError> {
    let mut led_to: FxHashSet<Key> = FxHashSet::default();
    let mut children: FxHashMap<&Key, Vec<Key>> = FxHashMap::default();
    for (key, entry) in book.entries().filter(|(_, entry)| entry.proved().is_none()) {
        let below = children_of(book.rules(), key, entry)?;
        led_to.extend(below.iter().cloned());
        children.insert(key, below);
    }
    let mut heap = BinaryHeap::new();
    for (key, _) in book.entries().filter(|(key, _)| !led_to.contains(*key)) {
        heap.push(Reached { cost: 0.0, key });
    }
    let mut done: FxHashSet<&Key> = FxHashSet::default();
    let mut found: Vec<Leaf> = Vec::new();
    while let Some(Reached { cost, key }) = heap.pop() {
        let worst = found
            .get(count.saturating_sub(1))
            .map_or(f64::MAX, |leaf| leaf.cost);
        if cost >= worst {
            // Whatever else is reached costs more.
            break;
        }
        let Some(entry) = book.get(key).filter(|_| done.insert(key)) else {
            continue;
        };
        if entry.proved().is_some() {
            continue;
        }
        let position = key.position(book.rules())?;
        let searches = searches(entry, &position);
        let leaf = Leaf {
            key: key.clone(),
            cost: cost + SEARCHED * f64::from(searches),
            searches,
        };
        let at = found.partition_point(|other| other.cost <= leaf.cost);
        found.insert(at, leaf);
        found.truncate(count);
        let games = f64::from(entry.all_wins().games());
        for child in children.get(key).into_iter().flatten() {
            if let Some((child, below)) = book.get_key_value(child) {
                let chosen = f64::from(below.all_wins().games()).min(games);
                let cost = cost + ((games + 2.0) / (chosen + 1.0)).ln();
                heap.push(Reached { cost, key: child });
            }
        }
    }
    Ok(found)
}

/// How many searches for a win of the side to move have failed: they are what its number is
/// above one.
fn searches(entry: &Entry, position: &Position) -> u32 {
    match (&entry.status, position.to_move()) {
        (Status::Open { proof, .. }, Colour::Black) => proof.saturating_sub(1),
        (Status::Open { disproof, .. }, Colour::White) => disproof.saturating_sub(1),
        _ => 0,
    }
}

impl Entry {
    /// Notes a search for a win of the side to move that found none.
    pub fn note_search(&mut self, to_move: Colour) {
        let (mut proof, mut disproof) = match self.status {
            Status::Open { proof, disproof } => (proof, disproof),
            Status::Played => (1, 1),
            Status::Proved(_) => return,
        };
        match to_move {
            Colour::Black => proof = proof.saturating_add(1),
            Colour::White => disproof = disproof.saturating_add(1),
        }
        self.status = Status::Open { proof, disproof };
    }
}

struct Reached<'a> {
    cost: f64,
    key: &'a Key,
}

impl PartialEq for Reached<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Reached<'_> {}

impl PartialOrd for Reached<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reached<'_> {
    /// The cheapest is the greatest, for the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cost = other.cost.total_cmp(&self.cost);
        by_cost.then_with(|| other.key.cmp(self.key))
    }
}

#[cfg(test)]
mod tests {
    use gridproof_game::Rules;
    use gridproof_game::records::Game;

    use super::*;

    fn book() -> Book {
        let mut book = Book::new(Rules::CONNECT6);
        for (stones, games) in [("j10,i8,h9,k11,l10", 9), ("j10,j9,k9", 1)] {
            let game: Game = gridproof_game::read_game(stones.as_bytes()).unwrap();
            for _ in 0..games {
                book.add_game(&game, 9, Colour::Black, &"games".into());
            }
        }
        book
    }

    #[test]
    fn what_is_played_most_and_searched_least_is_next() {
        let mut book = book();
        let first = leaves(&book, 3).unwrap();
        assert_eq!(first.len(), 3);
        let start = Position::start(Rules::CONNECT6);
        assert_eq!(first[0].key, Key::of(&start).0);
        book.entry(first[0].key.clone()).note_search(Colour::Black);
        let then = leaves(&book, 9).unwrap();
        assert_ne!(then[0].key, first[0].key);
        assert_eq!(then.len(), book.len(), "all are open");
        let rare = then.last().unwrap();
        let often_played = book.get(&rare.key).unwrap().all_wins().games() > 1;
        assert!(!often_played || rare.searches > 0);
    }
}
