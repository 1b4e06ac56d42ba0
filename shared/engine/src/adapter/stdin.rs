//! Engines that take commands on standard input: `new white`, `black JJ`, `white IHHI`,
//! `next`, and answer `move XXXX`.

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Position, Rules};
use gridproof_solver::{Budget, Cancel};

use super::error::AdapterError;
use super::process::{EngineCommand, Process};
use super::{read_move, write_move};
use crate::players::{Player, PlayerError};

/// Another engine that plays through the stdin protocol.
///
/// It is told the whole game before every move, so that it cannot fall out of step, and it is
/// started anew after a failure.
#[derive(Debug)]
pub struct StdinEngine {
    command: EngineCommand,
    process: Option<Process>,
}

impl StdinEngine {
    /// An engine that is started when its first move is wanted.
    #[must_use]
    pub const fn new(command: EngineCommand) -> Self {
        Self {
            command,
            process: None,
        }
    }

    /// The engine's move after a game.
    pub fn next_move(&mut self, game: &Game, cancel: &Cancel) -> Result<Move, AdapterError> {
        let commands = commands(game)?;
        let mut process = match self.process.take() {
            Some(process) => process,
            None => Process::start(&self.command)?,
        };
        process.send(commands);
        let position = game.position();
        let mv = process.wait_for(self.command.time_out, cancel, |line| {
            // What is indented is help, and what comes before the answer is a greeting.
            let rest = line.strip_prefix("move ")?.trim();
            Some(answered(rest, position))
        })?;
        // Only an engine that behaved is asked again.
        self.process = Some(process);
        Ok(mv)
    }
}

fn answered(text: &str, position: &Position) -> Result<Move, AdapterError> {
    let mv = read_move(text, position.rules())
        .ok_or_else(|| AdapterError::Garbage(text.chars().take(60).collect()))?;
    match position.clone().play(&mv) {
        Ok(_) => Ok(mv),
        Err(reason) => Err(AdapterError::Illegal { mv, reason }),
    }
}

/// The whole game, then the question.
fn commands(game: &Game) -> Result<String, AdapterError> {
    if *game.rules() != Rules::CONNECT6 {
        return Err(AdapterError::Rules(*game.rules()));
    }
    // The colour is the engine's. As White it waits; as Black it would move at once.
    let mut text = "new white\n".to_owned();
    for (mv, colour) in game.moves().iter().zip(Colour::BOTH.into_iter().cycle()) {
        if mv.nulls() > 0 {
            return Err(AdapterError::NullStones);
        }
        text.extend([name(colour), " ", &write_move(mv), "\n"]);
    }
    text.push_str("next\n");
    Ok(text)
}

const fn name(colour: Colour) -> &'static str {
    match colour {
        Colour::Black => "black",
        Colour::White => "white",
    }
}

impl Player for StdinEngine {
    fn name(&self) -> String {
        self.command.program.clone()
    }

    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Move, PlayerError> {
        Ok(self.next_move(game, budget.cancel())?)
    }
}
