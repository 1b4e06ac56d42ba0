//! What every empty square would be to each side, kept up to date stone by stone.
//!
//! A square is graded in each direction by the open segments through it: how near the best of
//! them are to a threat, and how many there are of those. The four grades together name its
//! *shape*. Sums over the shapes of all empty squares judge a position, and the shapes of one
//! square say how good a half-move is.

use gridproof_game::{Colour, Square};
use gridproof_threats::windows::{all_cells, covering};
use gridproof_threats::{LineId, LineRef, Shape, ThreatBoard, Windows};

use super::model::{Model, ShapeWorth};

/// Grades of a square in one direction.
pub(crate) const GRADES: usize = 17;
/// Shapes: a grade for each direction.
pub(crate) const SHAPES: usize = GRADES.pow(4);
/// What one direction's grade counts in the number of a shape.
const PLACE: [u32; 4] = [1, 17, 17 * 17, 17 * 17 * 17];
/// How far open segments may be from a threat and still be told apart.
const LEVELS: usize = 5;

/// By level and by the number of segments: the grade.
const GRADE: [[u8; 8]; LEVELS] = [
    [0, 15, 16, 16, 16, 16, 16, 16],
    [0, 11, 12, 13, 14, 14, 14, 14],
    [0, 7, 8, 9, 10, 10, 10, 10],
    [0, 3, 4, 5, 6, 6, 6, 6],
    [0, 1, 1, 1, 2, 2, 2, 2],
];

/// One side's open segments on a line, by how many stones they are short of a threat: none, one,
/// two, three, or more.
struct Levels([u32; LEVELS]);

impl Levels {
    #[inline(always)]
    fn of<S: Shape>(board: &ThreatBoard<S>, line: LineId, colour: Colour) -> Self {
        let shape = board.shape();
        let open = board.open_on(line, colour);
        let windows = Windows::count(shape, board.stones_on(line, colour));
        let threat = shape.in_a_row() as i32 - shape.stones_per_turn() as i32;
        let mut found = [0; LEVELS];
        let mut nearer = 0;
        for (level, segments) in (0..).zip(&mut found[..LEVELS - 1]) {
            let least = threat - level;
            let enough = if least > 0 {
                windows.at_least(least) & open
            } else {
                open
            };
            *segments = enough & !nearer;
            nearer = enough;
        }
        found[LEVELS - 1] = open & !nearer;
        Self(found)
    }

    #[inline(always)]
    fn grade(&self, through: u32) -> u8 {
        for (segments, grades) in self.0.iter().zip(&GRADE) {
            let here = segments & through;
            if here != 0 {
                return grades[here.count_ones().min(7) as usize];
            }
        }
        0
    }
}

/// The shape of a square to one side: four grades, the number that they make, and what the model
/// says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    grades: [u8; 4],
    shape: u32,
    worth: ShapeWorth,
}

impl Cell {
    #[inline(always)]
    fn set(&mut self, direction: usize, grade: u8) {
        let change = i32::from(grade) - i32::from(self.grades[direction]);
        self.shape = self
            .shape
            .wrapping_add_signed(change * PLACE[direction] as i32);
        self.grades[direction] = grade;
    }
}

/// Sums over a side's shapes of the empty squares: what they are worth when it is to move, and
/// when the other is.
type Sums = [[i32; 2]; 2];

/// The shapes of all squares to both sides, and their sums.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    model: &'static Model,
    cells: [Box<[Cell]>; 2],
    sums: Sums,
    /// Cells as they were before stones that can be taken back.
    changed: Vec<(Colour, Square, Cell)>,
    stones: Vec<(usize, Sums)>,
}

impl Cells {
    /// The cells of a board, worked out from nothing.
    pub(crate) fn of<S: Shape>(board: &ThreatBoard<S>, model: &'static Model) -> Self {
        let none = || vec![Cell::default(); Square::COUNT].into_boxed_slice();
        let mut cells = Self {
            model,
            cells: [none(), none()],
            sums: Sums::default(),
            changed: Vec::new(),
            stones: Vec::new(),
        };
        let geometry = board.geometry();
        for colour in Colour::BOTH {
            for line in geometry.lines() {
                let levels = Levels::of(board, line, colour);
                let direction = geometry.direction(line) as usize;
                for offset in 0..geometry.length(line) {
                    let grade = levels.grade(covering(board.shape(), offset));
                    let square = geometry.square(line, offset);
                    cells.cells[colour.index()][square.index()].set(direction, grade);
                }
            }
            for cell in &mut cells.cells[colour.index()] {
                cell.worth = model.shapes[cell.shape as usize];
            }
            for square in board.empties().iter() {
                let worth = cells.cells[colour.index()][square.index()].worth;
                cells.add(colour, &worth, 1);
            }
        }
        cells
    }

    #[inline(always)]
    fn add(&mut self, colour: Colour, worth: &ShapeWorth, times: i32) {
        for (sum, value) in self.sums[colour.index()].iter_mut().zip(&worth.values) {
            *sum += times * value;
        }
    }

    /// A square's grades to a side, direction by direction.
    pub(crate) fn grades(&self, square: Square, colour: Colour) -> [u8; 4] {
        self.cells[colour.index()][square.index()].grades
    }

    /// How good a half-move is for a side.
    #[inline(always)]
    pub(crate) fn half_move(&self, square: Square, us: Colour) -> i32 {
        let of = |side: Colour| &self.cells[side.index()][square.index()].worth;
        of(us).choices[0] + of(us.other()).choices[1]
    }

    /// What the position is worth to the side to move.
    #[inline(always)]
    pub(crate) fn worth(&self, us: Colour) -> i32 {
        self.sums[us.index()][0] + self.sums[us.other().index()][1]
    }

    /// Follows a stone that `board` has just been given.
    #[inline]
    pub(crate) fn placed<S: Shape>(&mut self, board: &ThreatBoard<S>, square: Square) {
        self.stones.push((self.changed.len(), self.sums));
        for colour in Colour::BOTH {
            let worth = self.cells[colour.index()][square.index()].worth;
            self.add(colour, &worth, -1);
        }
        let geometry = board.geometry();
        let shape = board.shape();
        for (direction, &LineRef { line, offset }) in geometry.on_lines(square).iter().enumerate() {
            let near = all_cells(shape, covering(shape, offset));
            let empties = board.empties_on(line) & near;
            if empties == 0 {
                continue;
            }
            for colour in Colour::BOTH {
                let levels = Levels::of(board, line, colour);
                let mut left = empties;
                while left != 0 {
                    let at = left.trailing_zeros() as u8;
                    left &= left - 1;
                    let grade = levels.grade(covering(shape, at));
                    let there = geometry.square(line, at);
                    let cell = &mut self.cells[colour.index()][there.index()];
                    if cell.grades[direction] == grade {
                        continue;
                    }
                    let before = *cell;
                    cell.set(direction, grade);
                    let now = self.model.shapes[cell.shape as usize];
                    cell.worth = now;
                    self.changed.push((colour, there, before));
                    self.add(colour, &before.worth, -1);
                    self.add(colour, &now, 1);
                }
            }
        }
    }

    /// Takes back what the last stone changed.
    #[inline]
    pub(crate) fn undone(&mut self) {
        let (count, sums) = self.stones.pop().expect("a stone was placed");
        while self.changed.len() > count {
            let (colour, square, cell) = self.changed.pop().expect("more than none");
            self.cells[colour.index()][square.index()] = cell;
        }
        self.sums = sums;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gridproof_game::Rules;
    use gridproof_threats::{AnyShape, Geometry};
    use rand::{Rng as _, SeedableRng as _, rngs::StdRng};

    use super::*;

    #[test]
    fn cells_kept_stone_by_stone_are_those_worked_out_anew() {
        let mut random = StdRng::seed_from_u64(24);
        for (m, n, k, p) in [(19, 19, 6, 2), (9, 12, 5, 1), (11, 11, 7, 3), (6, 6, 4, 2)] {
            let rules = Rules::new(m, n, k, p, 1).unwrap();
            let geometry = Arc::new(Geometry::new(rules));
            let mut board = ThreatBoard::<AnyShape>::new(geometry).unwrap();
            let mut kept = Cells::of(&board, Model::of(&rules));
            let same = |kept: &Cells, board: &ThreatBoard<AnyShape>| {
                let anew = Cells::of(board, Model::of(&rules));
                assert_eq!(kept.sums, anew.sums);
                for colour in Colour::BOTH {
                    for square in board.empties().iter() {
                        let of = |cells: &Cells| cells.cells[colour.index()][square.index()];
                        assert_eq!(of(kept), of(&anew), "{rules} {square}");
                    }
                }
            };
            for turn in 0..30 {
                let empties: Vec<Square> = board.empties().iter().collect();
                let square = empties[random.random_range(0..empties.len())];
                board.place(square, Colour::BOTH[turn / 2 % 2]);
                kept.placed(&board, square);
                same(&kept, &board);
            }
            for _ in 0..30 {
                board.undo();
                kept.undone();
                same(&kept, &board);
            }
        }
    }
}
