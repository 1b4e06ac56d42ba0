use std::sync::Arc;

use gridproof_game::{Colour, Position, Rules, Square, SquareSet, zobrist};

use crate::geometry::{Geometry, LineId, LineRef, LineSet, Segment};
use crate::shape::Shape;
use crate::windows::{Windows, all_cells, cells, covering, offsets};

/// What is known of one line, for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct LineState {
    pub(crate) stones: [u32; 2],
    /// Segments without a stone of the other side.
    pub(crate) open: [u32; 2],
    /// Open segments with at most p empty squares.
    pub(crate) threats: [u32; 2],
    /// Open segments with at most 2p empty squares: one move can make them threats.
    pub(crate) seeds: [u32; 2],
}

/// Everything a stone changes, saved before it does: undoing copies it back.
#[derive(Clone, Debug)]
struct Saved {
    square: Square,
    colour: Colour,
    lines: [LineState; 4],
    threat_lines: [LineSet; 2],
    seed_lines: [LineSet; 2],
    completed: [bool; 2],
}

/// A board of stones that always knows both sides' threats.
#[derive(Clone, Debug)]
pub struct ThreatBoard<S: Shape> {
    shape: S,
    geometry: Arc<Geometry>,
    lines: Vec<LineState>,
    threat_lines: [LineSet; 2],
    seed_lines: [LineSet; 2],
    completed: [bool; 2],
    stones: [SquareSet; 2],
    empties: usize,
    key: u64,
    saved: Vec<Saved>,
}

impl<S: Shape> ThreatBoard<S> {
    /// An empty board; `None` where the shape is not that of the geometry's rules.
    #[must_use]
    pub fn new(geometry: Arc<Geometry>) -> Option<Self> {
        let shape = S::of(geometry.rules())?;
        let mut board = Self {
            shape,
            lines: vec![LineState::default(); geometry.line_count() + 1],
            threat_lines: Default::default(),
            seed_lines: Default::default(),
            completed: [false; 2],
            stones: [SquareSet::EMPTY; 2],
            empties: geometry.rules().area(),
            key: 0,
            saved: Vec::with_capacity(64),
            geometry,
        };
        for line in board.geometry.lines() {
            let starts = board.geometry.starts(line);
            board.lines[line.index()].open = [starts; 2];
            for colour in Colour::BOTH {
                board.recount(line, colour);
            }
        }
        Some(board)
    }

    /// A board with the stones of a position. They cannot be undone.
    #[must_use]
    pub fn of_position(geometry: Arc<Geometry>, position: &Position) -> Option<Self> {
        debug_assert_eq!(geometry.rules(), position.rules());
        let mut board = Self::new(geometry)?;
        for colour in Colour::BOTH {
            for square in position.stones(colour).iter() {
                board.place(square, colour);
            }
        }
        board.saved.clear();
        Some(board)
    }

    #[must_use]
    #[inline(always)]
    pub fn shape(&self) -> S {
        self.shape
    }

    #[must_use]
    #[inline(always)]
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    #[must_use]
    pub fn rules(&self) -> &Rules {
        self.geometry.rules()
    }

    #[must_use]
    #[inline(always)]
    pub fn is_empty_at(&self, square: Square) -> bool {
        !self.stones[0].contains(square) && !self.stones[1].contains(square)
    }

    #[must_use]
    pub fn stones(&self, colour: Colour) -> &SquareSet {
        &self.stones[colour.index()]
    }

    #[must_use]
    pub fn empties(&self) -> SquareSet {
        self.rules()
            .board()
            .difference(&self.stones[0])
            .difference(&self.stones[1])
    }

    #[must_use]
    #[inline(always)]
    pub fn empty_count(&self) -> usize {
        self.empties
    }

    /// A key of the stones alone; the side to move is not in it.
    #[must_use]
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Stones placed and not undone.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.saved.len()
    }

    /// Puts a stone on an empty square.
    #[inline]
    pub fn place(&mut self, square: Square, colour: Colour) {
        debug_assert!(self.rules().contains(square) && self.is_empty_at(square));
        let refs = *self.geometry.on_lines(square);
        self.saved.push(Saved {
            square,
            colour,
            lines: refs.map(|at| self.lines[at.line.index()]),
            threat_lines: self.threat_lines,
            seed_lines: self.seed_lines,
            completed: self.completed,
        });
        self.stones[colour.index()].insert(square);
        self.key ^= zobrist::stone(colour, square);
        self.empties -= 1;
        let other = colour.other().index();
        for LineRef { line, offset } in refs {
            let state = &mut self.lines[line.index()];
            let blocked = covering(self.shape, offset);
            state.stones[colour.index()] |= 1 << offset;
            state.open[other] &= !blocked;
            state.threats[other] &= !blocked;
            state.seeds[other] &= !blocked;
            let (threats, seeds) = (state.threats[other], state.seeds[other]);
            self.threat_lines[other].assign(line, threats != 0);
            self.seed_lines[other].assign(line, seeds != 0);
            self.recount(line, colour);
        }
    }

    /// Takes back the last stone placed.
    ///
    /// # Panics
    /// If none is left to take back.
    #[inline]
    pub fn undo(&mut self) {
        let saved = self.saved.pop().expect("a stone was placed");
        for (at, state) in self.geometry.on_lines(saved.square).iter().zip(saved.lines) {
            self.lines[at.line.index()] = state;
        }
        self.threat_lines = saved.threat_lines;
        self.seed_lines = saved.seed_lines;
        self.completed = saved.completed;
        self.stones[saved.colour.index()].remove(saved.square);
        self.key ^= zobrist::stone(saved.colour, saved.square);
        self.empties += 1;
    }

    /// Places all stones of a move.
    #[inline]
    pub fn place_all(&mut self, squares: &[Square], colour: Colour) {
        for &square in squares {
            self.place(square, colour);
        }
    }

    /// Takes back the last `count` stones.
    #[inline]
    pub fn undo_all(&mut self, count: usize) {
        for _ in 0..count {
            self.undo();
        }
    }

    #[inline(always)]
    fn recount(&mut self, line: LineId, colour: Colour) {
        let side = colour.index();
        let (k, p) = (
            self.shape.in_a_row() as i32,
            self.shape.stones_per_turn() as i32,
        );
        let state = &mut self.lines[line.index()];
        let windows = Windows::count(self.shape, state.stones[side]);
        let threats = windows.at_least(k - p) & state.open[side];
        let seeds = windows.at_least(k - 2 * p) & state.open[side];
        state.threats[side] = threats;
        state.seeds[side] = seeds;
        self.completed[side] |= windows.at_least(k) & state.open[side] != 0;
        self.threat_lines[side].assign(line, threats != 0);
        self.seed_lines[side].assign(line, seeds != 0);
    }

    /// Whether a side has k in a row already.
    #[must_use]
    #[inline(always)]
    pub fn has_completed(&self, colour: Colour) -> bool {
        self.completed[colour.index()]
    }

    /// Whether a side to move completes a line at once.
    #[must_use]
    #[inline(always)]
    pub fn can_complete(&self, colour: Colour) -> bool {
        !self.threat_lines[colour.index()].is_empty()
    }

    /// Stones that complete a line now (at most p, and less if less is needed).
    #[must_use]
    pub fn completing_stones(&self, colour: Colour) -> Option<Vec<Square>> {
        let segment = self.threat_segments(colour).next()?;
        Some(self.empties_of(segment).collect())
    }

    /// The threat segments of a side, line by line.
    pub fn threat_segments(&self, colour: Colour) -> impl Iterator<Item = Segment> + '_ {
        self.threat_lines[colour.index()]
            .iter()
            .flat_map(move |line| {
                offsets(self.lines[line.index()].threats[colour.index()])
                    .map(move |start| Segment { line, start })
            })
    }

    /// Lines that hold threats of a side.
    #[must_use]
    #[inline(always)]
    pub fn threat_lines(&self, colour: Colour) -> &LineSet {
        &self.threat_lines[colour.index()]
    }

    /// Lines with a segment that one move of this side can make a threat, or that is one.
    #[must_use]
    #[inline(always)]
    pub fn seed_lines(&self, colour: Colour) -> &LineSet {
        &self.seed_lines[colour.index()]
    }

    /// Starts of a side's threat segments on a line.
    #[must_use]
    #[inline(always)]
    pub fn threats_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].threats[colour.index()]
    }

    /// Starts of a side's segments with at most 2p empty squares and none of the other's stones.
    #[must_use]
    #[inline(always)]
    pub fn seeds_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].seeds[colour.index()]
    }

    /// Starts of the segments on a line that the other side has no stone on.
    #[must_use]
    #[inline(always)]
    pub fn open_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].open[colour.index()]
    }

    /// A side's stones on a line, as offsets.
    #[must_use]
    #[inline(always)]
    pub fn stones_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].stones[colour.index()]
    }

    /// Offsets on a line where a stone can go.
    #[must_use]
    #[inline(always)]
    pub fn empties_on(&self, line: LineId) -> u32 {
        let [black, white] = self.lines[line.index()].stones;
        let length = u32::from(self.geometry.length(line));
        let whole = if length == 32 {
            u32::MAX
        } else {
            (1 << length) - 1
        };
        whole & !(black | white)
    }

    /// The empty squares of a segment.
    pub fn empties_of(&self, segment: Segment) -> impl Iterator<Item = Square> + '_ {
        let mask = cells(self.shape, u32::from(segment.start)) & self.empties_on(segment.line);
        self.geometry.squares_of(segment.line, mask)
    }

    /// The empty squares of all threat segments of a side.
    #[must_use]
    pub fn threat_empties(&self, colour: Colour) -> SquareSet {
        let mut set = SquareSet::EMPTY;
        for line in self.threat_lines[colour.index()].iter() {
            let covered = all_cells(self.shape, self.threats_on(line, colour));
            set.extend(
                self.geometry
                    .squares_of(line, covered & self.empties_on(line)),
            );
        }
        set
    }

    /// For a line, the starts of this side's open segments with at least `least` of its stones.
    #[must_use]
    #[inline(always)]
    pub fn open_with_at_least(&self, line: LineId, colour: Colour, least: i32) -> u32 {
        let state = &self.lines[line.index()];
        Windows::count(self.shape, state.stones[colour.index()]).at_least(least)
            & state.open[colour.index()]
    }
}
