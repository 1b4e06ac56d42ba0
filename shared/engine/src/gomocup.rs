//! The Gomocup protocol, which front ends for five in a row such as Piskvork speak.
//!
//! It knows one stone a turn. Where a turn has more, its squares stand on one line with a space
//! between them, as the protocol's own SWAP2BOARD has them: `TURN 9,8 10,7`.

use std::time::Duration;

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Rules, Square, State};
use gridproof_solver::Budget;

use crate::players::Player;
use crate::protocol::Response;

/// Turns that the time left for a game is meant for.
const TURNS_LEFT: u32 = 20;
/// What `time_left` says where a game has no limit.
const NO_LIMIT: u64 = 2_147_483_647;

/// Makes a player of a game, or says why there is none.
pub type MakePlayer<'a> = dyn Fn(Rules) -> Result<Box<dyn Player>, String> + 'a;

/// A game that a Gomocup manager leads.
pub struct Gomocup<'a> {
    rules: Rules,
    make: &'a MakePlayer<'a>,
    game: Option<Game>,
    player: Option<Box<dyn Player>>,
    /// Lines of a BOARD that has not ended.
    board: Option<Vec<String>>,
    times: Times,
    /// What an INFO asked for that cannot be done, said at the next command.
    trouble: Option<String>,
}

/// Limits in milliseconds, as far as they were told.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    turn: Option<u64>,
    left: Option<u64>,
}

impl Times {
    /// What a move may take; none: what the player takes by itself.
    fn for_a_move(self) -> Option<Duration> {
        let left = self.left.filter(|&left| left < NO_LIMIT);
        let share = left.map(|left| left / u64::from(TURNS_LEFT));
        let least = [self.turn, share].into_iter().flatten().min()?;
        // Some of it is the pipe's.
        Some(Duration::from_millis(least - least / 20))
    }
}

impl std::fmt::Debug for Gomocup<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gomocup")
            .field("game", &self.game)
            .finish_non_exhaustive()
    }
}

impl<'a> Gomocup<'a> {
    /// Waits for START. The board's size is the manager's choice, all else is in `rules`.
    #[must_use]
    pub fn new(rules: Rules, make: &'a MakePlayer<'a>) -> Self {
        Self {
            rules,
            make,
            game: None,
            player: None,
            board: None,
            times: Times::default(),
            trouble: None,
        }
    }

    /// Obeys one line.
    pub fn obey(&mut self, line: &str) -> Response {
        let line = line.trim();
        if self.board.is_some() {
            return self.board_line(line);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let word = word.to_ascii_uppercase();
        let done = match &word[..] {
            "" => return Response::Nothing,
            "END" => return Response::Quit,
            "INFO" => {
                self.info(rest);
                return Response::Nothing;
            }
            "BOARD" => {
                self.board = Some(Vec::new());
                return Response::Nothing;
            }
            "START" => size(rest)
                .ok_or_else(|| "START needs a size".to_owned())
                .and_then(|size| self.start(size, size)),
            "RECTSTART" => match rest.split_once(',').map(|(w, h)| (size(w), size(h))) {
                Some((Some(width), Some(height))) => self.start(width, height),
                _ => Err("RECTSTART needs width,height".to_owned()),
            },
            "RESTART" => {
                let rules = self.game.as_ref().map_or(self.rules, |game| *game.rules());
                self.start(rules.columns(), rules.rows())
            }
            "BEGIN" => self.answer(),
            "TURN" => self.turn(rest).and_then(|()| self.answer()),
            "TAKEBACK" => self.take_back(rest),
            "ABOUT" => Ok(format!(
                "name=\"gridproof\", version=\"{}\", author=\"the Gridproof project\"",
                env!("CARGO_PKG_VERSION")
            )),
            _ => return Response::Say(format!("UNKNOWN command {word}")),
        };
        said(done)
    }

    fn start(&mut self, width: u8, height: u8) -> Result<String, String> {
        let (k, p, q) = (
            self.rules.in_a_row(),
            self.rules.stones_per_turn(),
            self.rules.first_stones(),
        );
        let numbers = [width, height, k, p, q].map(u32::from);
        let [m, n, k, p, q] = numbers;
        let rules =
            Rules::new(m, n, k, p, q).map_err(|error| format!("unsupported size: {error}"))?;
        self.player = Some((self.make)(rules)?);
        self.game = Some(Game::new(rules));
        Ok("OK".to_owned())
    }

    fn info(&mut self, text: &str) {
        let mut words = text.split_whitespace();
        let key = words.next().unwrap_or_default().to_ascii_lowercase();
        let value = words.next().unwrap_or_default();
        // A time that has run out may be less than nothing.
        let milliseconds = value.parse::<i64>().ok().map(|n| n.max(0) as u64);
        match &key[..] {
            "timeout_turn" => self.times.turn = milliseconds,
            "time_left" => self.times.left = milliseconds,
            "rule" if value != "0" => {
                self.trouble = Some(format!("rule {value} is not supported: long lines win"));
            }
            // All else may be ignored, the protocol says.
            _ => {}
        }
    }

    fn board_line(&mut self, line: &str) -> Response {
        let lines = self.board.as_mut().expect("a BOARD has begun");
        if !line.eq_ignore_ascii_case("DONE") {
            lines.push(line.to_owned());
            return Response::Nothing;
        }
        let lines = self.board.take().expect("a BOARD has begun");
        said(self.set_up(&lines).and_then(|()| self.answer()))
    }

    /// `X,Y,1` for each stone of ours, `X,Y,2` for theirs; it is our turn.
    fn set_up(&mut self, lines: &[String]) -> Result<(), String> {
        let rules = *self.started()?.rules();
        let mut stones = [Vec::new(), Vec::new()];
        for line in lines {
            let wrong = || format!("\"{line}\" is no stone");
            let (place, side) = line.rsplit_once(',').ok_or_else(wrong)?;
            let side = match side.trim() {
                "1" => 0,
                "2" => 1,
                _ => return Err(wrong()),
            };
            stones[side].push(square(place, &rules).ok_or_else(wrong)?);
        }
        let [ours, theirs] = stones;
        let game = game_of(rules, &ours, &theirs, Colour::Black)
            .or_else(|| game_of(rules, &theirs, &ours, Colour::White))
            .ok_or("it cannot be our turn with so many stones")?;
        self.game = Some(game);
        Ok(())
    }

    fn started(&mut self) -> Result<&mut Game, String> {
        self.game.as_mut().ok_or_else(|| "no START yet".to_owned())
    }

    fn turn(&mut self, text: &str) -> Result<(), String> {
        let game = self.started()?;
        let mv = read(text, game.rules()).ok_or_else(|| format!("\"{text}\" is no move"))?;
        game.play(mv).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn take_back(&mut self, text: &str) -> Result<String, String> {
        let game = self.started()?;
        let turns = game.moves().len();
        let mv = read(text, game.rules()).ok_or_else(|| format!("\"{text}\" is no move"))?;
        if game.moves().last() != Some(&mv) {
            return Err("that was not the last move".to_owned());
        }
        *game = game.up_to(turns - 1).ok_or("no move was made")?;
        Ok("OK".to_owned())
    }

    fn answer(&mut self) -> Result<String, String> {
        if let Some(trouble) = &self.trouble {
            return Err(trouble.clone());
        }
        let time = self.times.for_a_move();
        let (Some(game), Some(player)) = (&mut self.game, &mut self.player) else {
            return Err("no START yet".to_owned());
        };
        if game.position().state() != State::Open {
            return Err("the game is over".to_owned());
        }
        if let Some(time) = time {
            player.take_time(time);
        }
        let mv = player
            .choose(game, &mut Budget::of_nodes(u64::MAX))
            .map_err(|error| error.to_string())?;
        let words: Vec<String> = mv
            .stones()
            .iter()
            .map(|square| {
                let row = game.rules().rows() - 1 - square.row();
                format!("{},{row}", square.column())
            })
            .collect();
        game.play(mv).map_err(|error| error.to_string())?;
        Ok(words.join(" "))
    }
}

fn said(done: Result<String, String>) -> Response {
    Response::Say(done.unwrap_or_else(|words| format!("ERROR {words}")))
}

fn size(text: &str) -> Option<u8> {
    text.trim().parse().ok()
}

/// `X,Y` from the upper left corner, counted from 0.
fn square(text: &str, rules: &Rules) -> Option<Square> {
    let (column, row) = text.split_once(',')?;
    let row = rules.rows().checked_sub(size(row)?.checked_add(1)?)?;
    let square = Square::new(size(column)?, row);
    rules.contains(square).then_some(square)
}

fn read(text: &str, rules: &Rules) -> Option<Move> {
    let squares = text.split_whitespace().map(|word| square(word, rules));
    Move::try_new(squares.collect::<Option<Vec<_>>>()?, 0).ok()
}

/// A game of these stones, turn by turn as they were told, if it comes out as this side's turn.
fn game_of(rules: Rules, black: &[Square], white: &[Square], next: Colour) -> Option<Game> {
    let mut game = Game::new(rules);
    let mut left = [black, white];
    while left.iter().any(|stones| !stones.is_empty()) {
        let position = game.position();
        let (colour, length) = (position.to_move(), position.move_len());
        let (turn, rest) = left[colour.index()].split_at_checked(length)?;
        left[colour.index()] = rest;
        game.play(Move::try_new(turn.iter().copied(), 0).ok()?)
            .ok()?;
    }
    (game.position().to_move() == next).then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::EnginePlayer;

    fn make(rules: Rules) -> Result<Box<dyn Player>, String> {
        Ok(Box::new(EnginePlayer::new(rules, 500)))
    }

    fn says(session: &mut Gomocup<'_>, line: &str) -> String {
        match session.obey(line) {
            Response::Say(text) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_manager_plays_connect6_with_two_squares_a_turn() {
        let mut session = Gomocup::new(Rules::CONNECT6, &make);
        assert_eq!(says(&mut session, "START 19"), "OK");
        assert_eq!(says(&mut session, "BEGIN"), "9,9");
        let answer = says(&mut session, "turn 8,8 10,8");
        assert_eq!(answer.split(' ').count(), 2, "{answer}");
        assert_eq!(says(&mut session, &format!("TAKEBACK {answer}")), "OK");
        assert_eq!(says(&mut session, "TAKEBACK 10,8 8,8"), "OK");
        assert!(says(&mut session, "TAKEBACK 1,1").starts_with("ERROR "));
        assert_eq!(says(&mut session, "RESTART"), "OK");
        assert_eq!(says(&mut session, "BEGIN"), "9,9");
        assert_eq!(session.obey("END"), Response::Quit);
    }

    #[test]
    fn a_board_is_set_up_for_either_side() {
        let mut session = Gomocup::new(Rules::CONNECT6, &make);
        session.obey("START 19");
        for (line, turns) in [("9,9,2", 1), ("8,8,2", 2)] {
            session.obey("BOARD");
            if turns == 2 {
                session.obey("9,9,1");
                session.obey("10,8,2");
            }
            session.obey(line);
            let answer = says(&mut session, "DONE");
            assert_eq!(answer.split(' ').count(), 2, "{answer}");
            assert_eq!(session.game.as_ref().unwrap().moves().len(), turns + 1);
        }
        // The whole of five in a row but the last stone, upper row first.
        let five = Rules::new(15, 15, 5, 1, 1).unwrap();
        let mut session = Gomocup::new(five, &make);
        session.obey("START 15");
        session.obey("BOARD");
        for column in 0..4 {
            session.obey(&format!("{column},0,1"));
            session.obey(&format!("{column},14,2"));
        }
        assert_eq!(says(&mut session, "DONE"), "4,0");
        let over = says(&mut session, "TURN 4,14");
        assert_eq!(over, "ERROR the game is over: Black has won");
    }

    #[test]
    fn what_cannot_be_done_is_answered_with_words() {
        let mut session = Gomocup::new(Rules::CONNECT6, &make);
        for line in ["BEGIN", "TURN 1,1", "START", "START 99", "RECTSTART 9"] {
            assert!(says(&mut session, line).starts_with("ERROR "), "{line}");
        }
        assert_eq!(
            says(&mut session, "SWAP2BOARD"),
            "UNKNOWN command SWAP2BOARD"
        );
        assert_eq!(says(&mut session, "RECTSTART 19,15"), "OK");
        assert!(says(&mut session, "ABOUT").starts_with("name=\"gridproof\""));
        session.obey("BEGIN");
        for line in [
            "TURN 1",
            "TURN é",
            "TURN 1,1 1,1",
            "TURN 1,1 0,300",
            "TURN 1,15 2,2",
        ] {
            assert!(says(&mut session, line).starts_with("ERROR "), "{line}");
        }
        session.obey("BOARD");
        session.obey("1,1,3");
        assert!(says(&mut session, "DONE").starts_with("ERROR "));
        session.obey("BOARD");
        session.obey("1,1,1");
        session.obey("2,2,1");
        assert!(says(&mut session, "DONE").starts_with("ERROR "));
        assert_eq!(session.obey("INFO rule 1"), Response::Nothing);
        assert!(says(&mut session, "TURN 1,1 2,2").contains("rule 1"));
    }

    #[test]
    fn a_move_takes_its_share_of_the_time_that_is_left() {
        let times = |turn, left| Times { turn, left }.for_a_move();
        assert_eq!(times(None, Some(NO_LIMIT)), None);
        assert_eq!(times(Some(1000), None), Some(Duration::from_millis(950)));
        let share = Some(Duration::from_millis(95));
        assert_eq!(times(Some(1000), Some(2000)), share);
        assert_eq!(times(Some(0), Some(NO_LIMIT)), Some(Duration::ZERO));
    }
}
