//! A book as an SGF tree, and trees of others as books.
//!
//! Each node is a position; a position that several moves lead to has its continuations at the
//! first of them. Our own trees carry each entry in the property `GP` and read back as they
//! were. In trees of others every turn becomes an entry that was only played, and comments
//! become notes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gridproof_game::records::{GameTree, RecordError, read_tree};
use gridproof_game::{Colour, Move, Position, State, Symmetry};
use rustc_hash::FxHashSet;

use crate::book::{Book, MergeError, canonical_move, child_of, children_of};
use crate::entry::{Entry, Status};
use crate::file::BookError;
use crate::json::Facts;
use crate::key::Key;

/// The property of the root that tells our trees from others, and its value.
const OURS: (&str, &str) = ("GPB", "1");
/// The property that holds an entry.
const ENTRY: &str = "GP";

/// Why a tree is no book.
#[derive(Debug, thiserror::Error)]
pub enum SgfError {
    /// It is no SGF, or breaks a rule.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// An entry in it cannot be understood.
    #[error("an entry of the tree is damaged: {0}")]
    Entry(String),
    /// Two entries contradict each other.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

/// Writes a book as one SGF tree.
pub fn write_sgf(book: &Book) -> Result<String, BookError> {
    let rules = book.rules();
    let mut led_to = BTreeSet::new();
    for (key, entry) in book.entries() {
        led_to.extend(children_of(rules, key, entry)?);
    }
    let start = Key::of(&Position::start(rules)).0;
    let mut tree = Tree {
        book,
        text: String::new(),
        seen: FxHashSet::default(),
    };
    let (name, value) = OURS;
    let [columns, rows] = [rules.columns(), rules.rows()];
    write!(
        tree.text,
        "(;FF[4]CA[UTF-8]AP[gridproof]SZ[{columns}:{rows}]RU[{rules}]{name}[{value}]"
    )
    .expect("a string takes all that is written to it");
    tree.put_below(&start)?;
    let roots = book.entries().map(|(key, _)| key);
    for key in roots.filter(|key| **key != start && !led_to.contains(*key)) {
        tree.put_root(key)?;
    }
    // What is left is led to only by what lies in a circle or below something of its kind; there
    // are no circles in a game, but a book made by hand may lack an entry on the way.
    for (key, _) in book.entries() {
        if *key != start && !tree.seen.contains(key) {
            tree.put_root(key)?;
        }
    }
    tree.text.push_str(")\n");
    Ok(tree.text)
}

struct Tree<'a> {
    book: &'a Book,
    text: String,
    seen: FxHashSet<Key>,
}

enum Step {
    Visit {
        key: Key,
        /// From the tree's board to the canonical form.
        symmetry: Symmetry,
        mv: Move,
        colour: Colour,
    },
    Close,
}

impl Tree<'_> {
    /// A variation that leads to a position by any moves, and then all below it.
    fn put_root(&mut self, key: &Key) -> Result<(), BookError> {
        let position = key.position(self.book.rules())?;
        self.text.push('(');
        for (mv, colour) in any_way_to(&position) {
            self.put_move(&mv, colour);
        }
        self.put_below(key)?;
        self.text.push(')');
        Ok(())
    }

    /// An entry at the node just written, and all its continuations.
    fn put_below(&mut self, key: &Key) -> Result<(), BookError> {
        let mut steps = Vec::new();
        self.put_entry(key, Symmetry::IDENTITY, &mut steps)?;
        while let Some(step) = steps.pop() {
            match step {
                Step::Close => self.text.push(')'),
                Step::Visit {
                    key,
                    symmetry,
                    mv,
                    colour,
                } => {
                    self.text.push('(');
                    self.put_move(&mv, colour);
                    steps.push(Step::Close);
                    self.put_entry(&key, symmetry, &mut steps)?;
                }
            }
        }
        Ok(())
    }

    fn put_entry(
        &mut self,
        key: &Key,
        symmetry: Symmetry,
        steps: &mut Vec<Step>,
    ) -> Result<(), BookError> {
        let Some(entry) = self.book.get(key) else {
            return Ok(());
        };
        let rules = self.book.rules();
        let back = symmetry.inverse();
        let image = |mv: &Move| mv.map(|square| back.apply(&rules, square));
        let facts = serde_json::to_string(&Facts::of(entry, image));
        let facts = facts.map_err(|error| BookError::damaged(error.to_string()))?;
        let words = in_words(entry);
        for (name, value) in [(ENTRY, &facts), ("C", &words)] {
            let value = value.replace('\\', "\\\\").replace(']', "\\]");
            self.text.extend([name, "[", &value, "]"]);
        }
        if !self.seen.insert(key.clone()) {
            return Ok(());
        }
        let position = key.position(rules)?;
        for book_move in entry.moves.iter().rev() {
            steps.push(Step::Visit {
                key: child_of(&position, book_move)?,
                symmetry: symmetry.then(book_move.symmetry),
                mv: image(&book_move.mv),
                colour: position.to_move(),
            });
        }
        Ok(())
    }

    fn put_move(&mut self, mv: &Move, colour: Colour) {
        let stones = mv.stones().iter();
        let stones: String = stones
            .map(|square| square.to_string().to_lowercase())
            .collect();
        let letter = colour.letter();
        write!(self.text, "\n;{letter}[{stones}]")
            .expect("a string takes all that is written to it");
    }
}

/// Turns that lead to a position, in the order of its squares.
fn any_way_to(position: &Position) -> Vec<(Move, Colour)> {
    let mut left = Colour::BOTH.map(|colour| position.stones(colour).iter());
    let mut before = Position::start(*position.rules());
    let mut moves = Vec::new();
    while before.stone_count() < position.stone_count() {
        let colour = before.to_move();
        let stones: Vec<_> = left[colour.index()]
            .by_ref()
            .take(before.move_len())
            .collect();
        let mv = Move::full(stones);
        // Fewer stones than the position's make no line that the position has not.
        if before.play(&mv).is_err() {
            break;
        }
        moves.push((mv, colour));
    }
    moves
}

fn in_words(entry: &Entry) -> String {
    let wins = entry.all_wins();
    let mut words = format!("Black won {}, White {}.", wins.black, wins.white);
    match &entry.status {
        Status::Played => {}
        Status::Open { proof, disproof } => {
            words += &format!(" Open: {proof} to prove, {disproof} to disprove.");
        }
        Status::Proved(proved) => words += &format!(" Proved: {} wins.", proved.winner),
    }
    if !entry.note.is_empty() {
        words = format!("{words}\n{}", entry.note);
    }
    words
}

/// Reads an SGF tree as a book. Proofs are claims: nothing is checked.
pub fn read_sgf(bytes: &[u8]) -> Result<Book, SgfError> {
    let tree = read_tree(bytes)?;
    let (name, value) = OURS;
    let ours = tree.nodes[0].property(name) == Some(value);
    let mut book = Book::new(tree.rules);
    let positions = positions(&tree);
    let is_entry = |node: usize| !ours || tree.nodes[node].property(ENTRY).is_some();
    for (number, node) in tree.nodes.iter().enumerate() {
        let Some(position) = &positions[number] else {
            continue;
        };
        if !is_entry(number) {
            continue;
        }
        let (key, _) = Key::of(position);
        let entry = if ours {
            let text = node.property(ENTRY).unwrap_or_default();
            let facts: Facts =
                serde_json::from_str(text).map_err(|error| SgfError::Entry(error.to_string()))?;
            facts.entry(position).map_err(SgfError::Entry)?
        } else {
            Entry {
                note: node.property("C").unwrap_or_default().trim().to_owned(),
                ..Entry::default()
            }
        };
        book.merge_entry(key, entry)?;
        if let Some(parent) = node.parent
            && is_entry(parent)
            && let Some(before) = &positions[parent]
        {
            let (before, book_move, _) = canonical_move(before, &node.mv);
            book.entry(before).add_move(book_move);
        }
    }
    Ok(book)
}

/// The position of each node; `None` for those that a book does not hold: the game is over
/// there, or null stones lie on the way.
fn positions(tree: &GameTree) -> Vec<Option<Position>> {
    let mut positions: Vec<Option<Position>> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let position = match node.parent {
            None => Some(Position::start(tree.rules)),
            Some(parent) => positions[parent]
                .as_ref()
                .filter(|_| node.mv.is_full())
                .map(|before| before.after(&node.mv))
                .filter(|after| after.state() == State::Open),
        };
        positions.push(position);
    }
    positions
}
