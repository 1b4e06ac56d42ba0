use gridproof_game::{Direction, Rules, Square, lines};

use crate::windows::{lowest, offsets};

/// No board has more lines than this: a table of so many needs no check that an id is in it.
pub const MAX_LINES: usize = 256;

/// A line of the board that is long enough to win on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(u8);

impl LineId {
    /// For tables indexed by line.
    #[must_use]
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a square lies on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRef {
    /// Which line.
    pub line: LineId,
    /// How many squares after the first of the line.
    pub offset: u8,
}

/// k consecutive squares: a line and the offset of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Segment {
    /// Which line.
    pub line: LineId,
    /// The offset of its first square.
    pub start: u8,
}

/// A set of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LineSet([u64; MAX_LINES / 64]);

impl LineSet {
    #[inline(always)]
    pub(crate) fn insert_if(&mut self, line: LineId, present: bool) {
        self.0[line.index() / 64] |= u64::from(present) << (line.index() % 64);
    }

    #[inline(always)]
    pub(crate) fn remove_if(&mut self, line: LineId, absent: bool) {
        self.0[line.index() / 64] &= !(u64::from(absent) << (line.index() % 64));
    }

    /// Whether no line is in the set.
    #[inline(always)]
    pub(crate) const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// The lines in ascending order.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = LineId> + use<> {
        let words = self.0;
        let (mut word, mut left) = (0, words[0]);
        std::iter::from_fn(move || {
            while left == 0 {
                word += 1;
                left = *words.get(word)?;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(LineId((word * 64 + bit) as u8))
        })
    }
}

/// The lines of a board and where each square lies on them. Made once for a game and shared.
#[derive(Debug)]
pub struct Geometry {
    rules: Rules,
    lines: Vec<GeometryLine>,
    on_lines: Vec<[LineRef; 4]>,
}

#[derive(Clone, Debug)]
struct GeometryLine {
    squares: [Square; 32],
    length: u8,
    direction: Direction,
    whole: u32,
    starts: u32,
}

impl Geometry {
    /// Finds the lines of a board.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let k = u32::from(rules.in_a_row());
        let found = lines(&rules);
        assert!(found.len() < MAX_LINES);
        // A square's line in a direction may be too short to win on. It then lies on this
        // line, which has no segments, so that a stone always updates four lines.
        let nowhere = LineRef {
            line: LineId(found.len() as u8),
            offset: 0,
        };
        let mut on_lines = vec![[nowhere; 4]; Square::COUNT];
        let mut table = Vec::with_capacity(found.len() + 1);
        for (line, id) in found.iter().zip(0u8..) {
            let mut squares = [Square::new(0, 0); 32];
            for (&square, offset) in line.squares.iter().zip(0u8..) {
                squares[usize::from(offset)] = square;
                on_lines[square.index()][line.direction as usize] = LineRef {
                    line: LineId(id),
                    offset,
                };
            }
            let length = line.squares.len() as u8;
            table.push(GeometryLine {
                squares,
                length,
                direction: line.direction,
                whole: lowest(u32::from(length)),
                starts: lowest(u32::from(length) - k + 1),
            });
        }
        table.push(GeometryLine {
            squares: [Square::new(0, 0); 32],
            length: 0,
            direction: Direction::East,
            whole: 0,
            starts: 0,
        });
        Self {
            rules,
            lines: table,
            on_lines,
        }
    }

    /// The game that the lines are for.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The number of real lines.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines.len() - 1
    }

    /// Whether a line can be won on. The one that stands for all those too short is not.
    #[must_use]
    #[inline(always)]
    pub fn is_real(&self, line: LineId) -> bool {
        line.index() < self.line_count()
    }

    /// All real lines.
    pub fn lines(&self) -> impl Iterator<Item = LineId> + use<> {
        (0..self.line_count() as u8).map(LineId)
    }

    /// How many squares a line has.
    #[must_use]
    pub fn length(&self, line: LineId) -> u8 {
        self.lines[line.index()].length
    }

    /// How a line runs.
    #[must_use]
    #[inline(always)]
    pub fn direction(&self, line: LineId) -> Direction {
        self.lines[line.index()].direction
    }

    /// All offsets of a line.
    #[must_use]
    #[inline(always)]
    pub fn whole(&self, line: LineId) -> u32 {
        self.lines[line.index()].whole
    }

    /// Segment starts of a line, as a mask of offsets.
    #[must_use]
    #[inline(always)]
    pub fn starts(&self, line: LineId) -> u32 {
        self.lines[line.index()].starts
    }

    /// The square at an offset of a line.
    #[must_use]
    #[inline(always)]
    pub fn square(&self, line: LineId, offset: u8) -> Square {
        self.lines[line.index()].squares[usize::from(offset & 31)]
    }

    /// The squares at the offsets of a mask.
    #[inline(always)]
    pub fn squares_of(&self, line: LineId, mask: u32) -> impl Iterator<Item = Square> + '_ {
        offsets(mask).map(move |offset| self.square(line, offset))
    }

    /// A square's place on its line in each direction.
    #[must_use]
    #[inline(always)]
    pub fn on_lines(&self, square: Square) -> &[LineRef; 4] {
        &self.on_lines[square.index()]
    }
}
