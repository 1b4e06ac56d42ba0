use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use gridproof_certificate::{Guide, GuideError, Proof, Why, read_proof};
use gridproof_game::draw::{Diagram, TerminalStyle};
use gridproof_game::{Colour, Move, ParseSquareError, Square, State};

use super::Failure;
use super::check::open;
use super::output::{self, ColourChoice};

/// Show how a proof wins, and ask it about any defence
///
/// Prints the main line board by board: the defender's moves that hold out longest and the
/// attacker's answers. With --line the defender plays your moves first; with --ask, or on a
/// terminal, you may ask what happens if it plays anything else.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A proof file; - is standard input
    file: PathBuf,
    /// The defender's moves, like "k11 l10, h8 -"; - is a stone not placed
    #[arg(long, value_name = "MOVES")]
    line: Option<String>,
    /// Read questions from standard input, a defender's move each, instead of showing the
    /// main line
    #[arg(long, conflicts_with = "line")]
    ask: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
}

/// Why a text is no defender's move.
#[derive(Debug, thiserror::Error)]
enum NoMove {
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    #[error("{0} is named twice")]
    Twice(Square),
    #[error("a turn has {allowed} stones, and these are {found}")]
    TooMany { allowed: usize, found: usize },
}

impl Explain {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (proof, _) = read_proof(open(&self.file)?)?;
        let guide = Guide::new(&proof).map_err(|refusal| *refusal)?;
        let mut walk = Walk {
            proof: &proof,
            guide,
            style: self.color.style(),
            turns: 0,
            before: Vec::new(),
        };
        output::print(walk.board("From here", None).as_bytes())?;
        if let Some(line) = &self.line {
            let mut stones = stones(line);
            while !stones.is_empty() {
                walk.attack()?;
                if walk.guide.is_over() {
                    break;
                }
                let turn = walk.guide.position().move_len().min(stones.len());
                let rest = stones.split_off(turn);
                let mv = walk.read_move(&stones)?;
                walk.defend(&mv)?;
                stones = rest;
            }
            return walk.main_line();
        }
        let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        if self.ask {
            return walk.answer_questions(terminal);
        }
        let mut main_line = walk.clone();
        main_line.main_line()?;
        match terminal {
            true => walk.answer_questions(terminal),
            false => Ok(()),
        }
    }
}

fn stones(text: &str) -> Vec<&str> {
    let is_separator = |c: char| c.is_whitespace() || c == ',' || c == ';';
    text.split(is_separator)
        .filter(|word| !word.is_empty())
        .collect()
}

/// A game against the proof, told as it goes.
#[derive(Clone)]
struct Walk<'a> {
    proof: &'a Proof,
    guide: Guide<'a>,
    style: TerminalStyle,
    turns: usize,
    /// What `back` goes back to.
    before: Vec<(Guide<'a>, usize)>,
}

const HELP: &str = "\
Name the defender's stones, like k11 l10; - is a stone not placed. Or say:
  main   play on, the defender holding out as long as it can
  moves  the defender's moves that the proof lists here
  back   take back the defender's last move
  quit   end
";

impl Walk<'_> {
    fn defender(&self) -> Colour {
        self.proof.attacker().other()
    }

    /// Plays the attacker's move, if it is its turn, and shows the board.
    fn attack(&mut self) -> Result<(), Failure> {
        if !self.guide.attacker_to_move() {
            return Ok(());
        }
        let mv = self.guide.attack()?;
        self.turns += 1;
        let won = match self.guide.position().state() {
            State::Won(winner) => format!(": {winner} wins"),
            _ => String::new(),
        };
        let caption = format!("{}. {} {mv}{won}", self.turns, self.proof.attacker());
        output::print(self.board(&caption, Some(&mv)).as_bytes())
    }

    /// Plays a defender's move and shows the board and why the move loses.
    fn defend(&mut self, mv: &Move) -> Result<(), Failure> {
        let here = (self.guide.clone(), self.turns);
        let why = match self.guide.defend(mv)? {
            Why::Listed => String::new(),
            Why::Like(model) => format!(": answered like {model}"),
            Why::LeavesThreat(from, to) => format!(": leaves the line {from} to {to} open"),
        };
        self.before.push(here);
        self.turns += 1;
        let caption = format!("{}. {} {mv}{why}", self.turns, self.defender());
        output::print(self.board(&caption, Some(mv)).as_bytes())
    }

    /// To the end, the defender holding out as long as it can.
    fn main_line(&mut self) -> Result<(), Failure> {
        loop {
            self.attack()?;
            match self.guide.hardest_reply() {
                Some(mv) => self.defend(&mv)?,
                None => return Ok(()),
            }
        }
    }

    fn answer_questions(&mut self, prompt: bool) -> Result<(), Failure> {
        if prompt {
            output::print(HELP.as_bytes())?;
        }
        self.attack()?;
        let mut line = String::new();
        loop {
            if prompt {
                print!("what if {} plays? ", self.defender());
                io::stdout().flush()?;
            }
            line.clear();
            if io::stdin().lock().read_line(&mut line)? == 0 {
                return Ok(());
            }
            match line.trim() {
                "" => {}
                "quit" | "exit" => return Ok(()),
                "help" | "?" => output::print(HELP.as_bytes())?,
                "main" => self.main_line()?,
                "moves" => self.list_moves()?,
                "back" => self.back()?,
                _ if self.guide.is_over() => {
                    output::print(b"The game is over: say back, or quit.\n")?;
                }
                question => self.answer(question)?,
            }
        }
    }

    /// A move that cannot be played is said to be one, and the game goes on.
    fn answer(&mut self, question: &str) -> Result<(), Failure> {
        let mv = match self.read_move(&stones(question)) {
            Ok(mv) => mv,
            Err(error) => {
                return output::print(format!("{error}. Say help for help.\n").as_bytes());
            }
        };
        match self.defend(&mv) {
            Ok(()) => self.attack(),
            Err(failure) => match failure.downcast_ref::<GuideError>() {
                Some(GuideError::Illegal(error)) => output::print(format!("{error}.\n").as_bytes()),
                _ => Err(failure),
            },
        }
    }

    fn list_moves(&self) -> Result<(), Failure> {
        let moves: Vec<_> = self
            .guide
            .listed()
            .iter()
            .map(ToString::to_string)
            .collect();
        let text = match moves.is_empty() {
            true => "No move is listed: each of them leaves a threat open.\n".to_owned(),
            false => format!("{} moves: {}\n", moves.len(), moves.join(", ")),
        };
        output::print(text.as_bytes())
    }

    fn back(&mut self) -> Result<(), Failure> {
        let Some((guide, turns)) = self.before.pop() else {
            return output::print(b"This is where the questions begin.\n");
        };
        (self.guide, self.turns) = (guide, turns);
        output::print(self.board("Back here", None).as_bytes())
    }

    /// Stones that are not named are not placed.
    fn read_move(&self, words: &[&str]) -> Result<Move, NoMove> {
        let (allowed, found) = (self.guide.position().move_len(), words.len());
        if found > allowed {
            return Err(NoMove::TooMany { allowed, found });
        }
        let named = words.iter().filter(|word| **word != "-");
        let squares = named
            .map(|word| word.parse())
            .collect::<Result<Vec<Square>, _>>()?;
        let nulls = (allowed - squares.len()) as u8;
        Move::try_new(squares, nulls).map_err(NoMove::Twice)
    }

    fn board(&self, caption: &str, last: Option<&Move>) -> String {
        let mut diagram = Diagram::new(self.guide.position()).with_caption(caption);
        if let Some(last) = last {
            diagram = diagram.with_last_move(last);
        }
        diagram.to_terminal(self.style) + "\n"
    }
}
