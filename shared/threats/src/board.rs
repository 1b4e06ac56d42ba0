use std::sync::Arc;

use gridproof_game::{Colour, Position, Rules, Square, SquareSet, zobrist};

use crate::geometry::{Geometry, LineId, LineRef, LineSet, MAX_LINES, Segment};
use crate::lanes::{LANES, Lanes};
use crate::line::{LineState, Segments, Summary};
use crate::shape::Shape;
use crate::windows::{LineBits, all_cells, cells, covering, offsets};

/// Everything a stone changes, saved before it does: undoing copies it back.
#[derive(Clone, Debug)]
struct Saved {
    square: Square,
    colour: Colour,
    lines: [LineState; 4],
    summary: Summary,
    completed: [bool; 2],
}

/// A board of stones that always knows both sides' threats.
#[derive(Clone, Debug)]
pub struct ThreatBoard<S: Shape> {
    shape: S,
    geometry: Arc<Geometry>,
    lines: Box<[LineState; MAX_LINES]>,
    summary: Summary,
    completed: [bool; 2],
    stones: [SquareSet; 2],
    empties: usize,
    key: u64,
    /// The first `depth` are in use.
    saved: Vec<Saved>,
    depth: usize,
}

impl<S: Shape> ThreatBoard<S> {
    /// An empty board; `None` where the shape is not that of the geometry's rules.
    #[must_use]
    pub fn new(geometry: Arc<Geometry>) -> Option<Self> {
        S::of(geometry.rules()).map(|shape| Self::empty(shape, geometry))
    }

    fn empty(shape: S, geometry: Arc<Geometry>) -> Self {
        let mut board = Self {
            shape,
            lines: Box::new([LineState::default(); MAX_LINES]),
            summary: Summary::default(),
            completed: [false; 2],
            stones: [SquareSet::EMPTY; 2],
            empties: geometry.rules().area(),
            key: 0,
            saved: Vec::new(),
            depth: 0,
            geometry,
        };
        let segments = |open| Segments::on_two_lines(shape, [0; 2], [open; 2]).0[0];
        for line in board.geometry.lines() {
            let sides = [segments(board.geometry.starts(line)); 2];
            board.lines[line.index()].segments = sides;
            for colour in Colour::BOTH {
                board.summary.gain(line, colour, &sides[0]);
            }
        }
        board
    }

    /// A board with the stones of a position. They cannot be undone.
    #[must_use]
    pub fn of_position(geometry: Arc<Geometry>, position: &Position) -> Option<Self> {
        let mut board = Self::new(geometry)?;
        board.update(position);
        Some(board)
    }

    /// Sets up a position. Stones that stand already are kept, so that going from one position
    /// of a game to the next costs little. None of them can be undone.
    pub fn update(&mut self, position: &Position) {
        debug_assert_eq!(self.rules(), position.rules());
        let stays = |colour| self.stones(colour).is_subset(position.stones(colour));
        if !Colour::BOTH.into_iter().all(stays) {
            *self = Self::empty(self.shape, Arc::clone(&self.geometry));
        }
        for colour in Colour::BOTH {
            let more = position.stones(colour).difference(self.stones(colour));
            for square in more.iter() {
                self.place(square, colour);
            }
        }
        self.depth = 0;
    }

    /// k and p, known to the compiler where the type says them.
    #[must_use]
    #[inline(always)]
    pub fn shape(&self) -> S {
        self.shape
    }

    /// The lines that the board keeps.
    #[must_use]
    #[inline(always)]
    pub fn geometry(&self) -> &Arc<Geometry> {
        &self.geometry
    }

    /// The game that is played.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        self.geometry.rules()
    }

    /// Whether a square of the board has no stone.
    #[must_use]
    #[inline(always)]
    pub fn is_empty_at(&self, square: Square) -> bool {
        !self.stones[0].contains(square) && !self.stones[1].contains(square)
    }

    /// One side's stones.
    #[must_use]
    pub fn stones(&self, colour: Colour) -> &SquareSet {
        &self.stones[colour.index()]
    }

    /// The squares without a stone.
    #[must_use]
    pub fn empties(&self) -> SquareSet {
        self.rules()
            .board()
            .difference(&self.stones[0])
            .difference(&self.stones[1])
    }

    /// How many squares have no stone.
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
        self.depth
    }

    /// Puts a stone on an empty square.
    #[inline]
    pub fn place(&mut self, square: Square, colour: Colour) {
        debug_assert!(self.rules().contains(square) && self.is_empty_at(square));
        let refs = *self.geometry.on_lines(square);
        self.save(square, colour, &refs);
        self.stones[colour.index()].insert(square);
        self.key ^= zobrist::stone(colour, square);
        self.empties -= 1;
        let [a, b, c, d] = refs;
        // Written out so that the compiler knows the colour where it is used most.
        match colour {
            Colour::Black => {
                self.place_on(a, b, Colour::Black);
                self.place_on(c, d, Colour::Black);
            }
            Colour::White => {
                self.place_on(a, b, Colour::White);
                self.place_on(c, d, Colour::White);
            }
        }
    }

    #[inline(always)]
    fn place_on(&mut self, a: LineRef, b: LineRef, colour: Colour) {
        let (own, other) = (colour.index(), colour.other().index());
        let stones = [
            self.stones_on(a.line, colour) | 1 << a.offset,
            self.stones_on(b.line, colour) | 1 << b.offset,
        ];
        let open = [self.open_on(a.line, colour), self.open_on(b.line, colour)];
        let (gained, complete) = Segments::on_two_lines(self.shape, stones, open);
        self.completed[own] |= complete;
        for (i, LineRef { line, offset }) in [a, b].into_iter().enumerate() {
            let state = &mut self.lines[line.index()];
            state.stones[own] = stones[i];
            state.segments[own] = gained[i];
            let lost = &mut state.segments[other];
            *lost = lost.without(covering(self.shape, offset));
            self.summary.gain(line, colour, &gained[i]);
            self.summary.lose(line, colour.other(), lost);
        }
    }

    // Apart from `place`, which would else copy word by word what it also reads.
    #[inline(never)]
    fn save(&mut self, square: Square, colour: Colour, refs: &[LineRef; 4]) {
        if self.depth == self.saved.len() {
            self.saved.push(Saved {
                square,
                colour,
                lines: [LineState::default(); 4],
                summary: self.summary,
                completed: self.completed,
            });
        }
        let saved = &mut self.saved[self.depth];
        saved.square = square;
        saved.colour = colour;
        for (kept, at) in saved.lines.iter_mut().zip(refs) {
            *kept = self.lines[at.line.index()];
        }
        saved.summary = self.summary;
        saved.completed = self.completed;
        self.depth += 1;
    }

    /// Takes back the last stone placed.
    ///
    /// # Panics
    /// If none is left to take back.
    #[inline]
    pub fn undo(&mut self) {
        assert!(self.depth > 0, "there is a stone to take back");
        self.depth -= 1;
        let saved = &self.saved[self.depth];
        for (at, state) in self
            .geometry
            .on_lines(saved.square)
            .iter()
            .zip(&saved.lines)
        {
            self.lines[at.line.index()] = *state;
        }
        self.summary = saved.summary;
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
        !self.summary.threat_lines[colour.index()].is_empty()
    }

    /// Stones that complete a line now (at most p, and less if less is needed).
    #[must_use]
    pub fn completing_stones(&self, colour: Colour) -> Option<Vec<Square>> {
        let segment = self.threat_segments(colour).next()?;
        Some(self.empties_of(segment).collect())
    }

    /// The threat segments of a side, line by line.
    pub fn threat_segments(&self, colour: Colour) -> impl Iterator<Item = Segment> + '_ {
        self.summary.threat_lines[colour.index()]
            .iter()
            .flat_map(move |line| {
                offsets(self.threats_on(line, colour)).map(move |start| Segment { line, start })
            })
    }

    /// Lines that hold threats of a side.
    #[must_use]
    #[inline(always)]
    pub fn threat_lines(&self, colour: Colour) -> &LineSet {
        &self.summary.threat_lines[colour.index()]
    }

    /// Lines with a segment that one move of this side can make a threat, or that is one.
    #[must_use]
    #[inline(always)]
    pub fn seed_lines(&self, colour: Colour) -> &LineSet {
        &self.summary.seed_lines[colour.index()]
    }

    /// Starts of a side's threat segments on a line.
    #[must_use]
    #[inline(always)]
    pub fn threats_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].segments[colour.index()].threats
    }

    /// Starts of a side's segments that one stone makes threats.
    #[must_use]
    #[inline(always)]
    pub(crate) fn near_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].segments[colour.index()].near
    }

    /// Starts of a side's segments with at most 2p empty squares and none of the other's stones.
    #[must_use]
    #[inline(always)]
    pub fn seeds_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].segments[colour.index()].seeds
    }

    /// Starts of the segments on a line that the other side has no stone on.
    #[must_use]
    #[inline(always)]
    pub fn open_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].segments[colour.index()].open
    }

    /// A side's stones on a line, as offsets.
    #[must_use]
    #[inline(always)]
    pub fn stones_on(&self, line: LineId, colour: Colour) -> u32 {
        self.lines[line.index()].stones[colour.index()]
    }

    /// A side's stones, and the starts of the segments open to it, on lines side by side from
    /// the `first` on.
    #[must_use]
    #[inline(always)]
    pub fn lanes_from(&self, first: usize, colour: Colour) -> (Lanes, Lanes) {
        let (mut stones, mut open) = (Lanes::NONE, Lanes::NONE);
        for (lane, line) in self.lines[first..].iter().take(LANES).enumerate() {
            stones.0[lane] = line.stones[colour.index()];
            open.0[lane] = line.segments[colour.index()].open;
        }
        (stones, open)
    }

    /// Offsets on a line where a stone can go.
    #[must_use]
    #[inline(always)]
    pub fn empties_on(&self, line: LineId) -> u32 {
        let [black, white] = self.lines[line.index()].stones;
        self.geometry.whole(line) & !(black | white)
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
        self.add_threat_empties(colour, &mut set);
        set
    }

    /// Adds the empty squares of all threat segments of a side to a set.
    pub fn add_threat_empties(&self, colour: Colour, set: &mut SquareSet) {
        for line in self.summary.threat_lines[colour.index()].iter() {
            let covered = all_cells(self.shape, self.threats_on(line, colour));
            set.extend(
                self.geometry
                    .squares_of(line, covered & self.empties_on(line)),
            );
        }
    }
}
