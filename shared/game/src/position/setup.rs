//! Positions that are set up stone by stone and not played.

use super::{Position, State};
use crate::colour::Colour;
use crate::rules::Rules;
use crate::set::SquareSet;
use crate::square::Square;

/// Why stones make no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A stone lies off the board.
    #[error("{0} is not on the board of {1}")]
    OffBoard(Square, Rules),
    /// Two stones on one square.
    #[error("{0} has a stone of both colours")]
    Both(Square),
    /// Two winners.
    #[error("both sides have {0} in a row")]
    BothWon(u8),
    /// No game leads to so many stones.
    #[error(
        "{black} black and {white} white stones with {to_move} to move cannot arise in {rules}: \
         Black places {q} first, then each side {p} a turn",
        q = rules.first_stones(), p = rules.stones_per_turn()
    )]
    Count {
        /// Black's stones.
        black: usize,
        /// White's stones.
        white: usize,
        /// Whose turn it was to be.
        to_move: Colour,
        /// The game.
        rules: Rules,
    },
}

impl Position {
    /// Any stones with any side to move, as positions of the proof theory are: null moves
    /// lie behind them, so the stone counts need not be those of a game.
    pub fn of_stones(
        rules: Rules,
        black: &SquareSet,
        white: &SquareSet,
        to_move: Colour,
    ) -> Result<Self, SetupError> {
        let board = rules.board();
        for set in [black, white] {
            if let Some(square) = set.difference(&board).iter().next() {
                return Err(SetupError::OffBoard(square, rules));
            }
        }
        if let Some(square) = black.intersection(white).iter().next() {
            return Err(SetupError::Both(square));
        }
        let mut position = Self::start(rules);
        position.set_to_move(to_move);
        for (colour, set) in Colour::BOTH.into_iter().zip([black, white]) {
            for square in set.iter() {
                position.put(colour, square);
            }
        }
        let won = |colour| {
            let stones = position.stones[Colour::index(colour)];
            stones
                .iter()
                .any(|square| position.run_through(colour, square))
        };
        position.state = match (won(Colour::Black), won(Colour::White)) {
            (true, true) => return Err(SetupError::BothWon(rules.in_a_row())),
            (true, false) => State::Won(Colour::Black),
            (false, true) => State::Won(Colour::White),
            (false, false) => position.open_or_drawn(),
        };
        Ok(position)
    }

    /// As [`Position::of_stones`], but only with stone counts that a game can reach.
    pub fn of_game_stones(
        rules: Rules,
        black: &SquareSet,
        white: &SquareSet,
        to_move: Colour,
    ) -> Result<Self, SetupError> {
        let (b, w) = (black.len(), white.len());
        let (q, p) = (
            usize::from(rules.first_stones()),
            usize::from(rules.stones_per_turn()),
        );
        let last_turn_may_be_short = b + w == rules.area();
        let black_turns = match b.checked_sub(q) {
            None => (b == 0).then_some(0),
            Some(later) => {
                (later % p == 0 || last_turn_may_be_short).then(|| 1 + later.div_ceil(p))
            }
        };
        let white_turns = (w % p == 0 || last_turn_may_be_short).then(|| w.div_ceil(p));
        let expected = match to_move {
            Colour::Black => white_turns,
            Colour::White => white_turns.map(|turns| turns + 1),
        };
        if black_turns.is_none() || black_turns != expected {
            return Err(SetupError::Count {
                black: b,
                white: w,
                to_move,
                rules,
            });
        }
        Self::of_stones(rules, black, white, to_move)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn stone_counts_that_no_game_reaches_are_refused() {
        let rules = Rules::CONNECT6;
        let black: SquareSet = [at("J10"), at("K11"), at("L10")].into_iter().collect();
        let none = SquareSet::EMPTY;
        let set_up = |rules| Position::of_game_stones(rules, &black, &none, Colour::White);
        assert!(matches!(
            set_up(rules),
            Err(SetupError::Count { black: 3, .. })
        ));
        assert!(set_up(rules.with_first_stones(3)).is_ok());
        assert!(Position::of_stones(rules, &black, &none, Colour::White).is_ok());
        assert!(Position::of_stones(rules, &black, &black, Colour::White).is_err());
    }
}
