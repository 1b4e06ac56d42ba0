//! Each side's threats in a position, as words and as marks.

use std::fmt;
use std::sync::Arc;

use gridproof_game::draw::{Diagram, Mark};
use gridproof_game::{Colour, Position, Square, SquareSet, State};
use gridproof_threats::{AnyShape, Geometry, Segment, ThreatBoard};

/// What one side threatens.
#[derive(Debug)]
pub(super) struct Threats {
    colour: Colour,
    number: Number,
    /// The smallest sets of stones that complete a line.
    completions: Vec<Vec<Square>>,
    /// The smallest sets of stones that stop everything in one turn; `None` if finding them
    /// would take too long.
    blocks: Option<Vec<Vec<Square>>>,
    /// The first and last square of each threat segment.
    segments: Vec<[Square; 2]>,
    empties: SquareSet,
}

/// How many threats a side has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Exactly(u32),
    /// Counting on would take too long: it grows with the power of p.
    AtLeast(u32),
}

/// Steps that counting threats may take, about.
const COUNTING_STEPS: u32 = 100_000;
/// With more stones a turn than this, listing all ways to block takes too long.
const MOST_STONES_TO_BLOCK: u8 = 4;
/// A line of words stays readable with this many items.
const ITEMS_SHOWN: usize = 8;

impl Threats {
    /// Black's and White's threats; none once the game is over.
    pub(super) fn of_both(position: &Position) -> Option<[Self; 2]> {
        if position.state() != State::Open {
            return None;
        }
        let board = board_of(position);
        Some(Colour::BOTH.map(|colour| Self::of(colour, &board)))
    }

    /// The ends of the rows that won a game, each segment of them.
    pub(super) fn winning_rows(position: &Position) -> Vec<(Colour, [Square; 2])> {
        let State::Won(colour) = position.state() else {
            return Vec::new();
        };
        let board = board_of(position);
        board
            .threat_segments(colour)
            .filter(|segment| board.empties_of(*segment).next().is_none())
            .map(|segment| (colour, ends(&board, segment)))
            .collect()
    }

    fn of(colour: Colour, board: &ThreatBoard<AnyShape>) -> Self {
        let rules = board.rules();
        let completions = board
            .threat_segments(colour)
            .map(|segment| board.empties_of(segment).collect())
            .collect();
        let blocks = (rules.stones_per_turn() <= MOST_STONES_TO_BLOCK).then(|| {
            let blocks = board.minimal_blocks(colour);
            blocks.iter().map(|block| block.to_vec()).collect()
        });
        Self {
            colour,
            number: count(colour, board),
            completions: minimal(completions),
            blocks,
            segments: board
                .threat_segments(colour)
                .map(|segment| ends(board, segment))
                .collect(),
            empties: board.threat_empties(colour),
        }
    }

    /// Marks the threats on a drawing.
    pub(super) fn mark<'a>(&self, diagram: Diagram<'a>) -> Diagram<'a> {
        let marked = diagram.with_mark(Mark::Threat(self.colour), &self.empties);
        self.segments.iter().fold(marked, |diagram, &ends| {
            diagram.with_threat_line(self.colour, ends)
        })
    }
}

fn board_of(position: &Position) -> ThreatBoard<AnyShape> {
    let geometry = Arc::new(Geometry::new(*position.rules()));
    ThreatBoard::of_position(geometry, position).expect("any shape fits any rules")
}

/// The first and the last square of a segment.
fn ends(board: &ThreatBoard<AnyShape>, segment: Segment) -> [Square; 2] {
    let last = segment.start + board.rules().in_a_row() - 1;
    [segment.start, last].map(|offset| board.geometry().square(segment.line, offset))
}

/// The sets that hold no other one of them, each once and in order.
fn minimal(mut sets: Vec<Vec<Square>>) -> Vec<Vec<Square>> {
    sets.sort();
    sets.dedup();
    let holds = |set: &[Square], part: &[Square]| part.iter().all(|square| set.contains(square));
    sets.iter()
        .filter(|set| {
            let smaller = |part: &&Vec<Square>| part.len() < set.len() && holds(set, part);
            !sets.iter().any(|part| smaller(&part))
        })
        .cloned()
        .collect()
}

fn count(colour: Colour, board: &ThreatBoard<AnyShape>) -> Number {
    let branches = u32::from(board.rules().stones_per_turn()).max(2);
    let most = COUNTING_STEPS.ilog(branches);
    match (0..most).find(|&number| !board.has_threats(colour, number + 1)) {
        Some(number) => Number::Exactly(number),
        None => Number::AtLeast(most),
    }
}

/// `Black has 2 threats: J11 J12; K11 L10. White stops them with K11.`
impl fmt::Display for Threats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (side, other) = (self.colour, self.colour.other());
        let pronoun = match self.number {
            Number::Exactly(0) => return write!(f, "{side} has no threat."),
            Number::Exactly(1) => "it",
            _ => "them",
        };
        match self.number {
            Number::Exactly(1) => write!(f, "{side} has 1 threat")?,
            Number::Exactly(number) => write!(f, "{side} has {number} threats")?,
            Number::AtLeast(number) => write!(f, "{side} has {number} threats or more")?,
        }
        write!(f, ": completed by {}.", list(&self.completions))?;
        match self.blocks.as_deref() {
            None => Ok(()),
            Some([]) => write!(f, " {other} cannot stop {pronoun} in one turn."),
            Some(blocks) => write!(f, " {other} stops {pronoun} with {}.", list(blocks)),
        }
    }
}

fn list(sets: &[Vec<Square>]) -> String {
    let names = |set: &Vec<Square>| {
        let names: Vec<_> = set.iter().map(ToString::to_string).collect();
        names.join(" ")
    };
    let mut shown: Vec<_> = sets.iter().take(ITEMS_SHOWN).map(names).collect();
    match sets.len().saturating_sub(ITEMS_SHOWN) {
        0 => {}
        1 => shown.push("1 more way".to_owned()),
        more => shown.push(format!("{more} more ways")),
    }
    shown.join(", or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_has_no_room_for_is_counted() {
        let ways = |count: u8| list(&vec![vec![Square::new(0, 0)]; count.into()]);
        assert!(ways(8).ends_with("or A1"), "{}", ways(8));
        assert!(ways(9).ends_with("or 1 more way"), "{}", ways(9));
        assert!(ways(10).ends_with("or 2 more ways"), "{}", ways(10));
    }
}
