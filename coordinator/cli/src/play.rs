use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gridproof_engine::players::{Player, PlayerSpec};
use gridproof_engine::protocol::{Response, Session};
use gridproof_game::draw::Diagram;
use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, PositionInput, Rules, Square, State};
use gridproof_solver::Budget;

use super::Failure;
use super::book::{BookPlayer, open_for_play};
use super::output::{self, ColourChoice};
use super::rules::RulesOption;

/// Play against the engine, or let a graphical front end drive it
///
/// On a terminal you play yourself. Otherwise, or with --protocol, commands come on standard
/// input: new black, black XXXX, white XXXX, move XXXX, next, depth D, quit; help lists them.
#[derive(Debug, Args)]
pub(super) struct Play {
    /// Who plays: engine, engine:NODES, beam, beam:DEPTH,WIDTH, beam-tuned, defensive,
    /// defensive-search, connections or stdin:COMMAND
    #[arg(long, value_name = "PLAYER", default_value = "engine")]
    against: PlayerSpec,
    /// Speak the stdin protocol even on a terminal
    #[arg(long, conflicts_with_all = ["side", "position"])]
    protocol: bool,
    /// The colour that you play
    #[arg(long = "as", value_name = "COLOUR", default_value = "black")]
    side: Side,
    /// Start here: a record file, an opening like TX-H9, or a record itself
    #[arg(long)]
    position: Option<PositionInput>,
    #[command(flatten)]
    rules: RulesOption,
    /// Open from this book, and follow its proofs
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    Black,
    White,
}

/// What a person typed.
enum Typed {
    Move(Move),
    TakeBack,
    Quit,
}

const HOW_TO: &str =
    "your stones, like k11 l10; undo takes back your last move, quit ends the game\n";

impl Play {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let stdin = io::stdin();
        if self.protocol || !stdin.is_terminal() && self.position.is_none() {
            self.obey(stdin.lock())
        } else {
            self.play(stdin.lock())
        }
    }

    fn player(&self, rules: Rules) -> Result<Box<dyn Player>, Failure> {
        let player = self.against.player(rules);
        Ok(match &self.book {
            None => player,
            Some(path) => Box::new(BookPlayer::new(open_for_play(path, rules)?, player)),
        })
    }

    fn obey(&self, commands: impl BufRead) -> Result<(), Failure> {
        let mut session = Session::new(self.player(self.rules.or_connect6())?);
        for line in commands.lines() {
            match session.obey(&line?) {
                Response::Say(text) => output::print(format!("{text}\n").as_bytes())?,
                Response::Nothing => {}
                Response::Quit => break,
            }
        }
        Ok(())
    }

    fn play(&self, mut lines: impl BufRead) -> Result<(), Failure> {
        let mut game = match &self.position {
            Some(input) => self.rules.read_from(input, io::empty())?,
            None => Game::new(self.rules.or_connect6()),
        };
        let mut player = self.player(*game.rules())?;
        let person = match self.side {
            Side::Black => Colour::Black,
            Side::White => Colour::White,
        };
        output::print(HOW_TO.as_bytes())?;
        loop {
            self.draw(&game)?;
            if game.position().state() != State::Open {
                return Ok(());
            }
            if game.position().to_move() != person {
                let mv = self.answer(&mut *player, &game)?;
                game.play(mv)?;
                continue;
            }
            match ask(&mut lines, &game)? {
                Typed::Quit => return Ok(()),
                Typed::TakeBack => {
                    let turns = game.moves().len().saturating_sub(2);
                    game = game.up_to(turns).unwrap_or(game);
                }
                Typed::Move(mv) => {
                    game.play(mv)?;
                }
            }
        }
    }

    fn answer(&self, player: &mut dyn Player, game: &Game) -> Result<Move, Failure> {
        let mv = player.choose(game, &mut Budget::of_nodes(u64::MAX))?;
        output::print(format!("{} plays {mv}\n", self.against).as_bytes())?;
        Ok(mv)
    }

    fn draw(&self, game: &Game) -> Result<(), Failure> {
        let position = game.position();
        let state = match position.state() {
            State::Open => format!("{} to move", position.to_move()),
            State::Won(colour) => format!("{colour} has won"),
            State::Drawn => "a draw".to_owned(),
        };
        let mut diagram = Diagram::new(position).with_caption(&state);
        if let Some(last) = game.moves().last() {
            diagram = diagram.with_last_move(last);
        }
        output::print(diagram.to_terminal(self.color.style()).as_bytes())
    }
}

/// Asks until the answer can be played.
fn ask(lines: &mut impl BufRead, game: &Game) -> Result<Typed, Failure> {
    loop {
        output::print(b"> ")?;
        let mut line = String::new();
        if lines.read_line(&mut line)? == 0 {
            return Ok(Typed::Quit);
        }
        match line.trim() {
            "" => {}
            "quit" | "exit" => return Ok(Typed::Quit),
            "undo" => return Ok(Typed::TakeBack),
            text => match read(text, game) {
                Ok(mv) => return Ok(Typed::Move(mv)),
                Err(failure) => output::print(format!("{failure}\n{HOW_TO}").as_bytes())?,
            },
        }
    }
}

fn read(text: &str, game: &Game) -> Result<Move, Failure> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace());
    let squares = words
        .filter(|word| !word.is_empty())
        .map(str::parse::<Square>)
        .collect::<Result<Vec<_>, _>>()?;
    let mv = Move::try_new(squares, 0).map_err(|twice| format!("{twice} is named twice"))?;
    game.position().clone().play(&mv)?;
    Ok(mv)
}
