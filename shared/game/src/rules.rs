use std::fmt;
use std::str::FromStr;

use crate::excerpt;
use crate::set::SquareSet;
use crate::square::{STRIDE, Square};

/// The longest side of a board.
pub const MAX_SIDE: u8 = STRIDE as u8;

/// One game of the family Connect(m,n,k,p,q).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rules {
    columns: u8,
    rows: u8,
    in_a_row: u8,
    stones_per_turn: u8,
    first_stones: u8,
}

/// Why numbers or a text are no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// m or n is out of range.
    #[error("a board of {columns} columns and {rows} rows: each side must be from 1 to {MAX_SIDE}")]
    Side {
        /// m as it was asked for.
        columns: u32,
        /// n as it was asked for.
        rows: u32,
    },
    /// k, p or q is out of range.
    #[error("{name} = {value}: it must be from 1 to 255")]
    Number {
        /// Which of the numbers, and what it means.
        name: &'static str,
        /// The number as it was asked for.
        value: u32,
    },
    /// There are numbers, but not five.
    #[error(
        "\"{text}\" has {found} numbers, and a game has five: write Connect(m,n,k,p,q), like \
         Connect(19,19,6,2,1)"
    )]
    Count {
        /// The text, cut short.
        text: String,
        /// How many numbers it has.
        found: usize,
    },
    /// Neither numbers nor a known name.
    #[error(
        "\"{0}\" is no game: write Connect(m,n,k,p,q), like Connect(19,19,6,2,1), or one of {names}",
        names = Rules::NAMED.map(|(name, _)| name).join(", ")
    )]
    Text(String),
}

impl Rules {
    /// Six in a row on a Go board, two stones a turn and one at first.
    pub const CONNECT6: Self = Self::of_numbers([19, 19, 6, 2, 1]);

    /// The games that can be written by name.
    const NAMED: [(&str, Self); 3] = [
        ("connect6", Self::CONNECT6),
        ("gomoku", Self::of_numbers([15, 15, 5, 1, 1])),
        ("tictactoe", Self::of_numbers([3, 3, 3, 1, 1])),
    ];

    /// The name of the game if it has one, else its numbers: `gomoku`, `9,9,5,1,1`. It reads back.
    #[must_use]
    pub fn short_name(&self) -> String {
        let mut named = Self::NAMED.into_iter();
        match named.find(|(_, rules)| rules == self) {
            Some((name, _)) => name.to_owned(),
            None => self.numbers().map(|number| number.to_string()).join(","),
        }
    }

    const fn of_numbers([columns, rows, in_a_row, stones_per_turn, first_stones]: [u8; 5]) -> Self {
        Self {
            columns,
            rows,
            in_a_row,
            stones_per_turn,
            first_stones,
        }
    }

    /// m, n, k, p and q.
    #[must_use]
    pub const fn numbers(&self) -> [u8; 5] {
        [
            self.columns,
            self.rows,
            self.in_a_row,
            self.stones_per_turn,
            self.first_stones,
        ]
    }

    /// Connect(m,n,k,p,q): m columns, n rows, k in a row win, p stones a turn, q at first.
    pub fn new(m: u32, n: u32, k: u32, p: u32, q: u32) -> Result<Self, RulesError> {
        let side = |x: u32| u8::try_from(x).ok().filter(|x| (1..=MAX_SIDE).contains(x));
        let (Some(columns), Some(rows)) = (side(m), side(n)) else {
            return Err(RulesError::Side {
                columns: m,
                rows: n,
            });
        };
        let number = |name, value: u32| {
            u8::try_from(value)
                .ok()
                .filter(|&x| x > 0)
                .ok_or(RulesError::Number { name, value })
        };
        Ok(Self::of_numbers([
            columns,
            rows,
            number("k (stones in a row that win)", k)?,
            number("p (stones a turn)", p)?,
            number("q (Black's first stones)", q)?,
        ]))
    }

    /// m: the board's width.
    #[must_use]
    #[inline]
    pub const fn columns(&self) -> u8 {
        self.columns
    }

    /// n: the board's height.
    #[must_use]
    #[inline]
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// k: this many in a row, or more, win.
    #[must_use]
    #[inline]
    pub const fn in_a_row(&self) -> u8 {
        self.in_a_row
    }

    /// p: stones a turn, after the first.
    #[must_use]
    #[inline]
    pub const fn stones_per_turn(&self) -> u8 {
        self.stones_per_turn
    }

    /// q: stones in Black's first turn.
    #[must_use]
    #[inline]
    pub const fn first_stones(&self) -> u8 {
        self.first_stones
    }

    /// The number of squares.
    #[must_use]
    pub const fn area(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// Whether a square is on the board.
    #[must_use]
    #[inline]
    pub const fn contains(&self, square: Square) -> bool {
        square.column() < self.columns && square.row() < self.rows
    }

    /// All squares of the board, bottom row first.
    pub fn squares(&self) -> impl Iterator<Item = Square> + use<> {
        let columns = self.columns;
        (0..self.rows).flat_map(move |row| (0..columns).map(move |column| Square::new(column, row)))
    }

    /// All squares of the board, as a set.
    #[must_use]
    pub fn board(&self) -> SquareSet {
        self.squares().collect()
    }

    /// The middle square; right of and above the middle where a side is even.
    #[must_use]
    pub const fn centre(&self) -> Square {
        Square::new(self.columns / 2, self.rows / 2)
    }

    /// The same game with another number of first stones; `Connect(6,2,3)` is q = 3.
    #[must_use]
    pub const fn with_first_stones(mut self, q: u8) -> Self {
        assert!(q > 0);
        self.first_stones = q;
        self
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::CONNECT6
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, n, k, p, q] = self.numbers();
        f.pad(&format!("Connect({m},{n},{k},{p},{q})"))
    }
}

impl FromStr for Rules {
    type Err = RulesError;

    /// `Connect(9,9,6,2,1)`, the five numbers alone, `9,9,6,2,1`, or a name: `connect6`,
    /// `gomoku`, `tictactoe`. Case does not matter.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trimmed = text.trim();
        let mut named = Self::NAMED.into_iter();
        if let Some((_, rules)) = named.find(|(name, _)| trimmed.eq_ignore_ascii_case(name)) {
            return Ok(rules);
        }
        let refuse = || RulesError::Text(excerpt(text, 40));
        let inner = match trimmed.to_ascii_lowercase().strip_prefix("connect") {
            Some(_) => trimmed["connect".len()..]
                .trim()
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'))
                .ok_or_else(refuse)?,
            None => trimmed,
        };
        let numbers: Vec<u32> = inner
            .split(',')
            .map(|part| part.trim().parse().map_err(|_| refuse()))
            .collect::<Result<_, _>>()?;
        match numbers[..] {
            [m, n, k, p, q] => Self::new(m, n, k, p, q),
            _ => Err(RulesError::Count {
                text: excerpt(text, 40),
                found: numbers.len(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_read_back_from_their_name() {
        for text in ["Connect(19,19,6,2,1)", "Connect(32,1,40,7,3)"] {
            assert_eq!(text.parse::<Rules>().unwrap().to_string(), text);
        }
        assert_eq!("9, 9,6,2,1".parse(), Rules::new(9, 9, 6, 2, 1));
    }

    #[test]
    fn some_games_have_names() {
        assert_eq!("Connect6".parse(), Ok(Rules::CONNECT6));
        assert_eq!("gomoku".parse(), Rules::new(15, 15, 5, 1, 1));
        assert_eq!("TicTacToe".parse(), Rules::new(3, 3, 3, 1, 1));
        for name in ["gomoku", "9,9,5,1,1"] {
            assert_eq!(name.parse::<Rules>().unwrap().short_name(), name);
        }
    }

    #[test]
    fn what_is_no_game_is_refused_with_what_to_write() {
        for (text, words) in [
            ("renju", "\"renju\" is no game: write Connect(m,n,k,p,q)"),
            ("renju", "or one of connect6, gomoku, tictactoe"),
            ("connect7", "is no game"),
            ("19,19,6,2,x", "is no game"),
            ("Connect(19,19)", "has 2 numbers, and a game has five"),
        ] {
            let error = text.parse::<Rules>().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_board_too_large_is_refused() {
        assert_eq!(
            Rules::new(33, 9, 6, 2, 1),
            Err(RulesError::Side {
                columns: 33,
                rows: 9
            })
        );
        assert!("Connect(19,19,0,2,1)".parse::<Rules>().is_err());
        assert!("Connect(19,19".parse::<Rules>().is_err());
    }
}
