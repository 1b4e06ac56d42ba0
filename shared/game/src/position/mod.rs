mod setup;

pub use setup::SetupError;

use crate::colour::Colour;
use crate::lines::Direction;
use crate::moves::{Move, stones};
use crate::rules::Rules;
use crate::set::SquareSet;
use crate::square::Square;
use crate::symmetry::Symmetry;
use crate::zobrist;

/// Stones on a board and whose turn it is. Turns are whole: a move places all its stones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    rules: Rules,
    stones: [SquareSet; 2],
    to_move: Colour,
    key: u64,
    state: State,
}

/// Whether the game goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It does.
    Open,
    /// This side has k or more in a row.
    Won(Colour),
    /// No empty square is left and nobody has won.
    Drawn,
}

/// Why a move cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// Somebody has won before.
    #[error("the game is over: {0} has won")]
    Won(Colour),
    /// The game is drawn.
    #[error("the game is over: the board is full")]
    Full,
    /// A stone lies off the board, which has so many rows and columns.
    #[error("{0} is not on the board: it has columns A to {last} and rows 1 to {1}", last = Square::column_name(.2 - 1))]
    OffBoard(Square, u8, u8),
    /// There is a stone already, of this side.
    #[error("{0} is taken: {1} has a stone there")]
    Taken(Square, Colour),
    /// Too few stones for a turn, or too many.
    #[error("{colour} places {} this turn, not {found}", stones(*.expected))]
    Count {
        /// The side to move.
        colour: Colour,
        /// The stones of this turn, null stones counted.
        expected: usize,
        /// The stones of the move, null stones counted.
        found: usize,
    },
}

impl Position {
    /// The empty board, Black to move.
    #[must_use]
    pub fn start(rules: Rules) -> Self {
        let stones = [SquareSet::EMPTY; 2];
        Self {
            rules,
            stones,
            to_move: Colour::Black,
            key: 0,
            state: State::Open,
        }
    }

    /// The game that is played.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whose turn it is.
    #[must_use]
    pub const fn to_move(&self) -> Colour {
        self.to_move
    }

    /// Whether the game goes on.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// One side's stones.
    #[must_use]
    pub const fn stones(&self, colour: Colour) -> &SquareSet {
        &self.stones[colour.index()]
    }

    /// Whose stone is on a square.
    #[must_use]
    pub fn at(&self, square: Square) -> Option<Colour> {
        Colour::BOTH
            .into_iter()
            .find(|colour| self.stones(*colour).contains(square))
    }

    /// Whether a square is on the board and has no stone.
    #[must_use]
    pub fn is_empty_at(&self, square: Square) -> bool {
        self.rules.contains(square) && self.at(square).is_none()
    }

    /// The squares without a stone.
    #[must_use]
    pub fn empties(&self) -> SquareSet {
        self.rules
            .board()
            .difference(&self.stones[0])
            .difference(&self.stones[1])
    }

    /// Stones of both sides together.
    #[must_use]
    pub fn stone_count(&self) -> usize {
        self.stones[0].len() + self.stones[1].len()
    }

    /// A key of stones and side to move: equal for equal positions under the same rules.
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// How many stones, null stones counted, the next move places: q in Black's first turn,
    /// else p, and no more than there are empty squares.
    ///
    /// The first turn is known by the empty board, so that a position is its stones and its
    /// side to move: after null stones alone, as in `-,-,-`, Black's turn has q stones again.
    #[must_use]
    pub fn move_len(&self) -> usize {
        let empties = self.rules.area() - self.stone_count();
        let wanted = if self.stone_count() == 0 && self.to_move == Colour::Black {
            self.rules.first_stones()
        } else {
            self.rules.stones_per_turn()
        };
        empties.min(usize::from(wanted))
    }

    /// Plays a move; null stones count as stones. The position is unchanged on an error.
    pub fn play(&mut self, mv: &Move) -> Result<State, PlayError> {
        match self.state {
            State::Won(colour) => return Err(PlayError::Won(colour)),
            State::Drawn => return Err(PlayError::Full),
            State::Open => {}
        }
        for &square in mv.stones() {
            self.check_empty(square)?;
        }
        let (expected, found) = (self.move_len(), mv.len());
        if expected != found {
            return Err(PlayError::Count {
                colour: self.to_move,
                expected,
                found,
            });
        }
        let colour = self.to_move;
        for &square in mv.stones() {
            self.put(colour, square);
        }
        self.state = if mv
            .stones()
            .iter()
            .any(|&square| self.run_through(colour, square))
        {
            State::Won(colour)
        } else {
            self.open_or_drawn()
        };
        self.set_to_move(colour.other());
        Ok(self.state)
    }

    /// Errors if a stone cannot go on a square.
    pub(crate) fn check_empty(&self, square: Square) -> Result<(), PlayError> {
        if !self.rules.contains(square) {
            return Err(PlayError::OffBoard(
                square,
                self.rules.rows(),
                self.rules.columns(),
            ));
        }
        match self.at(square) {
            Some(colour) => Err(PlayError::Taken(square, colour)),
            None => Ok(()),
        }
    }

    /// The position after a move that is known to be legal.
    ///
    /// # Panics
    /// If it is not.
    #[must_use]
    pub fn after(&self, mv: &Move) -> Self {
        let mut next = self.clone();
        next.play(mv)
            .expect("the caller knows that the move is legal");
        next
    }

    /// The same stones with this side to move.
    #[must_use]
    pub fn with_to_move(mut self, colour: Colour) -> Self {
        self.set_to_move(colour);
        self
    }

    /// The position turned or mirrored.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        let mut image = Self::start(self.rules);
        image.set_to_move(self.to_move);
        for colour in Colour::BOTH {
            for square in self.stones(colour).iter() {
                image.put(colour, symmetry.apply(&self.rules, square));
            }
        }
        image.state = self.state;
        image
    }

    /// The least of the position's images under the board's symmetries, and the symmetry
    /// that leads there. Equal for all positions that turn or mirror into each other.
    #[must_use]
    pub fn canonical(&self) -> (Self, Symmetry) {
        let images = Symmetry::all(&self.rules).map(|symmetry| {
            let image = |stones| symmetry.apply_to_set(&self.rules, stones);
            (self.stones.each_ref().map(image), symmetry)
        });
        let (_, symmetry) = images.min().expect("every board has the identity");
        (self.transformed(symmetry), symmetry)
    }

    fn put(&mut self, colour: Colour, square: Square) {
        debug_assert!(self.is_empty_at(square));
        self.stones[colour.index()].insert(square);
        self.key ^= zobrist::stone(colour, square);
    }

    fn set_to_move(&mut self, colour: Colour) {
        if self.to_move != colour {
            self.key ^= zobrist::WHITE_TO_MOVE;
            self.to_move = colour;
        }
    }

    fn open_or_drawn(&self) -> State {
        if self.stone_count() == self.rules.area() {
            State::Drawn
        } else {
            State::Open
        }
    }

    /// Whether k or more stones of a colour run through a square.
    fn run_through(&self, colour: Colour, square: Square) -> bool {
        let own = self.stones(colour);
        let reach = |step, sign: i8| {
            (1..)
                .map_while(|i| square.step(step, sign * i).filter(|s| own.contains(*s)))
                .count()
        };
        own.contains(square)
            && Direction::ALL.into_iter().any(|direction| {
                let step = direction.step();
                1 + reach(step, 1) + reach(step, -1) >= usize::from(self.rules.in_a_row())
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn moves(names: &[&str]) -> Move {
        Move::full(names.iter().map(|name| at(name)))
    }

    #[test]
    fn black_places_one_stone_then_each_side_two() {
        let mut position = Position::start(Rules::CONNECT6);
        assert_eq!(position.move_len(), 1);
        position.play(&moves(&["J10"])).unwrap();
        assert_eq!(
            position.play(&moves(&["J11"])),
            Err(PlayError::Count {
                colour: Colour::White,
                expected: 2,
                found: 1
            })
        );
        assert_eq!(
            position.play(&moves(&["J10", "J11"])),
            Err(PlayError::Taken(at("J10"), Colour::Black))
        );
        assert!(matches!(
            position.play(&moves(&["T1", "J11"])),
            Err(PlayError::OffBoard(..))
        ));
        position.play(&moves(&["J11", "K12"])).unwrap();
        assert_eq!(position.to_move(), Colour::Black);
    }

    #[test]
    fn more_than_k_in_a_row_win_too() {
        let rules = Rules::new(9, 9, 3, 2, 2).unwrap();
        let mut position = Position::start(rules);
        for names in [["A1", "B1"], ["A9", "C9"], ["D1", "C1"]] {
            position.play(&moves(&names)).unwrap();
        }
        assert_eq!(position.state(), State::Won(Colour::Black));
        assert_eq!(
            position.play(&moves(&["E5", "E6"])),
            Err(PlayError::Won(Colour::Black))
        );
    }

    #[test]
    fn a_full_board_without_a_row_is_drawn_and_the_last_turn_may_be_short() {
        let rules = Rules::new(2, 2, 3, 2, 1).unwrap();
        let mut position = Position::start(rules);
        position.play(&moves(&["A1"])).unwrap();
        position.play(&moves(&["A2", "B1"])).unwrap();
        assert_eq!(position.play(&moves(&["B2"])), Ok(State::Drawn));
        assert_eq!(position.play(&moves(&["B2"])), Err(PlayError::Full));
    }

    #[test]
    fn null_stones_pass_the_turn_and_change_no_stone() {
        let mut position = Position::start(Rules::CONNECT6);
        position.play(&moves(&["J10"])).unwrap();
        let semi_null = position.after(&Move::new([at("K10")], 1));
        assert_eq!(semi_null.stone_count(), 2);
        let null = position.after(&Move::null(2));
        assert_eq!(null, position.clone().with_to_move(Colour::Black));
        assert_ne!(null.key(), position.key());
    }

    #[test]
    fn equal_positions_have_equal_keys_and_mirror_images_one_canonical_form() {
        let rules = Rules::CONNECT6;
        let mut position = Position::start(rules);
        for names in [&["J10"][..], &["I8", "H9"], &["K11", "L10"]] {
            position.play(&moves(names)).unwrap();
        }
        let (canonical, _) = position.canonical();
        for symmetry in Symmetry::all(&rules) {
            let image = position.transformed(symmetry);
            assert_eq!(image.canonical().0, canonical);
            assert_eq!(image.transformed(symmetry.inverse()), position);
            let (form, way) = image.canonical();
            assert_eq!(image.transformed(way), form);
        }
    }
}
