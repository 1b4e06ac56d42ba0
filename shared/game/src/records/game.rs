use std::fmt;

use crate::colour::Colour;
use crate::moves::Move;
use crate::position::{PlayError, Position, State};
use crate::rules::Rules;
use crate::square::Square;

/// A game from the empty board on: legal moves, and what its record says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Who played where, and how it ended.
    pub headers: Headers,
    moves: Vec<Move>,
    /// After the last move.
    position: Position,
}

/// What a record says beside the moves, in the words of the record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// Black's name.
    pub black: Option<String>,
    /// White's name.
    pub white: Option<String>,
    /// The tournament or match.
    pub event: Option<String>,
    /// When it was played.
    pub date: Option<String>,
    /// Where it was played.
    pub place: Option<String>,
    /// How it ended.
    pub result: Option<Outcome>,
}

/// How a game ended: on the board, by resignation or by agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side won.
    Won(Colour),
    /// Nobody won.
    Drawn,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(colour) => write!(f, "{colour} won"),
            Self::Drawn => f.write_str("a draw"),
        }
    }
}

impl Game {
    /// No move yet.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            headers: Headers::default(),
            moves: Vec::new(),
            position: Position::start(rules),
        }
    }

    /// Plays one more move. The game is unchanged on an error.
    pub fn play(&mut self, mv: Move) -> Result<State, PlayError> {
        let state = self.position.play(&mv)?;
        self.moves.push(mv);
        Ok(state)
    }

    /// The game that is played.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        self.position.rules()
    }

    /// All moves, from the empty board on.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after the last move.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Every position in turn: the empty board, then one after each move.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let start = Position::start(*self.rules());
        let after = self.moves.iter().scan(start.clone(), |position, mv| {
            *position = position.after(mv);
            Some(position.clone())
        });
        std::iter::once(start).chain(after)
    }

    /// The game as it stood after its first `turns` moves; `None` if it has fewer.
    #[must_use]
    pub fn up_to(&self, turns: usize) -> Option<Self> {
        Some(Self {
            headers: self.headers.clone(),
            moves: self.moves.get(..turns)?.to_vec(),
            position: self.positions().nth(turns)?,
        })
    }

    /// Each turn with its side, as records write it. A turn that wins may stop short, so the
    /// null stones that fill it up are not written.
    pub(super) fn turns(&self) -> impl Iterator<Item = WrittenTurn<'_>> {
        let won = matches!(self.position.state(), State::Won(_));
        let sides = [Colour::Black, Colour::White].into_iter().cycle();
        self.moves
            .iter()
            .zip(sides)
            .enumerate()
            .map(move |(i, (mv, colour))| WrittenTurn {
                number: i + 1,
                colour,
                stones: mv.stones(),
                nulls: if won && i + 1 == self.moves.len() {
                    0
                } else {
                    mv.nulls()
                },
            })
    }
}

/// One turn as a record writes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenTurn<'a> {
    /// From 1.
    pub(super) number: usize,
    pub(super) colour: Colour,
    pub(super) stones: &'a [Square],
    pub(super) nulls: u8,
}

impl<'a> WrittenTurn<'a> {
    /// Its stones by name, then its null stones as the format writes them.
    pub(super) fn names(
        self,
        name: impl Fn(Square) -> String + 'a,
        null: &'static str,
    ) -> impl Iterator<Item = String> + 'a {
        let stones = self.stones.iter().map(move |square| name(*square));
        stones.chain((0..self.nulls).map(|_| null.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(turns: &[&[&str]]) -> Game {
        let mut game = Game::new(Rules::CONNECT6);
        for turn in turns {
            let stones = turn.iter().map(|name| name.parse().unwrap());
            game.play(Move::full(stones)).unwrap();
        }
        game
    }

    #[test]
    fn positions_run_from_the_empty_board_to_the_last_move() {
        let game = game(&[&["J10"], &["I8", "H9"], &["K11", "L10"]]);
        let counts: Vec<_> = game.positions().map(|p| p.stone_count()).collect();
        assert_eq!(counts, [0, 1, 3, 5]);
        assert_eq!(game.positions().last().as_ref(), Some(game.position()));
    }

    #[test]
    fn a_game_can_be_cut_after_any_of_its_moves_and_no_further() {
        let game = game(&[&["J10"], &["I8", "H9"]]);
        assert_eq!(game.up_to(1).unwrap().position().stone_count(), 1);
        assert_eq!(game.up_to(2), Some(game.clone()));
        assert_eq!(game.up_to(3), None);
    }
}
