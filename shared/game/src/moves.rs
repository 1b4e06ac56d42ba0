use std::fmt;
use std::str::FromStr;

use smallvec::SmallVec;

use crate::square::{ParseSquareError, Square};

/// What a side does in one turn: stones, and null stones for those it does not place.
///
/// A null move places none of its p stones and a semi-null move only some. No player may
/// pass, but the proof theory reasons with both: a stone more never hurts its owner, so
/// what wins against a null stone wins against all the stones that change nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Move {
    /// In ascending order, without repetition.
    stones: SmallVec<[Square; 4]>,
    nulls: u8,
}

impl Move {
    /// A move of these stones and `nulls` null stones. Order does not matter.
    ///
    /// # Panics
    /// If a square is named twice.
    #[must_use]
    pub fn new(stones: impl IntoIterator<Item = Square>, nulls: u8) -> Self {
        Self::try_new(stones, nulls).expect("a move names each square once")
    }

    /// As [`Move::new`], but a square named twice is handed back as the error.
    pub fn try_new(stones: impl IntoIterator<Item = Square>, nulls: u8) -> Result<Self, Square> {
        let mut stones: SmallVec<[Square; 4]> = stones.into_iter().collect();
        stones.sort_unstable();
        match stones.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(pair[0]),
            None => Ok(Self { stones, nulls }),
        }
    }

    /// A move of stones alone, as players make it.
    ///
    /// # Panics
    /// If a square is named twice.
    #[must_use]
    pub fn full(stones: impl IntoIterator<Item = Square>) -> Self {
        Self::new(stones, 0)
    }

    /// The null move of a game with `p` stones a turn.
    #[must_use]
    pub fn null(p: u8) -> Self {
        Self {
            stones: SmallVec::new(),
            nulls: p,
        }
    }

    /// The squares that it takes, in ascending order.
    #[must_use]
    #[inline]
    pub fn stones(&self) -> &[Square] {
        &self.stones
    }

    /// How many of its stones are not placed.
    #[must_use]
    #[inline]
    pub const fn nulls(&self) -> u8 {
        self.nulls
    }

    /// Stones and null stones together.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stones.len() + usize::from(self.nulls)
    }

    /// Not even a null stone.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it places no stone.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.stones.is_empty()
    }

    /// Whether it places some of its stones, but not all.
    #[must_use]
    pub fn is_semi_null(&self) -> bool {
        self.nulls > 0 && !self.stones.is_empty()
    }

    /// Whether it has no null stone.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.nulls == 0
    }

    /// Whether it places a stone on a square.
    #[must_use]
    pub fn contains(&self, square: Square) -> bool {
        self.stones.contains(&square)
    }

    /// The move with every square moved by `to`.
    #[must_use]
    pub fn map(&self, to: impl FnMut(Square) -> Square) -> Self {
        Self::new(self.stones.iter().copied().map(to), self.nulls)
    }
}

/// Stones by name, then a dash for each null stone: `K11 L10`, `K11 -`, `- -`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.stones.iter().map(ToString::to_string);
        let dashes = (0..self.nulls).map(|_| "-".to_owned());
        f.pad(&names.chain(dashes).collect::<Vec<_>>().join(" "))
    }
}

/// Why a text is no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseMoveError {
    /// One of its words is neither a square nor a dash.
    #[error("{0}, or - for a null stone")]
    Square(#[from] ParseSquareError),
    /// A square comes twice.
    #[error("{0} is named twice: a move takes each square once")]
    Twice(Square),
    /// More dashes than any game has stones a turn.
    #[error("{0} null stones: a move has 255 at most")]
    Nulls(usize),
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Squares and dashes in any order, with spaces or commas between: `K11 L10`, `k11,-`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let (nulls, squares): (Vec<_>, Vec<_>) = words
            .filter(|word| !word.is_empty())
            .partition(|word| *word == "-");
        let squares: Vec<Square> = squares
            .into_iter()
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        let count = u8::try_from(nulls.len()).map_err(|_| ParseMoveError::Nulls(nulls.len()))?;
        Self::try_new(squares, count).map_err(ParseMoveError::Twice)
    }
}

/// `1 stone`, `2 stones`.
pub(crate) fn stones(count: usize) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} stone{s}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_prints_stones_then_null_stones() {
        let [a, b] = [Square::new(10, 10), Square::new(11, 9)];
        assert_eq!(Move::full([a, b]).to_string(), "L10 K11");
        assert_eq!(Move::new([a], 1).to_string(), "K11 -");
        assert_eq!(Move::null(2).to_string(), "- -");
    }

    #[test]
    fn the_order_of_stones_does_not_matter_and_no_square_comes_twice() {
        let [a, b] = [Square::new(3, 3), Square::new(4, 3)];
        assert_eq!(Move::full([a, b]), Move::full([b, a]));
        assert_eq!(Move::try_new([a, b, a], 0), Err(a));
    }
}
