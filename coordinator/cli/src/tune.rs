use std::path::{Path, PathBuf};

use clap::Args;
use gridproof_engine::tune::{Fit, TuneOptions, tune};
use gridproof_game::read_game;
use gridproof_game::records::{Game, Outcome};
use gridproof_game::{Colour, Move, Rules, Square};

use super::Failure;
use super::exit::BadInput;
use super::output;

/// Fit the engine's weights to games
///
/// Two things are learnt: what positions are worth, from who won, and which squares are good, from
/// what was played. Every fifth game is held back to measure on. The same games give the same
/// weights.
#[derive(Debug, Args)]
pub(super) struct Tune {
    /// Tables of games (.csv with the columns id, result, end and moves), records, and folders of
    /// records
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// Write the weights here [in this project: shared/engine/weights/connect6.txt]
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How often all games are gone through
    #[arg(long, value_name = "N", default_value_t = TuneOptions::default().rounds)]
    rounds: usize,
}

impl Tune {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut games = Vec::new();
        for path in &self.games {
            read(path, &mut games)?;
        }
        games.retain(|game| game.headers.result.is_some());
        if games.is_empty() {
            return Err(BadInput("no game with a result".to_owned()).into());
        }
        let options = TuneOptions {
            rounds: self.rounds,
            ..TuneOptions::default()
        };
        let tuned = tune(&games, options);
        let names = self.games.iter().map(|path| path.display().to_string());
        let command = format!(
            "gridproof tune {} --out {} --rounds {}",
            names.collect::<Vec<_>>().join(" "),
            self.out.display(),
            self.rounds
        );
        let (values, choices) = (
            words("positions", tuned.values),
            words("stones", tuned.choices),
        );
        let comment = format!("{command}\n{} games; {values}; {choices}", games.len());
        output::write_to(&self.out, tuned.file(&comment).as_bytes())?;
        let said = format!(
            "{} games\n{values}\n{choices}\nwrote {}\n",
            games.len(),
            self.out.display()
        );
        output::print(said.as_bytes())
    }
}

fn words(what: &str, fit: Fit) -> String {
    format!(
        "{what}: {} learnt; of {} held back {:.1}% right, loss {:.4}",
        fit.learnt,
        fit.held_back,
        100.0 * fit.right,
        fit.loss
    )
}

fn read(path: &Path, games: &mut Vec<Game>) -> Result<(), Failure> {
    let fail = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|error| fail(&error))?;
        let paths: Result<Vec<PathBuf>, _> =
            entries.map(|entry| entry.map(|it| it.path())).collect();
        let mut paths = paths.map_err(|error| fail(&error))?;
        paths.sort();
        return paths.iter().try_for_each(|path| read(path, games));
    }
    let bytes = std::fs::read(path).map_err(|error| fail(&error))?;
    if path.extension().is_some_and(|end| end == "csv") {
        let text = String::from_utf8_lossy(&bytes);
        for (number, line) in (1..).zip(text.lines()).skip(1) {
            let game = row(line)
                .ok_or_else(|| BadInput(format!("{}: line {number} is no game", path.display())))?;
            games.push(game);
        }
    } else {
        games.push(read_game(&bytes).map_err(|error| fail(&error))?);
    }
    Ok(())
}

/// `id,result,end,"j10,k11,l9,..."`: a game of Connect6, its stones in order.
fn row(line: &str) -> Option<Game> {
    let mut columns = line.splitn(4, ',');
    let (result, moves) = (columns.nth(1)?, columns.nth(1)?);
    let stones = moves.trim_matches('"').split(',').map(str::parse);
    let stones: Vec<Square> = stones.collect::<Result<_, _>>().ok()?;
    let mut game = Game::new(Rules::CONNECT6);
    let mut left = &stones[..];
    // An odd stone at the end completed a line, or the game was given up in the midst of a turn.
    while left.len() >= game.position().move_len() && !left.is_empty() {
        let (turn, rest) = left.split_at(game.position().move_len());
        let mv = Move::try_new(turn.iter().copied(), 0).ok()?;
        if game.play(mv).is_err() {
            break;
        }
        left = rest;
    }
    game.headers.result = match result {
        "B" => Some(Outcome::Won(Colour::Black)),
        "W" => Some(Outcome::Won(Colour::White)),
        "D" => Some(Outcome::Drawn),
        _ => None,
    };
    Some(game)
}
