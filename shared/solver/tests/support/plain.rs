//! A plain search for wins by fours and threes in five-in-a-row: arrays, no tables, no zones, no
//! proof. What it finds is a forced win; that is all it is good for.

use gridproof_game::{Colour, Position, Square};

const NONE: u8 = 2;
const WAYS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

pub(crate) struct Plain {
    cells: Vec<u8>,
    columns: i32,
    rows: i32,
    k: i32,
    attacker: u8,
    pub(crate) nodes: u64,
    most: u64,
}

type Cell = (i32, i32);

impl Plain {
    pub(crate) fn new(position: &Position, most: u64) -> Self {
        let rules = position.rules();
        let (columns, rows) = (i32::from(rules.columns()), i32::from(rules.rows()));
        let mut plain = Self {
            cells: vec![NONE; (columns * rows) as usize],
            columns,
            rows,
            k: i32::from(rules.in_a_row()),
            attacker: position.to_move() as u8,
            nodes: 0,
            most,
        };
        for colour in Colour::BOTH {
            for square in position.stones(colour).iter() {
                let cell = (i32::from(square.column()), i32::from(square.row()));
                plain.set(cell, colour as u8);
            }
        }
        plain
    }

    /// Whether the side to move wins by fours, and by fours and threes.
    pub(crate) fn wins(&mut self, deepest: u32) -> bool {
        (1..=deepest).any(|depth| self.nodes < self.most && self.threes(depth))
    }

    fn at(&self, (x, y): Cell) -> Option<u8> {
        let inside = x >= 0 && y >= 0 && x < self.columns && y < self.rows;
        inside.then(|| self.cells[(y * self.columns + x) as usize])
    }

    fn set(&mut self, (x, y): Cell, stone: u8) {
        self.cells[(y * self.columns + x) as usize] = stone;
    }

    fn completes(&self, cell: Cell, side: u8) -> bool {
        WAYS.iter().any(|&(dx, dy)| {
            let run = |sign: i32| {
                (1..self.k)
                    .take_while(|i| {
                        self.at((cell.0 + sign * i * dx, cell.1 + sign * i * dy)) == Some(side)
                    })
                    .count() as i32
            };
            1 + run(1) + run(-1) >= self.k
        })
    }

    fn empties(&self) -> Vec<Cell> {
        let cells = (0..self.rows).flat_map(|y| (0..self.columns).map(move |x| (x, y)));
        cells.filter(|&cell| self.at(cell) == Some(NONE)).collect()
    }

    /// Squares where a side completes a line.
    fn completing(&self, side: u8) -> Vec<Cell> {
        let mut found = self.empties();
        found.retain(|&cell| self.completes(cell, side));
        found
    }

    /// Whether a side has so many stones or more, and else only empty squares, on a segment
    /// through a square.
    fn has_segment(&self, cell: Cell, side: u8, least: i32) -> bool {
        WAYS.iter().any(|&(dx, dy)| {
            (0..self.k).any(|back| {
                let mut own = 0;
                for i in 0..self.k {
                    match self.at((cell.0 + (i - back) * dx, cell.1 + (i - back) * dy)) {
                        Some(NONE) => {}
                        Some(stone) if stone == side => own += 1,
                        _ => return false,
                    }
                }
                own >= least
            })
        })
    }

    fn is_over(&self) -> bool {
        self.nodes >= self.most
    }

    /// The square that must be blocked: none, one, or too many.
    fn danger(&self) -> Result<Option<Cell>, ()> {
        match self.completing(1 - self.attacker)[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => Err(()),
        }
    }

    fn moves(&self, least: i32) -> Vec<Cell> {
        match self.danger() {
            Err(()) => Vec::new(),
            Ok(Some(block)) => vec![block],
            Ok(None) => {
                let mut moves = self.empties();
                moves.retain(|&cell| self.has_segment(cell, self.attacker, least));
                moves
            }
        }
    }

    fn fours(&mut self, depth: u32) -> bool {
        self.nodes += 1;
        let (us, them) = (self.attacker, 1 - self.attacker);
        if !self.completing(us).is_empty() {
            return true;
        }
        if depth == 0 || self.is_over() {
            return false;
        }
        for cell in self.moves(self.k - 2) {
            self.set(cell, us);
            let won = match self.completing(us)[..] {
                [] => false,
                [reply] => {
                    self.set(reply, them);
                    let won = self.fours(depth - 1);
                    self.set(reply, NONE);
                    won
                }
                _ => true,
            };
            self.set(cell, NONE);
            if won {
                return true;
            }
        }
        false
    }

    fn threes(&mut self, depth: u32) -> bool {
        if self.fours(10) {
            return true;
        }
        if depth == 0 || self.is_over() {
            return false;
        }
        let (us, them) = (self.attacker, 1 - self.attacker);
        for cell in self.moves(self.k - 3) {
            self.set(cell, us);
            let won = match self.completing(us)[..] {
                [] => self.three_wins(depth),
                [reply] => {
                    self.set(reply, them);
                    let won = self.threes(depth - 1);
                    self.set(reply, NONE);
                    won
                }
                _ => true,
            };
            self.set(cell, NONE);
            if won {
                return true;
            }
        }
        false
    }

    /// A move of two ways to complete a line at once, if the attacker has one.
    fn has_straight_four(&mut self) -> bool {
        let us = self.attacker;
        let mut moves = self.empties();
        moves.retain(|&cell| self.has_segment(cell, us, self.k - 2));
        moves.into_iter().any(|cell| {
            self.set(cell, us);
            let ways = self.completing(us).len();
            self.set(cell, NONE);
            ways > 1
        })
    }

    /// A move stands that threatens a straight four, if it does: whether all replies lose.
    fn three_wins(&mut self, depth: u32) -> bool {
        let them = 1 - self.attacker;
        if !self.completing(them).is_empty() || !self.has_straight_four() {
            return false;
        }
        // Others neither take a square of a line that is to become a four nor make one.
        let mut replies = self.empties();
        let four = self.k - 2;
        let us = self.attacker;
        replies
            .retain(|&cell| self.has_segment(cell, us, four) || self.has_segment(cell, them, four));
        for reply in replies {
            self.set(reply, them);
            let stops = !self.completing(them).is_empty() || !self.has_straight_four();
            let lost = !stops || self.threes(depth - 1);
            self.set(reply, NONE);
            if !lost {
                return false;
            }
        }
        true
    }
}

/// Four stones of either side near the middle of a board, Black to move, and no line about to be
/// completed.
pub(crate) fn random_position(
    rules: gridproof_game::Rules,
    rng: &mut rand::rngs::StdRng,
) -> Position {
    use rand::seq::SliceRandom;
    let centre = rules.centre();
    let near = |a: u8, b: u8| a.abs_diff(b) <= 3;
    let mut squares: Vec<Square> = rules
        .squares()
        .filter(|s| near(s.column(), centre.column()) && near(s.row(), centre.row()))
        .collect();
    squares.shuffle(rng);
    let [black, white] = [&squares[..4], &squares[4..8]].map(|set| set.iter().copied().collect());
    Position::of_stones(rules, &black, &white, Colour::Black).expect("four stones of either side")
}
