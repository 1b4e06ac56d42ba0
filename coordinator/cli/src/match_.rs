use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use gridproof_engine::players::{Player, PlayerSpec};
use gridproof_engine::tournament::{Match, MatchError, Played, Standings, balanced_openings};
use gridproof_game::records::{Format, Game};
use gridproof_game::{Rules, State, read_game};

use super::Failure;
use super::book::{BookPlayer, open_for_play};
use super::exit::BadInput;
use super::output;

/// Let two engines play a match from balanced openings, each with both colours
#[derive(Debug, Args)]
pub(super) struct MatchGames {
    /// engine or engine:NODES (our own), beam or beam:DEPTH,WIDTH, beam-tuned, defensive,
    /// defensive-search, connections, or stdin:COMMAND for another engine
    first: PlayerSpec,
    /// The same choice
    second: PlayerSpec,
    /// How many games; an even number gives both the same openings
    #[arg(long, value_name = "N", default_value_t = 20)]
    games: usize,
    /// The game; others than Connect6 start from the empty board
    #[arg(long, default_value_t = Rules::CONNECT6)]
    rules: Rules,
    /// Begin from these positions: a file with an opening's name or a record on each line, or
    /// `start` for the empty board [default: replies of White close to the centre]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The first player opens from this book
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Save each game as a record in this folder
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// The records' format
    #[arg(long, default_value_t = Format::LittleGolem, requires = "save")]
    format: Format,
}

/// Ends a match: a player that failed, or a record that could not be written.
#[derive(Debug, thiserror::Error)]
enum MatchFailure {
    #[error(transparent)]
    Game(#[from] MatchError),
    #[error(transparent)]
    Output(Failure),
}

impl MatchGames {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if let Some(folder) = &self.save {
            output::make_folder(folder)?;
        }
        let series = Match {
            first: self.first.clone(),
            second: self.second.clone(),
            rules: self.rules,
            openings: self.openings()?,
            games: self.games,
        };
        let mut number = 0;
        let book = match &self.book {
            Some(path) => Some(open_for_play(path, self.rules)?),
            None => None,
        };
        let open = |first: Box<dyn Player>| match &book {
            Some(book) => Box::new(BookPlayer::new(book.clone(), first)),
            None => first,
        };
        let end = series.run_with(open, |played, standings| {
            number += 1;
            self.after_game(number, played, standings)
                .map_err(MatchFailure::Output)
        });
        let standings = end.map_err(|failure| match failure {
            MatchFailure::Game(error) => Failure::from(error),
            MatchFailure::Output(failure) => failure,
        })?;
        output::print(self.summary(&standings).as_bytes())
    }

    fn openings(&self) -> Result<Vec<Game>, Failure> {
        let Some(path) = &self.openings else {
            return Ok(balanced_openings(self.rules));
        };
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let mut openings = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let game = match line {
                "start" => Game::new(self.rules),
                record => read_game(record.as_bytes())
                    .map_err(|error| format!("{}: {record}: {error}", path.display()))?,
            };
            if *game.rules() != self.rules || game.position().state() != State::Open {
                let words = format!(
                    "{}: {line} is no open game of {}",
                    path.display(),
                    self.rules
                );
                return Err(BadInput(words).into());
            }
            openings.push(game);
        }
        if openings.is_empty() {
            return Err(BadInput(format!("{} names no opening", path.display())).into());
        }
        Ok(openings)
    }

    fn after_game(
        &self,
        number: usize,
        played: &Played,
        standings: &Standings,
    ) -> Result<(), Failure> {
        if let Some(folder) = &self.save {
            let record = self.format.write(&played.game)?;
            let name = format!("game-{number:04}.{}", extension(self.format));
            output::write_to(&folder.join(Path::new(&name)), &record)?;
        }
        let headers = &played.game.headers;
        let line = format!(
            "game {number} of {}: {} – {}, {} after {} turns; {}\n",
            self.games,
            headers.black.as_deref().unwrap_or("?"),
            headers.white.as_deref().unwrap_or("?"),
            played.outcome,
            played.game.moves().len(),
            standings.score,
        );
        output::print(line.as_bytes())
    }

    fn summary(&self, standings: &Standings) -> String {
        let mut text = format!(
            "\n{} against {}: {}\n",
            self.first, self.second, standings.score
        );
        match standings.score.elo() {
            Some(elo) => writeln!(text, "Elo difference {elo} (95%)"),
            None => writeln!(text, "Elo difference without bound: one side took all"),
        }
        .expect("a string takes all that is written to it");
        let [first, second] = standings.clocks.map(|clock| clock.each_move());
        writeln!(text, "time a move {first:.1?} and {second:.1?}")
            .expect("a string takes all that is written to it");
        text
    }
}

const fn extension(format: Format) -> &'static str {
    match format {
        Format::LittleGolem | Format::StoneSgf => "sgf",
        Format::Ccgc | Format::Engine | Format::Stones => "txt",
    }
}
