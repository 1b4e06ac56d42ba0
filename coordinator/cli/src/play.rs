use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gridproof_engine::Line;
use gridproof_engine::gomocup::Gomocup;
use gridproof_engine::players::{Effort, EnginePlayer, Player, PlayerSpec};
use gridproof_engine::protocol::{Response, Session};
use gridproof_game::draw::Diagram;
use gridproof_game::records::{Format, Game};
use gridproof_game::{Colour, Move, PositionInput, Rules, Square, State};
use gridproof_solver::Budget;

use super::Failure;
use super::book::{BookPlayer, open_for_play};
use super::output::{self, ColourChoice};
use super::rules::RulesOption;
use super::threats::Threats;

/// Play against the engine, or let a graphical front end drive it
///
/// On a terminal you play yourself, and see the engine's best lines while it thinks. Otherwise, or
/// with --protocol, commands come on standard input: new black, black XXXX, white XXXX, move XXXX,
/// next, depth D, quit; help lists them. With --gomocup they are those of the Gomocup protocol,
/// which Piskvork and other front ends for five in a row speak: START, BEGIN, TURN, BOARD, INFO,
/// RESTART, TAKEBACK, ABOUT, END. Where a turn has two stones they stand on one line, as in
/// TURN 9,8 10,7.
#[derive(Debug, Args)]
pub(super) struct Play {
    /// Who plays: engine, engine:NODES, engine:TIME such as engine:5s, either with threads
    /// (engine:5s,2), engine-1ply, engine-1ply:NODES, beam, beam:DEPTH,WIDTH, beam-tuned,
    /// defensive, defensive-search, connections or stdin:COMMAND
    #[arg(long, value_name = "PLAYER", default_value = "engine")]
    against: PlayerSpec,
    /// Speak the stdin protocol even on a terminal
    #[arg(long, conflicts_with_all = ["side", "position"])]
    protocol: bool,
    /// Speak the Gomocup protocol
    #[arg(long, conflicts_with_all = ["side", "position", "protocol"])]
    gomocup: bool,
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
    Hint,
    Save(PathBuf),
    Quit,
}

const HOW_TO: &str = "\
your stones, like k11 l10
hint        what the engine would play, and how the game may go on
undo        take back your last move, also after the end
save FILE   write the game as a record
quit        leave
";

/// Moves that a hint shows.
const HINTS: usize = 3;

impl Play {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let stdin = io::stdin();
        if self.gomocup {
            self.manage(stdin.lock())
        } else if self.protocol || !stdin.is_terminal() && self.position.is_none() {
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
        answer_all(commands, |line| session.obey(line))
    }

    fn manage(&self, commands: impl BufRead) -> Result<(), Failure> {
        let make = |rules| self.player(rules).map_err(|failure| failure.to_string());
        let mut session = Gomocup::new(self.rules.or_connect6(), &make);
        answer_all(commands, |line| session.obey(line))
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
            let is_open = game.position().state() == State::Open;
            if is_open && game.position().to_move() != person {
                let mv = self.answer(&mut *player, &game)?;
                game.play(mv)?;
                continue;
            }
            match ask(&mut lines, &game)? {
                Typed::Quit => return Ok(()),
                Typed::TakeBack => {
                    let turns = before_last_of(&game, person);
                    game = game.up_to(turns).unwrap_or(game);
                }
                Typed::Hint => self.hint(&game)?,
                Typed::Save(path) => save(&game, &path)?,
                Typed::Move(mv) => {
                    game.play(mv)?;
                }
            }
        }
    }

    /// The best moves for the side to move, best first.
    fn hint(&self, game: &Game) -> Result<(), Failure> {
        let position = game.position();
        let effort = match self.against {
            PlayerSpec::Engine(effort) => effort,
            _ => Effort::default(),
        };
        let mut engine = EnginePlayer::with_effort(*position.rules(), effort);
        let mut known = Vec::new();
        while known.len() < HINTS && position.state() == State::Open {
            let mut budget = Budget::of_nodes(u64::MAX);
            let Some(thought) = engine.think(position, &known, &mut budget, &mut |_, _| {}) else {
                break;
            };
            output::print(format!("  {}. {}\n", known.len() + 1, thought.best).as_bytes())?;
            known.extend(thought.best.moves.into_iter().next());
        }
        Ok(())
    }

    fn answer(&self, player: &mut dyn Player, game: &Game) -> Result<Move, Failure> {
        let mut report = |line: &Line, nodes: u64| {
            output::print_extra(&format!("  {nodes:>9} nodes  {line}\n")).unwrap_or_default();
        };
        let mv = player.choose_telling(game, &mut Budget::of_nodes(u64::MAX), &mut report)?;
        output::print(format!("{} plays {mv}\n", player.author()).as_bytes())?;
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
        for side in Threats::of_both(position).iter().flatten() {
            diagram = side.mark(diagram);
        }
        if let Some(last) = game.moves().last() {
            diagram = diagram.with_last_move(last);
        }
        output::print(diagram.to_terminal(self.color.style()).as_bytes())
    }
}

/// Answers commands line by line.
fn answer_all(
    commands: impl BufRead,
    mut obey: impl FnMut(&str) -> Response,
) -> Result<(), Failure> {
    for line in commands.lines() {
        match obey(&line?) {
            Response::Say(text) => output::print(format!("{text}\n").as_bytes())?,
            Response::Nothing => {}
            Response::Quit => break,
        }
    }
    Ok(())
}

/// How many turns there were before the last one of a side.
fn before_last_of(game: &Game, side: Colour) -> usize {
    let turns = game.moves().len();
    match game.position().to_move() {
        // The loser is to move, or the winner's place is: whose turn would come next.
        next if next == side => turns.saturating_sub(2),
        _ => turns.saturating_sub(1),
    }
}

fn save(game: &Game, path: &Path) -> Result<(), Failure> {
    let record = Format::LittleGolem.write(game)?;
    let words = match output::write_to(path, &record) {
        Ok(()) => format!("saved {}\n", path.display()),
        Err(failure) => format!("{failure}\n"),
    };
    output::print(words.as_bytes())
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
            "hint" => return Ok(Typed::Hint),
            "help" => output::print(HOW_TO.as_bytes())?,
            text if text.starts_with("save ") => {
                return Ok(Typed::Save(PathBuf::from(text["save ".len()..].trim())));
            }
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
