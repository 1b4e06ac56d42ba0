//! Turns from a record, checked against the rules one by one.

use super::error::{Fault, NullStones, Reason};
use super::game::Game;
use crate::colour::Colour;
use crate::moves::Move;
use crate::position::{PlayError, State};
use crate::rules::Rules;
use crate::square::Square;

/// A stone, or a null stone, and where in the record it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) at: usize,
    pub(super) square: Option<Square>,
}

/// What a record says of one turn.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) at: usize,
    /// Where the format names the side.
    pub(super) colour: Option<Colour>,
    pub(super) stones: Vec<Placed>,
}

/// Plays turns as they are read, and says which one breaks which rule.
#[derive(Debug)]
pub(super) struct Replay {
    game: Game,
    null_stones: NullStones,
    resigned: Option<Colour>,
}

impl Replay {
    pub(super) fn new(rules: Rules, null_stones: NullStones) -> Self {
        Self::continuing(Game::new(rules), null_stones)
    }

    pub(super) const fn continuing(game: Game, null_stones: NullStones) -> Self {
        Self {
            game,
            null_stones,
            resigned: None,
        }
    }

    pub(super) const fn game(&self) -> &Game {
        &self.game
    }

    pub(super) fn into_game(self) -> Game {
        self.game
    }

    /// The side gives up: the game's last event.
    pub(super) fn resign(&mut self, at: usize, colour: Colour) -> Result<(), Fault> {
        self.check_open(at)?;
        self.check_side(at, colour)?;
        self.resigned = Some(colour);
        Ok(())
    }

    pub(super) const fn resigned(&self) -> Option<Colour> {
        self.resigned
    }

    pub(super) fn turn(&mut self, turn: &Turn) -> Result<(), Fault> {
        self.check_open(turn.at)?;
        if let Some(colour) = turn.colour {
            self.check_side(turn.at, colour)?;
        }
        let position = self.game.position();
        let colour = position.to_move();
        let expected = position.move_len();
        let mut squares = Vec::with_capacity(turn.stones.len());
        for stone in &turn.stones {
            if let Some(square) = stone.square {
                let empty = position.check_empty(square).and_then(|()| {
                    if squares.contains(&square) {
                        Err(PlayError::Taken(square, colour))
                    } else {
                        Ok(())
                    }
                });
                empty.map_err(|error| Reason::Play(error).at(stone.at))?;
                squares.push(square);
            }
        }
        let found = turn.stones.len();
        if let Some(surplus) = turn.stones.get(expected) {
            return Err(Reason::Play(PlayError::Count {
                colour,
                expected,
                found,
            })
            .at(surplus.at));
        }
        let nulls = u8::try_from(expected - squares.len()).expect("p and q fit in a byte");
        let whole =
            Move::try_new(squares, nulls).expect("each square was tested against those before it");
        let wins = |mv: &Move| matches!(position.after(mv).state(), State::Won(_));
        if found < expected && !wins(&whole) {
            return Err(Reason::ShortTurn {
                colour,
                expected,
                found,
                null_stones: self.null_stones,
            }
            .at(turn.at));
        }
        self.game
            .play(whole)
            .map(|_| ())
            .map_err(|error| Reason::Play(error).at(turn.at))
    }

    fn check_open(&self, at: usize) -> Result<(), Fault> {
        if let Some(colour) = self.resigned {
            return Err(Reason::Resigned(colour).at(at));
        }
        match self.game.position().state() {
            State::Open => Ok(()),
            State::Won(colour) => Err(Reason::Play(PlayError::Won(colour)).at(at)),
            State::Drawn => Err(Reason::Play(PlayError::Full).at(at)),
        }
    }

    fn check_side(&self, at: usize, found: Colour) -> Result<(), Fault> {
        let expected = self.game.position().to_move();
        if expected == found {
            Ok(())
        } else {
            Err(Reason::OtherSide { expected, found }.at(at))
        }
    }
}

/// Collects stones that a format writes one at a time, each with its side: stones of one
/// side that follow each other are one turn.
#[derive(Debug)]
pub(super) struct StoneByStone {
    replay: Replay,
    turn: Option<Turn>,
}

impl StoneByStone {
    pub(super) const fn new(replay: Replay) -> Self {
        Self { replay, turn: None }
    }

    pub(super) fn stone(&mut self, colour: Colour, stone: Placed) -> Result<(), Fault> {
        match &mut self.turn {
            Some(turn) if turn.colour == Some(colour) => turn.stones.push(stone),
            _ => {
                self.end_turn()?;
                self.turn = Some(Turn {
                    at: stone.at,
                    colour: Some(colour),
                    stones: vec![stone],
                });
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Replay, Fault> {
        self.end_turn()?;
        Ok(self.replay)
    }

    fn end_turn(&mut self) -> Result<(), Fault> {
        match self.turn.take() {
            Some(turn) => self.replay.turn(&turn),
            None => Ok(()),
        }
    }
}
