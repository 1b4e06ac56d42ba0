use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::Args;
use gridproof_certificate::{
    CheckLimits, Explanation, FormatError, Guide, GuideError, Proof, read_proof_within,
};
use gridproof_game::draw::{Diagram, TerminalStyle};
use gridproof_game::records::{Format, Game};
use gridproof_game::{Colour, Move, ParseSquareError, Square, State, read_game};
use gridproof_host::Size;
use gridproof_page::ProofShelf;
use tokio_util::sync::CancellationToken;

use super::Failure;
use super::exit::BadInput;
use super::output::{self, ColourChoice};
use super::page::PageArgs;
use super::questions::Questions;
use super::threats::Threats;
use super::values::memory;

/// Show how a proof wins, and ask it about any defence
///
/// On a terminal it asks at once what the defender plays, and answers; an empty line lets the
/// defender play what holds out longest. Elsewhere it prints that main line board by board.
/// With --line the defender plays your moves first.
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
    /// Draw the end of the line as an SVG picture, its moves numbered; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "ask")]
    svg: Option<PathBuf>,
    /// Write the line as a game record in SGF; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "ask")]
    sgf: Option<PathBuf>,
    /// Memory that the proof and its check may take, half each
    #[arg(long, value_name = "SIZE", default_value_t = Size::of_bytes(2 * CheckLimits::default().memory),
        value_parser = memory)]
    memory: Size,
    #[command(flatten)]
    page: PageArgs,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
}

/// A file that holds no proof.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.display())]
struct ReadProofError {
    path: PathBuf,
    source: FormatError,
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
        let path = self.file.clone();
        let limits = CheckLimits {
            memory: self.memory.bytes() / 2,
        };
        let read = read_proof_within(output::open_input(&self.file)?, limits.memory);
        let (proof, _) = read.map_err(|source| ReadProofError { path, source })?;
        if self.page.is_wanted() {
            return super::runtime()?.block_on(self.show_page(proof, limits));
        }
        let writes = self.svg.is_some() || self.sgf.is_some();
        let boards = if writes {
            Boards::None
        } else {
            Boards::Terminal(self.color.style())
        };
        let mut walk = Walk::new(&proof, boards, limits)?;
        let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        if self.ask || (terminal && self.line.is_none() && !writes) {
            return walk.answer_questions(terminal);
        }
        walk.begin()?;
        let mut stones = stones(self.line.as_deref().unwrap_or_default());
        while !stones.is_empty() {
            walk.attack()?;
            if walk.guide.is_over() {
                break;
            }
            let turn = walk.guide.position().move_len().min(stones.len());
            let rest = stones.split_off(turn);
            let mv = walk
                .read_move(&stones)
                .map_err(|error| BadInput(error.to_string()))?;
            walk.defend(&mv)?;
            stones = rest;
        }
        walk.main_line()?;
        self.write_files(&walk)
    }

    /// Lets a browser play against the proof until the program is told to end.
    async fn show_page(&self, proof: Proof, limits: CheckLimits) -> Result<(), Failure> {
        let title = self.file.display().to_string();
        let shelf = ProofShelf::of_file(&title, proof, limits).map_err(|refusal| *refusal)?;
        let shutdown = CancellationToken::new();
        if let Some(address) = self.page.serve_proof(shelf, &shutdown).await? {
            eprintln!("Page: {}\nCtrl-C ends it.", address.entry());
        }
        super::asked_to_leave().await;
        shutdown.cancel();
        Ok(())
    }

    fn write_files(&self, walk: &Walk<'_>) -> Result<(), Failure> {
        if self.svg.is_none() && self.sgf.is_none() {
            return Ok(());
        }
        let game = walk.game()?;
        if let Some(path) = &self.svg {
            let mut diagram = Diagram::new(game.position()).with_turn_numbers(&game);
            for (colour, ends) in Threats::winning_rows(game.position()) {
                diagram = diagram.with_threat_line(colour, ends);
            }
            let winner = format!("{} wins", walk.proof.attacker());
            output::write_to(path, diagram.with_caption(&winner).to_svg().as_bytes())?;
        }
        if let Some(path) = &self.sgf {
            output::write_to(path, &Format::StoneSgf.write(&game)?)?;
        }
        let to_stdout = |path: &&PathBuf| path.as_os_str() == "-";
        let files = self.svg.iter().map(|path| ("Picture", path));
        let files = files.chain(self.sgf.iter().map(|path| ("Record", path)));
        // Nothing else may stand where the picture or the record goes.
        if self
            .svg
            .iter()
            .chain(&self.sgf)
            .any(|path| to_stdout(&path))
        {
            return Ok(());
        }
        for (what, path) in files {
            output::print_extra(&format!("{what}: {}\n", path.display()))?;
        }
        Ok(())
    }
}

/// Prints the main line of a proof file board by board.
pub(super) fn print_main_line(path: &Path, style: TerminalStyle) -> Result<(), Failure> {
    let limits = CheckLimits::default();
    let (proof, _) = read_proof_within(output::open_file(path)?, limits.memory)?;
    let mut walk = Walk::new(&proof, Boards::Terminal(style), limits)?;
    walk.begin()?;
    walk.main_line()
}

/// A game that leads to the start of a proof.
fn start_of(proof: &Proof) -> Option<Game> {
    let start = proof.start();
    if start.stone_count() == 0 {
        return Some(Game::new(*start.rules()));
    }
    read_game(gridproof_grid::position_record(start)?.as_bytes()).ok()
}

fn stones(text: &str) -> Vec<&str> {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '/');
    text.split(is_separator)
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether positions are printed on the way.
#[derive(Clone, Copy)]
enum Boards {
    Terminal(TerminalStyle),
    None,
}

/// A game against the proof, told as it goes.
#[derive(Clone)]
struct Walk<'a> {
    proof: &'a Proof,
    guide: Guide<'a>,
    boards: Boards,
    /// Turns that led to the start of the proof.
    before_proof: usize,
    moves: Vec<Move>,
    /// What `back` goes back to: a position and the moves that led there.
    before: Vec<(Guide<'a>, usize)>,
}

/// More moves than this are not read.
const MOVES_SHOWN: usize = 40;

const HELP: &str = "\
Name the defender's stones, like k11 l10; - is a stone not placed. Or say:
  (nothing)  the defender plays what holds out longest; so does the right arrow
  main       play on to the end like that
  moves      the defender's moves that the proof lists here; moves k11 those with this stone
  back       take back the defender's last move; so does the left arrow
  quit       end
";

impl<'a> Walk<'a> {
    fn new(proof: &'a Proof, boards: Boards, limits: CheckLimits) -> Result<Self, Failure> {
        Ok(Self {
            proof,
            guide: Guide::within(proof, limits).map_err(|refusal| *refusal)?,
            boards,
            before_proof: start_of(proof).map_or(0, |game| game.moves().len()),
            moves: Vec::new(),
            before: Vec::new(),
        })
    }

    fn begin(&self) -> Result<(), Failure> {
        self.show("From here", None)
    }

    fn defender(&self) -> Colour {
        self.proof.attacker().other()
    }

    /// The moves so far as a game from the empty board.
    fn game(&self) -> Result<Game, Failure> {
        let mut game = start_of(self.proof)
            .ok_or_else(|| BadInput("no game leads to the position of this proof".to_owned()))?;
        for mv in &self.moves {
            game.play(mv.clone())?;
        }
        Ok(game)
    }

    /// The number of the last turn, counted from the empty board as pictures count it.
    fn turn(&self) -> usize {
        self.before_proof + self.moves.len()
    }

    /// Plays the attacker's move, if it is its turn, and shows the board.
    fn attack(&mut self) -> Result<(), Failure> {
        if !self.guide.attacker_to_move() {
            return Ok(());
        }
        let mv = self.guide.attack()?;
        self.moves.push(mv.clone());
        let won = match self.guide.position().state() {
            State::Won(winner) => format!(": {winner} wins"),
            _ => String::new(),
        };
        let caption = format!("{}. {} {mv}{won}", self.turn(), self.proof.attacker());
        self.show(&caption, Some(&mv))
    }

    /// Plays a defender's move and shows the board and why the move loses.
    fn defend(&mut self, mv: &Move) -> Result<(), Failure> {
        let here = (self.guide.clone(), self.moves.len());
        let why = match self.guide.defend(mv)? {
            Explanation::Listed => String::new(),
            Explanation::Like(model) => format!(": answered like {model}"),
            Explanation::LeavesThreat(from, to) => format!(": leaves the line {from} to {to} open"),
        };
        self.before.push(here);
        self.moves.push(mv.clone());
        let caption = format!("{}. {} {mv}{why}", self.turn(), self.defender());
        self.show(&caption, Some(mv))
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

    fn answer_questions(&mut self, terminal: bool) -> Result<(), Failure> {
        if terminal {
            output::print(HELP.as_bytes())?;
        }
        self.begin()?;
        self.attack()?;
        let mut lines = Questions::new(terminal)?;
        while let Some(line) = lines.next(&format!("what if {} plays? ", self.defender()))? {
            match line.trim() {
                "quit" | "exit" => return Ok(()),
                "help" | "?" => output::print(HELP.as_bytes())?,
                "main" => self.main_line()?,
                line if line.starts_with("moves") => self.list_moves(&line["moves".len()..])?,
                "back" => self.back()?,
                _ if self.guide.is_over() => {
                    output::print(b"The game is over: say back, or quit.\n")?;
                }
                "" => self.step()?,
                question => self.answer(question)?,
            }
        }
        Ok(())
    }

    /// One turn of the main line.
    fn step(&mut self) -> Result<(), Failure> {
        if let Some(mv) = self.guide.hardest_reply() {
            self.defend(&mv)?;
        }
        self.attack()
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

    /// The defender's moves that the proof lists, or those of them with a stone. There may be
    /// thousands.
    fn list_moves(&self, with: &str) -> Result<(), Failure> {
        let stone = match with.trim() {
            "" => None,
            name => match name.parse::<Square>() {
                Ok(stone) => Some(stone),
                Err(error) => return output::print(format!("{error}.\n").as_bytes()),
            },
        };
        let listed = self.guide.listed();
        let fits = |mv: &&Move| stone.is_none_or(|stone| mv.stones().contains(&stone));
        let moves: Vec<_> = listed
            .into_iter()
            .filter(fits)
            .map(ToString::to_string)
            .collect();
        let shown = &moves[..moves.len().min(MOVES_SHOWN)];
        let text = match (moves.len(), shown.len()) {
            (0, _) if stone.is_some() => "No move with this stone is listed: it is answered like \
                                          another, or leaves a threat open.\n"
                .to_owned(),
            (0, _) => "No move is listed: each of them leaves a threat open.\n".to_owned(),
            (all, some) if all > some => format!(
                "{all} moves, {some} of them: {}\nSay moves and a square for those with a stone \
                 there.\n",
                shown.join(", ")
            ),
            (all, _) => format!("{all} moves: {}\n", shown.join(", ")),
        };
        output::print(text.as_bytes())
    }

    fn back(&mut self) -> Result<(), Failure> {
        let Some((guide, moves)) = self.before.pop() else {
            return output::print(b"This is where the questions begin.\n");
        };
        self.guide = guide;
        self.moves.truncate(moves);
        self.show("Back here", None)
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

    /// The position with its threats, if positions are printed.
    fn show(&self, caption: &str, last: Option<&Move>) -> Result<(), Failure> {
        let Boards::Terminal(style) = self.boards else {
            return Ok(());
        };
        let position = self.guide.position();
        let mut diagram = Diagram::new(position).with_caption(caption);
        if let Some(last) = last {
            diagram = diagram.with_last_move(last);
        }
        for side in Threats::of_both(position).iter().flatten() {
            diagram = side.mark(diagram);
        }
        output::print((diagram.to_terminal(style) + "\n").as_bytes())
    }
}
