//! What moves are worth by the lines that their stones stand on. All other lines stay as they
//! are, and stones on different lines do not mind each other, so what single stones add is
//! worked out once and a pair of them costs little more than a sum.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use gridproof_game::{Colour, Square};
use gridproof_threats::patterns::{Catalogue, Connection};
use gridproof_threats::{LineId, LineRef, MAX_LINES, Shape, ThreatBoard, Windows};

use super::segments::{ByMissing, worth};
use crate::weights::{CONNECTIONS, PLAY};

/// Two opinions of the same stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Worth {
    /// By the segments through the stones.
    pub(crate) potential: i32,
    /// By the Connections that they leave both sides.
    pub(crate) connections: i32,
}

impl Add for Worth {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            potential: self.potential + other.potential,
            connections: self.connections + other.connections,
        }
    }
}

impl AddAssign for Worth {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Worth {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

/// A stone that may be placed, and what it would be worth by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stone {
    pub(crate) square: Square,
    /// Line by line.
    potential: [i32; 4],
    connections: [i32; 4],
}

impl Stone {
    pub(crate) fn worth(&self) -> Worth {
        Worth {
            potential: self.potential.iter().sum(),
            connections: self.connections.iter().sum(),
        }
    }
}

/// Judges stones of one side on one board.
#[derive(Debug)]
pub(crate) struct Lines<'a, S: Shape> {
    board: &'a ThreatBoard<S>,
    us: Colour,
    /// Where a game has none, segments are counted instead.
    types: Option<&'a Catalogue>,
    /// What Connections are worth before any stone is placed.
    before: [i32; MAX_LINES],
}

impl<'a, S: Shape> Lines<'a, S> {
    pub(crate) fn new(board: &'a ThreatBoard<S>, us: Colour, types: Option<&'a Catalogue>) -> Self {
        let mut lines = Self {
            board,
            us,
            types,
            before: [0; MAX_LINES],
        };
        for line in board.geometry().lines() {
            lines.before[line.index()] = lines.connections_with(line, 0);
        }
        lines
    }

    /// A stone on an empty square.
    pub(crate) fn stone(&self, square: Square) -> Stone {
        let lines = self.board.geometry().on_lines(square);
        let added = |at: LineRef| {
            self.connections_with(at.line, 1 << at.offset) - self.before[at.line.index()]
        };
        Stone {
            square,
            potential: lines.map(|at| self.potential_after(at, 0)),
            connections: lines.map(added),
        }
    }

    /// What two stones are worth more, or less, than each by itself.
    pub(crate) fn together(&self, first: &Stone, second: &Stone) -> Worth {
        let geometry = self.board.geometry();
        let places = geometry.on_lines(first.square).iter();
        let places = places.zip(geometry.on_lines(second.square)).enumerate();
        places
            .filter(|(_, (first, second))| {
                first.line == second.line && geometry.is_real(first.line)
            })
            .map(|(i, (&LineRef { line, offset }, &at))| {
                let (one, both) = (1 << offset, 1 << offset | 1 << at.offset);
                Worth {
                    potential: self.potential_after(at, one) - second.potential[i],
                    connections: self.connections_with(line, both)
                        - self.before[line.index()]
                        - first.connections[i]
                        - second.connections[i],
                }
            })
            .sum()
    }

    fn potential_after(&self, at: LineRef, before: u32) -> i32 {
        PLAY.potential.gain_on(self.board, at, self.us, before)
    }

    /// What a line is worth with more stones of ours, the opponent being to move.
    fn connections_with(&self, line: LineId, more: u32) -> i32 {
        let whole = self.board.geometry().whole(line);
        let own = self.board.stones_on(line, self.us) | more;
        let other = self.board.stones_on(line, self.us.other());
        match self.types {
            Some(types) => {
                self.of_types(types, own, whole & !other, &CONNECTIONS.own)
                    - self.of_types(types, other, whole & !own, &CONNECTIONS.other)
            }
            None => {
                self.of_segments(line, own, other, &PLAY.ours)
                    - self.of_segments(line, other, own, &PLAY.theirs)
            }
        }
    }

    fn of_types(&self, types: &Catalogue, stones: u32, free: u32, weights: &[i32; 12]) -> i32 {
        if stones == 0 {
            return 0;
        }
        Connection::of_line(self.board.shape().in_a_row(), stones, free)
            .map(|connection| weights[types.type_of(&connection).index()])
            .sum()
    }

    fn of_segments(&self, line: LineId, stones: u32, enemy: u32, weights: &ByMissing<i32>) -> i32 {
        let shape = self.board.shape();
        let taken = Windows::count(shape, enemy).at_least(1);
        let open = self.board.geometry().starts(line) & !taken;
        worth(shape, stones, open, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::connection_worth;
    use gridproof_game::Rules;
    use gridproof_threats::{Connect6, Geometry};
    use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
    use std::sync::Arc;

    /// The slow twin places the stones and counts the whole board.
    #[test]
    fn a_pair_of_stones_is_worth_what_the_whole_board_says() {
        let types = Catalogue::connect6();
        let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
        let mut random = StdRng::seed_from_u64(6);
        for _ in 0..200 {
            let mut board = ThreatBoard::<Connect6>::new(Arc::clone(&geometry)).unwrap();
            let mut free = || Square::new(random.random_range(5..14), random.random_range(5..14));
            for turn in 0..24 {
                let square = free();
                if board.is_empty_at(square) {
                    board.place(square, Colour::BOTH[turn % 2]);
                }
            }
            let (a, b) = (free(), free());
            if a == b || !board.is_empty_at(a) || !board.is_empty_at(b) {
                continue;
            }
            let us = Colour::White;
            let lines = Lines::new(&board, us, Some(types));
            let (first, second) = (lines.stone(a), lines.stone(b));
            let found = first.worth() + second.worth() + lines.together(&first, &second);

            let before = connection_worth(&board, us, types);
            let mut potential = PLAY.potential.gain(&board, a, us);
            board.place(a, us);
            potential += PLAY.potential.gain(&board, b, us);
            board.place(b, us);
            let after = connection_worth(&board, us, types);
            assert_eq!(found.potential, potential, "{a} {b}");
            assert_eq!(i64::from(found.connections), after - before, "{a} {b}");
        }
    }
}
