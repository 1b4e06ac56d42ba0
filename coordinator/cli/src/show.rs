use std::path::PathBuf;

use clap::Args;
use gridproof_game::draw::Diagram;
use gridproof_game::records::Game;
use gridproof_game::{Opening, Position, PositionInput, State};
use gridproof_host::words::printable;

use super::Failure;
use super::exit::BadInput;
use super::operate::{Node, NodeChoice};
use super::output::{self, ColourChoice};
use super::rules::RulesOption;
use super::settings::Connection;
use super::threats::Threats;
use super::values::within;

/// Draw a position, with the threats of each side
#[derive(Debug, Args)]
pub(super) struct Show {
    /// A record file, - for standard input, an opening like TX-H9 (more stones may follow:
    /// "TX-H9 k11,l10"), or a record itself, like j10,k11,i11
    #[arg(required_unless_present_any = ["node", "search"])]
    position: Option<PositionInput>,
    /// Show this position of a running coordinator's searches instead, by the number that
    /// `gridproof status`, `top` and `watch` tell
    #[arg(long, value_name = "N", conflicts_with_all = ["position", "turn", "numbers"],
        value_parser = within::<u32>(0..=u32::MAX.into()))]
    node: Option<u32>,
    /// Show a position of this search of a running coordinator, and what is known of it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["position", "node", "turn", "numbers"])]
    search: Option<String>,
    /// The moves that lead there from the search's root, such as "K11 L10 / H9 -"
    #[arg(long, value_name = "MOVES", requires = "search", default_value = "")]
    line: String,
    #[command(flatten)]
    rules: RulesOption,
    /// Show the position after this many turns; 0 is the empty board
    #[arg(long = "move", value_name = "N", value_parser = within::<usize>(0..=u64::MAX))]
    turn: Option<usize>,
    /// Write an SVG drawing too; - is standard output, without the drawing in text
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Number the stones of the SVG drawing by turns
    #[arg(long, requires = "svg")]
    numbers: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", alias = "colour")]
    color: ColourChoice,
    #[command(flatten)]
    connection: Connection,
}

impl Show {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match (&self.position, self.node, &self.search) {
            (_, Some(number), _) => self.show_node(&NodeChoice::Number(number)),
            (_, None, Some(search)) => {
                let line = &self.line;
                self.show_node(&NodeChoice::Line { search, line })
            }
            (Some(input), None, None) => self.show_game(&self.rules.read(input)?),
            (None, None, None) => Err(BadInput("name a position, or a node".to_owned()).into()),
        }
    }

    fn show_game(&self, whole: &Game) -> Result<(), Failure> {
        let turns = whole.moves().len();
        let asked = self.turn.unwrap_or(turns);
        let game = whole.up_to(asked).ok_or_else(|| {
            let words =
                format!("the game has {turns} turns: there is no position after turn {asked}");
            BadInput(words)
        })?;
        let mut diagram = Diagram::new(game.position());
        for line in caption(&game, whole) {
            diagram = diagram.with_caption(&printable(&line));
        }
        if let Some(last) = game.moves().last() {
            diagram = diagram.with_last_move(last);
        }
        let numbers = self.numbers.then_some(&game);
        self.draw(game.position(), diagram, numbers, "")
    }

    fn show_node(&self, choice: &NodeChoice<'_>) -> Result<(), Failure> {
        let node = Node::fetch(&self.connection, choice)?;
        let diagram = Diagram::new(&node.position).with_caption(&node.caption());
        self.draw(&node.position, diagram, None, &node.about())
    }

    /// Draws a position with its threats; words follow. `numbers` are for the SVG alone.
    fn draw(
        &self,
        position: &Position,
        mut diagram: Diagram<'_>,
        numbers: Option<&Game>,
        words: &str,
    ) -> Result<(), Failure> {
        for (colour, ends) in Threats::winning_rows(position) {
            diagram = diagram.with_threat_line(colour, ends);
        }
        let threats = Threats::of_both(position);
        for side in threats.iter().flatten() {
            diagram = side.mark(diagram);
        }
        if let Some(path) = &self.svg {
            let mut drawing = diagram.clone();
            if let Some(game) = numbers {
                drawing = drawing.with_turn_numbers(game);
            }
            output::write_to(path, drawing.to_svg().as_bytes())?;
            if path.as_os_str() == "-" {
                return Ok(());
            }
        }
        let mut text = diagram.to_terminal(self.color.style());
        if let Some(sides) = &threats {
            text.push('\n');
            for side in sides {
                text.extend([&side.to_string(), "\n"]);
            }
        }
        output::print((text + words).as_bytes())
    }
}

/// Who played what, then where in the game we are.
fn caption(game: &Game, whole: &Game) -> Vec<String> {
    let headers = &game.headers;
    let opening = game
        .positions()
        .take(3)
        .filter_map(|position| Opening::of(&position))
        .last()
        .map(|opening| format!("Opening {opening}"));
    let players = match (&headers.black, &headers.white) {
        (None, None) => None,
        (black, white) => {
            let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
            Some(format!("{} (Black) – {} (White)", name(black), name(white)))
        }
    };
    let about: Vec<_> = [
        players,
        headers.event.clone(),
        headers.date.clone(),
        headers.place.clone(),
        opening,
        headers.result.map(|outcome| outcome.to_string()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let rules = game.rules();
    let turn = game.moves().len();
    let turns = match whole.moves().len() {
        all if all == turn => format!("after turn {turn}"),
        all => format!("after turn {turn} of {all}"),
    };
    let state = match game.position().state() {
        State::Open => format!("{} to move", game.position().to_move()),
        State::Won(colour) => format!("{colour} has won"),
        State::Drawn => "the board is full: a draw".to_owned(),
    };
    let mut lines = vec![format!("{rules}, {turns}: {state}")];
    if !about.is_empty() {
        lines.insert(0, about.join(", "));
    }
    lines
}
