//! A position of the search: the threat board, what its squares are worth, and its keys.

use gridproof_game::{Colour, Square};
use gridproof_threats::{Shape, ThreatBoard};

use super::cells::Cells;
use super::model::{FINE, Model};
use super::table::Keys;

#[derive(Clone, Debug)]
pub(super) struct State<S: Shape> {
    pub(super) board: ThreatBoard<S>,
    pub(super) cells: Cells,
    pub(super) keys: Keys,
    model: &'static Model,
    placed: Vec<(Square, Colour)>,
}

/// No judgement is worth more than this.
const MOST: i32 = 15_000;

impl<S: Shape> State<S> {
    pub(super) fn new(board: ThreatBoard<S>) -> Self {
        let rules = *board.rules();
        let model = Model::of(&rules);
        let mut keys = Keys::new(rules);
        for colour in Colour::BOTH {
            for square in board.stones(colour).iter() {
                keys.toggle(square, colour);
            }
        }
        Self {
            cells: Cells::of(&board, model),
            keys,
            model,
            placed: Vec::new(),
            board,
        }
    }

    pub(super) fn place(&mut self, square: Square, colour: Colour) {
        self.board.place(square, colour);
        self.cells.placed(&self.board, square);
        self.keys.toggle(square, colour);
        self.placed.push((square, colour));
    }

    pub(super) fn undo(&mut self) {
        let (square, colour) = self.placed.pop().expect("a stone was placed");
        self.board.undo();
        self.cells.undone();
        self.keys.toggle(square, colour);
    }

    pub(super) fn place_all(&mut self, stones: &[Square], colour: Colour) {
        for &square in stones {
            self.place(square, colour);
        }
    }

    pub(super) fn undo_all(&mut self, count: usize) {
        for _ in 0..count {
            self.undo();
        }
    }

    /// What the position is worth to the side to move, which must place so many stones to block.
    pub(super) fn worth(&self, us: Colour, must_block: usize) -> i32 {
        let threats = match must_block {
            0 => 0,
            1 => self.model.threats[0],
            _ => self.model.threats[1],
        };
        let worth = self.cells.worth(us) / FINE + self.model.turn + threats;
        worth.clamp(-MOST, MOST)
    }
}
