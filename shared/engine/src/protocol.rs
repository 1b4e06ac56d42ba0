//! Players behind the stdin protocol, so that graphical front ends made for other engines can
//! drive them.

use gridproof_game::draw::{Diagram, TerminalStyle};
use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Rules, State};
use gridproof_solver::Budget;

use crate::adapter::{read_move, write_move};
use crate::players::{EnginePlayer, Player};

/// A game that is led by commands.
#[derive(Debug)]
pub struct Session {
    game: Game,
    player: Box<dyn Player>,
    /// Black's first stone is this player's own, placed on `new black`. A front end that sets
    /// the position up stone by stone may still put another in its place.
    opened: bool,
}

/// What to do after a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// Write this line, or these, to the front end.
    Say(String),
    /// There is nothing to write.
    Nothing,
    /// End the session.
    Quit,
}

const HELP: &str = "\
name           say the engine's name
new black      start a game that the engine plays as Black
new white      start a game that the engine plays as White
black XXXX     Black placed these stones, two letters each: column, row from the bottom
white XXXX     White placed these stones
move XXXX      the opponent placed these stones: answer them
next           make the next move, whoever's it is
depth D        think longer: each step doubles the nodes for a move
print          draw the board
quit           end";

/// Steps of `depth` that are taken.
const DEPTHS: std::ops::RangeInclusive<u32> = 1..=16;
const NODES_AT_DEPTH_0: u64 = 1_500;

impl Session {
    /// Starts an empty game of Connect6.
    #[must_use]
    pub fn new(player: Box<dyn Player>) -> Self {
        Self {
            game: Game::new(Rules::CONNECT6),
            player,
            opened: false,
        }
    }

    /// Obeys one line.
    pub fn obey(&mut self, line: &str) -> Response {
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else {
            return Response::Nothing;
        };
        let rest: String = words.collect();
        let done = match word {
            "quit" | "exit" => return Response::Quit,
            "name" => Ok(Some(format!("name gridproof {}", self.player.name()))),
            "help" => Ok(Some(HELP.to_owned())),
            "new" => self.start(&rest),
            "black" => self.place(Some(Colour::Black), &rest).map(|()| None),
            "white" => self.place(Some(Colour::White), &rest).map(|()| None),
            "move" => self.place(None, &rest).and_then(|()| self.answer()),
            "next" => self.answer(),
            "depth" => self.depth(&rest).map(|()| None),
            "print" => Ok(Some(self.drawing())),
            _ => Err(format!("\"{word}\" is no command: help lists them")),
        };
        match done {
            Ok(Some(text)) => Response::Say(text),
            Ok(None) => Response::Nothing,
            Err(words) => Response::Say(format!("error: {words}")),
        }
    }

    fn start(&mut self, colour: &str) -> Result<Option<String>, String> {
        let side = match colour {
            "black" => Colour::Black,
            "white" => Colour::White,
            _ => return Err("say new black or new white: the colour that I play".to_owned()),
        };
        self.game = Game::new(Rules::CONNECT6);
        self.opened = false;
        match side {
            Colour::White => Ok(None),
            Colour::Black => {
                let said = self.answer()?;
                self.opened = true;
                Ok(said)
            }
        }
    }

    /// Stones of a side, or of the one whose turn it is.
    fn place(&mut self, side: Option<Colour>, text: &str) -> Result<(), String> {
        let mv = read_move(text, self.game.rules()).ok_or_else(|| {
            format!("\"{text}\" is no move: write two letters a stone, like IIKK")
        })?;
        if self.opened && side == Some(Colour::Black) && self.game.moves().len() == 1 {
            self.game = Game::new(Rules::CONNECT6);
        }
        let turn = self.game.position().to_move();
        if side.is_some_and(|side| side != turn) {
            return Err(format!("it is {turn}'s turn"));
        }
        self.game.play(mv).map_err(|error| error.to_string())?;
        self.opened = false;
        Ok(())
    }

    fn answer(&mut self) -> Result<Option<String>, String> {
        if let Some(end) = self.end() {
            return Ok(Some(end));
        }
        let mv = self
            .player
            .choose(&self.game, &mut Budget::of_nodes(u64::MAX))
            .map_err(|error| error.to_string())?;
        let said = said(&mv);
        self.game.play(mv).map_err(|error| error.to_string())?;
        self.opened = false;
        Ok(Some(match self.end() {
            Some(end) => format!("{said}\n{end}"),
            None => said,
        }))
    }

    fn end(&self) -> Option<String> {
        match self.game.position().state() {
            State::Open => None,
            State::Won(colour) => Some(format!("# {colour} has won")),
            State::Drawn => Some("# a draw".to_owned()),
        }
    }

    fn depth(&mut self, text: &str) -> Result<(), String> {
        let depth = text
            .parse()
            .ok()
            .filter(|depth| DEPTHS.contains(depth))
            .ok_or_else(|| {
                format!(
                    "depth is a number from {} to {}",
                    DEPTHS.start(),
                    DEPTHS.end()
                )
            })?;
        self.player = Box::new(EnginePlayer::new(
            *self.game.rules(),
            NODES_AT_DEPTH_0 << depth,
        ));
        Ok(())
    }

    fn drawing(&self) -> String {
        let diagram = Diagram::new(self.game.position());
        match self.game.moves().last() {
            Some(last) => diagram.with_last_move(last),
            None => diagram,
        }
        .to_terminal(TerminalStyle::Plain)
        .trim_end()
        .to_owned()
    }
}

fn said(mv: &Move) -> String {
    format!("move {}", write_move(mv))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        let player = Box::new(EnginePlayer::new(Rules::CONNECT6, 2_000));
        Session::new(player)
    }

    fn says(session: &mut Session, line: &str) -> String {
        match session.obey(line) {
            Response::Say(text) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_front_end_plays_a_game_against_the_engine() {
        let mut session = session();
        assert_eq!(says(&mut session, "new black"), "move JJ");
        let answer = says(&mut session, "move IHHI");
        assert!(answer.starts_with("move ") && answer.len() == 9, "{answer}");
        assert_eq!(session.game.moves().len(), 3);
        assert_eq!(session.obey("quit"), Response::Quit);
    }

    #[test]
    fn a_position_can_be_set_up_and_played_on() {
        let mut session = session();
        for start in ["new white", "new black"] {
            session.obey(start);
            assert_eq!(session.obey("black KK"), Response::Nothing);
            assert_eq!(session.obey("white IHHI"), Response::Nothing);
            assert!(says(&mut session, "next").starts_with("move "));
            assert_eq!(session.game.moves().len(), 3);
        }
    }

    #[test]
    fn a_won_game_is_said_to_be_over() {
        let mut session = session();
        session.obey("new white");
        for line in [
            "black AA",
            "white AJAK",
            "black BBCC",
            "white ALAM",
            "black DDEE",
        ] {
            assert_eq!(session.obey(line), Response::Nothing);
        }
        let answer = says(&mut session, "next");
        assert!(answer.ends_with("# White has won"), "{answer}");
        assert_eq!(says(&mut session, "next"), "# White has won");
    }

    #[test]
    fn nonsense_is_answered_with_words_and_changes_nothing() {
        let mut session = session();
        session.obey("new white");
        session.obey("black JJ");
        for line in [
            "jump",
            "new",
            "new red",
            "black KK",
            "white JJKK",
            "white KK",
            "white",
            "white ZZZZ",
            "move é",
            "depth",
            "depth 99",
            "depth -1",
        ] {
            assert!(says(&mut session, line).starts_with("error: "), "{line}");
        }
        assert_eq!(session.game.moves().len(), 1);
        assert_eq!(session.obey(""), Response::Nothing);
        assert!(says(&mut session, "print").contains('◉'));
        assert!(says(&mut session, "name").starts_with("name gridproof"));
        assert!(says(&mut session, "help").contains("next"));
    }
}
