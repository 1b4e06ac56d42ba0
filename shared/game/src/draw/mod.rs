//! Drawings of positions: [text for terminals](Diagram::to_terminal) and
//! [SVG](Diagram::to_svg), with the same marks.

mod svg;
mod terminal;

pub use svg::{SvgPart, svg_styles};
pub use terminal::TerminalStyle;

use std::collections::BTreeMap;

use crate::colour::Colour;
use crate::moves::Move;
use crate::position::Position;
use crate::records::Game;
use crate::set::SquareSet;
use crate::square::Square;

/// What a mark on a square says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// An empty square of a threat: this side completes a line there.
    Threat(Colour),
    /// A stone that is spoken of: a winning move, a candidate.
    Pick,
    /// Must stay free of the defender: the M of a relevance zone.
    Free,
    /// On a segment that bears fewer than this many extra stones of the defender: the L of
    /// a relevance zone.
    Limit(u8),
}

impl Mark {
    fn meaning(self) -> String {
        match self {
            Self::Threat(colour) => format!("completes a line for {colour}"),
            Self::Pick => "the move".to_owned(),
            Self::Free => "must stay free of the defender".to_owned(),
            Self::Limit(1) => "one more stone of the defender does harm".to_owned(),
            Self::Limit(limit) => {
                format!("{limit} more stones of the defender on a line do harm")
            }
        }
    }
}

/// A position and what is shown with it.
#[derive(Clone, Debug)]
pub struct Diagram<'a> {
    position: &'a Position,
    last_move: SquareSet,
    marks: BTreeMap<Mark, SquareSet>,
    /// From the first square of a threat segment to its last.
    threat_lines: Vec<(Colour, [Square; 2])>,
    numbers: BTreeMap<Square, usize>,
    caption: Vec<String>,
    /// The lower left and the upper right corner of what is shown.
    view: Option<[Square; 2]>,
    fills: Vec<Fill>,
}

/// A colour for a square, and what is told of it.
#[derive(Clone, Debug)]
struct Fill {
    square: Square,
    colour: &'static str,
    words: String,
}

impl<'a> Diagram<'a> {
    /// The position alone, without marks.
    #[must_use]
    pub const fn new(position: &'a Position) -> Self {
        Self {
            position,
            last_move: SquareSet::EMPTY,
            marks: BTreeMap::new(),
            threat_lines: Vec::new(),
            numbers: BTreeMap::new(),
            caption: Vec::new(),
            view: None,
            fills: Vec::new(),
        }
    }

    /// Sets off the stones of the last move.
    #[must_use]
    pub fn with_last_move(mut self, mv: &Move) -> Self {
        self.last_move = mv.stones().iter().copied().collect();
        self
    }

    /// Marks squares; those marked alike before stay so.
    #[must_use]
    pub fn with_mark(mut self, mark: Mark, squares: &SquareSet) -> Self {
        if !squares.is_empty() {
            self.marks
                .entry(mark)
                .or_insert(SquareSet::EMPTY)
                .unite(squares);
        }
        self
    }

    /// Draws a bar along a threat segment. Only the SVG has room for it.
    #[must_use]
    pub fn with_threat_line(mut self, colour: Colour, ends: [Square; 2]) -> Self {
        self.threat_lines.push((colour, ends));
        self
    }

    /// Writes the number of its turn on each stone. Only the SVG has room for it.
    #[must_use]
    pub fn with_turn_numbers(mut self, game: &Game) -> Self {
        for (mv, turn) in game.moves().iter().zip(1..) {
            self.numbers
                .extend(mv.stones().iter().map(|&square| (square, turn)));
        }
        self
    }

    /// A line of words above the board, under those before it. The words may come from a
    /// stranger's record, so what would command a terminal is left out.
    #[must_use]
    pub fn with_caption(mut self, line: &str) -> Self {
        self.caption.push(line.replace(char::is_control, " "));
        self
    }

    /// Shows a part of the board, from its lower left corner to its upper right one. The text
    /// for terminals shows all of it.
    #[must_use]
    pub const fn with_view(mut self, corners: [Square; 2]) -> Self {
        self.view = Some(corners);
        self
    }

    /// Fills a square with a colour of SVG; who points at it reads the words. Only the SVG has
    /// it.
    #[must_use]
    pub fn with_fill(mut self, square: Square, colour: &'static str, words: String) -> Self {
        self.fills.push(Fill {
            square,
            colour,
            words,
        });
        self
    }

    fn is_marked(&self, mark: Mark, square: Square) -> bool {
        self.marks
            .get(&mark)
            .is_some_and(|squares| squares.contains(square))
    }
}

/// The dots that help the eye: near the corners and in the middle, on boards of odd sides
/// large enough to need them.
fn is_star_point(position: &Position, square: Square) -> bool {
    let rules = position.rules();
    let on_star = |at: u8, side: u8| {
        let inset = if side < 13 { 2 } else { 3 };
        side % 2 == 1 && side >= 9 && (at == side / 2 || at == inset || at + 1 + inset == side)
    };
    let (column, row) = (square.column(), square.row());
    let whole_grid = rules.columns() >= 13 && rules.rows() >= 13;
    let corner_or_centre = (column == rules.columns() / 2) == (row == rules.rows() / 2);
    on_star(column, rules.columns())
        && on_star(row, rules.rows())
        && (whole_grid || corner_or_centre)
}
