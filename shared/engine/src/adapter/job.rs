//! Engines that do one job per start: position and excluded moves on the command line, the
//! best move with a graded comment on standard output.
//!
//! ```text
//! engine -playtsumego ";B[JJ];W[LH];W[HH]" -ignore ";W[IH];W[JH]"
//! ;B[KK];B[LJ]C[B:a_w]
//! ```

use gridproof_game::{Colour, Move, Position, Rules, Square};
use gridproof_solver::Cancel;

use super::error::AdapterError;
use super::letters;
use super::process::{EngineCommand, Input, Process};
use crate::engine::{Answer, EngineError, Suggestion, check_excluded, check_open};
use crate::status::Status;

/// Another engine that does engine jobs.
#[derive(Clone, Debug)]
pub struct JobEngine {
    command: EngineCommand,
}

impl JobEngine {
    #[must_use]
    pub const fn new(command: EngineCommand) -> Self {
        Self { command }
    }

    /// The best move that is not excluded, as the other engine sees it.
    pub fn suggest(
        &self,
        position: &Position,
        excluded: &[Move],
        cancel: &Cancel,
    ) -> Result<Answer, EngineError> {
        check_open(position)?;
        check_excluded(position, excluded)?;
        let mut arguments = vec!["-playtsumego".to_owned(), stones_played(position)?];
        if !excluded.is_empty() {
            let moves = excluded
                .iter()
                .map(|mv| nodes(position.to_move(), mv.stones()));
            arguments.extend(["-ignore".to_owned(), moves.collect()]);
        }
        let mut process = Process::start(&self.command, &arguments, Input::None)?;
        let (mv, status) = process.wait_for(self.command.time_out, cancel, |line| {
            let line = line.trim();
            (line.starts_with(';') || line.starts_with("(;")).then(|| answered(line, position))
        })?;
        if excluded.contains(&mv) {
            return Err(AdapterError::Excluded(mv).into());
        }
        Ok(Answer::Suggest(vec![Suggestion { mv, status }]))
    }
}

/// Black's and White's turns in an order in which they may have been played: which stone came
/// when is not known of a position, and does not matter.
fn stones_played(position: &Position) -> Result<String, AdapterError> {
    let rules = *position.rules();
    if rules != Rules::CONNECT6 {
        return Err(AdapterError::Rules(rules));
    }
    let [black, white] = Colour::BOTH.map(|colour| position.stones(colour));
    if Position::of_game_stones(rules, black, white, position.to_move()).is_err() {
        return Err(AdapterError::NullStones);
    }
    let [mut black, mut white] =
        [black, white].map(|set| set.iter().collect::<Vec<_>>().into_iter());
    let mut text = String::new();
    let mut count = usize::from(rules.first_stones());
    loop {
        for (colour, stones) in [(Colour::Black, &mut black), (Colour::White, &mut white)] {
            let turn: Vec<Square> = stones.by_ref().take(count).collect();
            if turn.is_empty() {
                return Ok(text);
            }
            text.push_str(&nodes(colour, &turn));
            count = usize::from(rules.stones_per_turn());
        }
    }
}

/// `;W[IH];W[JH]`
fn nodes(colour: Colour, stones: &[Square]) -> String {
    let node = |&square| {
        let [column, row] = letters::pair(square);
        format!(";{}[{column}{row}]", colour.letter())
    };
    stones.iter().map(node).collect()
}

/// Reads `;B[KK];B[LJ]C[B:a_w]`. Without a comment the position counts as unclear.
fn answered(line: &str, position: &Position) -> Result<(Move, Status), AdapterError> {
    let garbage = || AdapterError::Garbage(line.chars().take(60).collect());
    let mut stones = Vec::new();
    let mut status = Status::Unclear;
    for property in line.split(']') {
        let Some((key, value)) = property.rsplit_once('[') else {
            continue;
        };
        let key = key.trim_matches(|c: char| c == ';' || c == '(' || c.is_whitespace());
        if key == "C" {
            status = value
                .split_whitespace()
                .find_map(Status::from_comment)
                .ok_or_else(garbage)?;
        } else if key == position.to_move().letter().to_string() {
            let &[column, row] = value.as_bytes() else {
                return Err(garbage());
            };
            let square = letters::square([column, row], position.rules()).ok_or_else(garbage)?;
            stones.push(square);
        } else {
            return Err(garbage());
        }
    }
    let mv = Move::try_new(stones, 0).map_err(|_| garbage())?;
    match position.clone().play(&mv) {
        Ok(_) => Ok((mv, status)),
        Err(reason) => Err(AdapterError::Illegal { mv, reason }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_game::Opening;

    fn position() -> Position {
        "TX-H9".parse::<Opening>().unwrap().position()
    }

    #[test]
    fn a_position_is_written_turn_by_turn() {
        let text = stones_played(&position()).unwrap();
        assert_eq!(text, ";B[JJ];W[IH];W[HI]");
    }

    #[test]
    fn an_answer_is_a_move_with_an_opinion() {
        let (mv, status) = answered(";B[KK];B[LJ]C[B:a_w]", &position()).unwrap();
        assert_eq!(mv.to_string(), "L10 K11");
        assert_eq!(status, Status::AlmostWon(Colour::Black));
        let (_, status) = answered("(;B[KK];B[LJ])", &position()).unwrap();
        assert_eq!(status, Status::Unclear);
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for line in [
            ";B[KK]",
            ";W[KK];W[LJ]",
            ";B[KK];B[KK]",
            ";B[JJ];B[LJ]",
            ";B[KK];B[LJ]C[hello]",
            ";B[ZZ];B[LJ]",
            ";",
            ";B[KKLJ]",
        ] {
            assert!(answered(line, &position()).is_err(), "{line}");
        }
    }

    #[test]
    fn null_stones_behind_a_position_are_named() {
        let passed = position().with_to_move(Colour::White);
        assert_eq!(stones_played(&passed), Err(AdapterError::NullStones));
    }
}
