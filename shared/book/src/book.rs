use std::collections::BTreeMap;
use std::sync::Arc;

use gridproof_certificate::{ContentHash, Proof};
use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules, State, Symmetry};
use rustc_hash::FxHashSet;

use crate::entry::{BookMove, Entry, Proved, Status, Wins};
use crate::file::BookError;
use crate::key::Key;

/// A book in memory, to be changed and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    rules: Rules,
    entries: BTreeMap<Key, Entry>,
}

/// Why two pieces of knowledge do not go together.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// They are of two games.
    #[error("a book of {theirs}, and this one is of {ours}")]
    Rules {
        /// This book's.
        ours: Rules,
        /// The other's.
        theirs: Rules,
    },
    /// Both were proved.
    #[error(
        "certificates {0} and {1} prove different winners of one position: one of them is false, \
         so run `gridproof book check`"
    )]
    Contradiction(ContentHash, ContentHash),
}

impl Book {
    /// No entry yet.
    #[must_use]
    pub const fn new(rules: Rules) -> Self {
        Self {
            rules,
            entries: BTreeMap::new(),
        }
    }

    /// The game.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// How many positions it knows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it knows nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All entries, in the order of their keys.
    pub fn entries(&self) -> impl Iterator<Item = (&Key, &Entry)> {
        self.entries.iter()
    }

    /// The entry of a key, as the canonical form has it.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Takes claims of proofs back that are not believed: these positions were only played.
    /// Returns how many.
    pub fn disbelieve<E>(
        &mut self,
        mut is_believed: impl FnMut(&Key, &Proved) -> Result<bool, E>,
    ) -> Result<usize, E> {
        let mut taken_back = 0;
        for (key, entry) in &mut self.entries {
            if let Some(proved) = entry.proved()
                && !is_believed(key, proved)?
            {
                entry.status = Status::Played;
                taken_back += 1;
            }
        }
        Ok(taken_back)
    }

    /// The entry of a key, which begins empty.
    pub fn entry(&mut self, key: Key) -> &mut Entry {
        self.entries.entry(key).or_default()
    }

    /// How many entries claim a proof.
    #[must_use]
    pub fn proved(&self) -> usize {
        self.entries
            .values()
            .filter(|entry| entry.proved().is_some())
            .count()
    }

    /// Adds a game's first `turns` moves: each position on the way, and a win for its winner.
    /// A turn with null stones, or one that ends the game, ends the branch before it.
    pub fn add_game(&mut self, game: &Game, turns: usize, winner: Colour, source: &Arc<str>) {
        let moves = game.moves().iter().take(turns);
        let mut position = Position::start(self.rules);
        self.add_win(&position, winner, source);
        for mv in moves {
            let next = position.after(mv);
            if !mv.is_full() || next.state() != State::Open {
                return;
            }
            self.add_move(&position, mv);
            position = next;
            self.add_win(&position, winner, source);
        }
    }

    fn add_win(&mut self, position: &Position, winner: Colour, source: &Arc<str>) {
        let (key, _) = Key::of(position);
        let wins = self.entry(key).wins_of(source);
        *wins = wins.plus(Wins::one(winner));
    }

    /// Adds a legal move of full stones that does not end the game, and both its positions.
    /// Returns the key of the position after it.
    pub fn add_move(&mut self, position: &Position, mv: &Move) -> Key {
        let (parent, book_move, child) = canonical_move(position, mv);
        self.entry(parent).add_move(book_move);
        self.entry(child.clone());
        child
    }

    /// Notes that a proof, whose certificate has this hash, was found to hold. The proof must be
    /// of a position in canonical form.
    pub fn add_proof(&mut self, proof: &Proof, certificate: ContentHash) -> Result<(), MergeError> {
        self.check_rules(*proof.start().rules())?;
        let entry = self.entry(Key::of_canonical(proof.start()));
        let proved = Proved::by(proof, certificate);
        merge_status(&mut entry.status, Status::Proved(proved))
    }

    /// Takes in another book: wins of a source that both have are not added up, proved never
    /// yields to played, and notes are kept side by side.
    pub fn merge(&mut self, other: Self) -> Result<(), MergeError> {
        self.check_rules(other.rules)?;
        for (key, entry) in other.entries {
            self.merge_entry(key, entry)?;
        }
        Ok(())
    }

    /// Takes in one entry as [`Book::merge`] does.
    pub fn merge_entry(&mut self, key: Key, theirs: Entry) -> Result<(), MergeError> {
        let ours = self.entries.entry(key).or_default();
        for (source, wins) in theirs.wins {
            let known = ours.wins_of(&source);
            *known = known.max(wins);
        }
        merge_status(&mut ours.status, theirs.status)?;
        if !ours.note.contains(&theirs.note) {
            if !ours.note.is_empty() {
                ours.note.push('\n');
            }
            ours.note.push_str(&theirs.note);
        }
        for mv in theirs.moves {
            ours.add_move(mv);
        }
        Ok(())
    }

    fn check_rules(&self, theirs: Rules) -> Result<(), MergeError> {
        let ours = self.rules;
        if ours == theirs {
            Ok(())
        } else {
            Err(MergeError::Rules { ours, theirs })
        }
    }

    /// The entries that have a move to this one, with that move.
    pub fn parents(&self, child: &Key) -> Result<Vec<(Key, BookMove)>, BookError> {
        let stones = child.stone_count()?;
        let mut parents = Vec::new();
        for (key, entry) in &self.entries {
            if entry.moves.is_empty() || key.stone_count()? >= stones {
                continue;
            }
            let position = key.position(self.rules)?;
            if position.stone_count() + position.move_len() != stones {
                continue;
            }
            for book_move in &entry.moves {
                if child_of(&position, book_move)? == *child {
                    parents.push((key.clone(), book_move.clone()));
                }
            }
        }
        Ok(parents)
    }

    /// Forgets what lies below a proved position, for there the outcome is known: its moves, and
    /// the entries that only they led to. Entries that nothing ever led to are kept. Returns how
    /// many entries went.
    pub fn prune(&mut self) -> Result<usize, BookError> {
        let mut led_to: FxHashSet<Key> = FxHashSet::default();
        let mut children: BTreeMap<&Key, Vec<Key>> = BTreeMap::new();
        for (key, entry) in &self.entries {
            let after = children_of(self.rules, key, entry)?;
            led_to.extend(after.iter().cloned());
            if entry.proved().is_none() {
                children.insert(key, after);
            }
        }
        let mut todo: Vec<&Key> = self
            .entries
            .keys()
            .filter(|k| !led_to.contains(k))
            .collect();
        let mut kept: FxHashSet<Key> = todo.iter().map(|key| (*key).clone()).collect();
        while let Some(key) = todo.pop() {
            for child in children.get(key).into_iter().flatten() {
                if let Some((child, _)) = self.entries.get_key_value(child)
                    && kept.insert(child.clone())
                {
                    todo.push(child);
                }
            }
        }
        let before = self.entries.len();
        self.entries.retain(|key, _| kept.contains(key));
        for entry in self.entries.values_mut() {
            if entry.proved().is_some() {
                entry.moves.clear();
            }
        }
        Ok(before - self.entries.len())
    }
}

/// The keys that an entry's moves lead to.
pub(crate) fn children_of(rules: Rules, key: &Key, entry: &Entry) -> Result<Vec<Key>, BookError> {
    if entry.moves.is_empty() {
        return Ok(Vec::new());
    }
    let position = key.position(rules)?;
    let after = entry.moves.iter().map(|mv| child_of(&position, mv));
    after.collect()
}

/// The key that a move leads to. A symmetry that is not the right one leads to no entry.
pub(crate) fn child_of(position: &Position, book_move: &BookMove) -> Result<Key, BookError> {
    let mut after = position.clone();
    after.play(&book_move.mv).map_err(BookError::Move)?;
    Ok(Key::of_canonical(&after.transformed(book_move.symmetry)))
}

/// A move as its entry has it. With the keys before and after.
pub(crate) fn canonical_move(position: &Position, mv: &Move) -> (Key, BookMove, Key) {
    let (canonical, mv) = least_move(position, mv);
    let (child, symmetry) = Key::of(&canonical.after(&mv));
    (
        Key::of_canonical(&canonical),
        BookMove { mv, symmetry },
        child,
    )
}

/// A move on the position in canonical form, which comes with it: the least of those that the
/// position's own symmetries make of it.
pub(crate) fn least_move(position: &Position, mv: &Move) -> (Position, Move) {
    let rules = position.rules();
    let (canonical, symmetry) = position.canonical();
    let image = |symmetry: Symmetry| mv.map(|square| symmetry.apply(rules, square));
    let own = Symmetry::all(rules).filter(|own| is_fixed(&canonical, *own));
    let least = own.map(|own| image(symmetry.then(own))).min();
    let mv = least.expect("every board has the identity");
    (canonical, mv)
}

fn is_fixed(position: &Position, symmetry: Symmetry) -> bool {
    Colour::BOTH.into_iter().all(|colour| {
        let stones = position.stones(colour);
        symmetry.apply_to_set(position.rules(), stones) == *stones
    })
}

/// Proved before open before played. Of two proofs the one with the lesser hash stays, so that
/// the order of merging does not matter.
fn merge_status(ours: &mut Status, theirs: Status) -> Result<(), MergeError> {
    let replace = match (&*ours, &theirs) {
        (Status::Proved(a), Status::Proved(b)) => {
            if a.winner != b.winner {
                return Err(MergeError::Contradiction(a.certificate, b.certificate));
            }
            b.certificate < a.certificate
        }
        (Status::Proved(_), _) | (_, Status::Played) => false,
        (_, Status::Proved(_)) | (Status::Played, _) => true,
        (
            Status::Open { proof, disproof },
            Status::Open {
                proof: p,
                disproof: d,
            },
        ) => (proof.saturating_add(*disproof), proof) < (p.saturating_add(*d), p),
    };
    if replace {
        *ours = theirs;
    }
    Ok(())
}
