use std::sync::Arc;

use gridproof_certificate::{ContentHash, Proof};
use gridproof_game::{Colour, Move, Rules, Symmetry};

use crate::book::least_move;

/// What the book knows of one position.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Entry {
    /// Games won by either side that passed here, by source; the sources in ascending order.
    pub wins: Vec<(Arc<str>, Wins)>,
    /// What is known of the winner.
    pub status: Status,
    /// Words of a person.
    pub note: String,
    /// Moves that lead to other entries, in ascending order.
    pub moves: Vec<BookMove>,
}

/// Games that each side won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Wins {
    /// Black's.
    pub black: u32,
    /// White's.
    pub white: u32,
}

/// What is known of the winner.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Status {
    /// Nothing: it was only played.
    #[default]
    Played,
    /// It was searched for a proof and not settled.
    Open {
        /// How far a proof of Black's win is.
        proof: u32,
        /// How far the opposite is.
        disproof: u32,
    },
    /// A certificate proves who wins. Whether it does is for the reader to check.
    Proved(Proved),
}

/// The claim that a certificate proves who wins a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// Who wins.
    pub winner: Colour,
    /// The proof of the position in canonical form.
    pub certificate: ContentHash,
    /// The proof's first move, when it is the winner's turn, or what the position's own
    /// symmetries make of it: the least of these.
    pub mv: Option<Move>,
}

impl Proved {
    /// What a proof of a position in canonical form claims, with the hash of its certificate.
    #[must_use]
    pub fn by(proof: &Proof, certificate: ContentHash) -> Self {
        Self {
            winner: proof.attacker(),
            certificate,
            mv: proof.first_move().map(|mv| least_move(proof.start(), mv).1),
        }
    }
}

/// A move to another entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BookMove {
    /// The stones.
    pub mv: Move,
    /// Takes the position after the move to its canonical form.
    pub symmetry: Symmetry,
}

impl Wins {
    /// One win of a side.
    #[must_use]
    pub const fn one(winner: Colour) -> Self {
        match winner {
            Colour::Black => Self { black: 1, white: 0 },
            Colour::White => Self { black: 0, white: 1 },
        }
    }

    /// The wins of a side.
    #[must_use]
    pub const fn of(self, colour: Colour) -> u32 {
        match colour {
            Colour::Black => self.black,
            Colour::White => self.white,
        }
    }

    /// All games.
    #[must_use]
    pub const fn games(self) -> u32 {
        self.black.saturating_add(self.white)
    }

    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            black: self.black.saturating_add(other.black),
            white: self.white.saturating_add(other.white),
        }
    }

    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            black: self.black.max(other.black),
            white: self.white.max(other.white),
        }
    }
}

impl Entry {
    /// The wins of all sources together.
    #[must_use]
    pub fn all_wins(&self) -> Wins {
        let each = self.wins.iter().map(|(_, wins)| *wins);
        each.fold(Wins::default(), Wins::plus)
    }

    /// The wins of one source.
    #[must_use]
    pub fn wins_from(&self, source: &str) -> Wins {
        let found = self.wins.iter().find(|(known, _)| **known == *source);
        found.map_or_else(Wins::default, |(_, wins)| *wins)
    }

    /// Who is claimed to win, and by which certificate.
    #[must_use]
    pub const fn proved(&self) -> Option<&Proved> {
        match &self.status {
            Status::Proved(proved) => Some(proved),
            _ => None,
        }
    }

    /// The wins of a source, which begin with none.
    pub(crate) fn wins_of(&mut self, source: &Arc<str>) -> &mut Wins {
        let at = match self.wins.binary_search_by(|(known, _)| known.cmp(source)) {
            Ok(at) => at,
            Err(at) => {
                self.wins.insert(at, (source.clone(), Wins::default()));
                at
            }
        };
        &mut self.wins[at].1
    }

    /// Adds a move; returns whether it is new.
    pub(crate) fn add_move(&mut self, mv: BookMove) -> bool {
        match self.moves.binary_search(&mv) {
            Ok(_) => false,
            Err(at) => {
                self.moves.insert(at, mv);
                true
            }
        }
    }

    /// The entry on the board turned or mirrored. The moves' symmetries begin from there.
    #[must_use]
    pub fn transformed(&self, rules: &Rules, symmetry: Symmetry) -> Self {
        let image = |mv: &Move| mv.map(|square| symmetry.apply(rules, square));
        let mut turned = self.clone();
        for book_move in &mut turned.moves {
            book_move.mv = image(&book_move.mv);
            book_move.symmetry = symmetry.inverse().then(book_move.symmetry);
        }
        turned.moves.sort();
        if let Status::Proved(Proved { mv: Some(mv), .. }) = &mut turned.status {
            *mv = image(mv);
        }
        turned
    }
}
