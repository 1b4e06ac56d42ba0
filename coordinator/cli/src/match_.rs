use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use gridproof_engine::players::{Player, PlayerSpec};
use gridproof_engine::tournament::{Match, Played, Standings, balanced_openings};
use gridproof_engine::{Checked, Checker, Sprt, Verdict};
use gridproof_game::records::{Format, Game};
use gridproof_game::{Colour, Rules, State, read_game};

use super::Failure;
use super::book::{BookPlayer, open_for_play};
use super::exit::BadInput;
use super::output;
use super::values::{Count, within};

/// Let two engines play a match from balanced openings, each with both colours
///
/// An engine that crashes, answers too late or breaks the rules has lost the game, and the match goes
/// on.
#[derive(Debug, Args)]
pub(super) struct MatchGames {
    /// engine or engine:NODES (our own), engine:TIME such as engine:5s or engine:200ms, either with
    /// threads (engine:5s,2), engine-1ply or engine-1ply:NODES (the same without a search of quiet
    /// moves), beam or beam:DEPTH,WIDTH, beam-tuned, defensive, defensive-search, connections, or
    /// stdin:COMMAND for another engine
    first: PlayerSpec,
    /// The same choice
    second: PlayerSpec,
    /// How many games; an even number gives both the same openings
    #[arg(long, value_name = "N", default_value_t = 20,
        value_parser = within::<usize>(1..=1_000_000))]
    games: usize,
    /// Games played at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    at_once: usize,
    /// Stop as soon as it is clear whether the first player is better by the second number of Elo
    /// than by the first
    #[arg(long, value_name = "ELO,ELO")]
    sprt: Option<Bounds>,
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
    /// After each game, count the moves that lose to a win by threats which the solver finds with
    /// so many nodes, while it finds none against another move
    #[arg(long, value_name = "NODES")]
    check: Option<Count>,
    /// Save each game as a record in this folder
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// The records' format
    #[arg(long, default_value_t = Format::LittleGolem, requires = "save")]
    format: Format,
}

/// The two differences of a sequential test.
#[derive(Clone, Copy, Debug)]
struct Bounds(Sprt);

impl FromStr for Bounds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(',').and_then(|(even, better)| {
            let number = |text: &str| {
                text.trim()
                    .parse::<f64>()
                    .ok()
                    .filter(|n| n.abs() <= 2000.0)
            };
            Some((number(even)?, number(better)?))
        });
        match numbers {
            Some((even, better)) if even < better => Ok(Self(Sprt { even, better })),
            _ => Err("two numbers, the lower first, like 0,50".to_owned()),
        }
    }
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
        let mut checks = self
            .check
            .map(|Count(nodes)| Checks::new(self.rules, nodes));
        let book = match &self.book {
            Some(path) => Some(open_for_play(path, self.rules)?),
            None => None,
        };
        let open = |first: Box<dyn Player>| match &book {
            Some(book) => Box::new(BookPlayer::new(book.clone(), first)),
            None => first,
        };
        let standings = series.run_with(self.at_once, open, |number, played, standings| {
            self.after_game(number + 1, played, standings)?;
            if let Some(checks) = &mut checks {
                checks.add(number, played)?;
            }
            let is_clear = |Bounds(test)| test.verdict(&standings.score) != Verdict::Open;
            Ok::<_, Failure>(match self.sprt.is_some_and(is_clear) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })
        })?;
        output::print(self.summary(&standings).as_bytes())?;
        match &checks {
            Some(checks) => checks.print(),
            None => Ok(()),
        }
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
            let record = self.format.write_with(&played.game, &comments(played))?;
            let name = format!("game-{number:04}.{}", extension(self.format));
            output::write_to(&folder.join(Path::new(&name)), &record)?;
        }
        let headers = &played.game.headers;
        let line = format!(
            "game {number} of {}: {} – {}, {} after {} turns{}; {}\n",
            self.games,
            headers.black.as_deref().unwrap_or("?"),
            headers.white.as_deref().unwrap_or("?"),
            played.outcome,
            played.game.moves().len(),
            forfeit(played),
            standings.score,
        );
        output::print(line.as_bytes())
    }

    fn summary(&self, standings: &Standings) -> String {
        let score = &standings.score;
        let points = f64::from(score.won) + f64::from(score.drawn) / 2.0;
        let percent = 100.0 * points / f64::from(score.games().max(1));
        let [first, second] = standings
            .clocks
            .map(|clock| format!("{:.1?}", clock.each_move()));
        let names = [self.first.to_string(), self.second.to_string()];
        let wide = names.iter().map(String::len).max().unwrap_or(0).max(6);
        let mut text = format!(
            "\n{:wide$}   won  drawn  lost   score  time a move\n\
             {:wide$} {:5} {:6} {:5} {:6.1}%  {first}\n\
             {:wide$} {:5} {:6} {:5} {:6.1}%  {second}\n",
            "player",
            names[0],
            score.won,
            score.drawn,
            score.lost,
            percent,
            names[1],
            score.lost,
            score.drawn,
            score.won,
            100.0 - percent,
        );
        match score.elo() {
            Some(elo) => writeln!(text, "Elo difference {elo} (95%)"),
            None => writeln!(text, "Elo difference without bound: one side took all"),
        }
        .expect("a string takes all that is written to it");
        if let Some(Bounds(test)) = &self.sprt {
            let words = match test.verdict(score) {
                Verdict::Better => "better",
                Verdict::NotBetter => "not better",
                Verdict::Open => "not decided",
            };
            writeln!(
                text,
                "test of {:+} against {:+} Elo: {words} after {} games (log-likelihood {:.2})",
                test.better,
                test.even,
                score.games(),
                test.likelihood(score),
            )
            .expect("a string takes all that is written to it");
        }
        text
    }
}

/// Counts of checked moves, the first player's and the second's.
struct Checks {
    checker: Checker,
    nodes: u64,
    moves: [usize; 2],
    lost: [usize; 2],
    overlooked: [usize; 2],
}

impl Checks {
    fn new(rules: Rules, nodes: u64) -> Self {
        Self {
            checker: Checker::new(rules, nodes),
            nodes,
            moves: [0; 2],
            lost: [0; 2],
            overlooked: [0; 2],
        }
    }

    /// Checks the moves that the players chose in a game, counted from 0.
    fn add(&mut self, number: usize, played: &Played) -> Result<(), Failure> {
        let game = &played.game;
        let asked: u32 = played.clocks.iter().map(|clock| clock.turns).sum();
        let chosen = asked - u32::from(played.forfeit.is_some());
        let from = game.moves().len().saturating_sub(chosen as usize);
        for (turn, (side, checked)) in (from..).zip(self.checker.check(game, from)) {
            let player = usize::from(side != Colour::BOTH[number % 2]);
            self.moves[player] += 1;
            self.lost[player] += usize::from(checked != Checked::Holds);
            if let Checked::Overlooked(better) = checked {
                self.overlooked[player] += 1;
                let line = format!(
                    "  turn {}: {} loses to threats, {better} does not\n",
                    turn + 1,
                    game.moves()[turn]
                );
                output::print(line.as_bytes())?;
            }
        }
        Ok(())
    }

    fn print(&self) -> Result<(), Failure> {
        let both = |counts: [usize; 2]| format!("{} and {}", counts[0], counts[1]);
        let text = format!(
            "checked with {} nodes, the first player and the second: {} moves, {} lose to threats, \
             {} of these where another move does not\n",
            self.nodes,
            both(self.moves),
            both(self.lost),
            both(self.overlooked),
        );
        output::print(text.as_bytes())
    }
}

/// Why a game ended early, in brackets.
fn forfeit(played: &Played) -> String {
    let Some(forfeit) = &played.forfeit else {
        return String::new();
    };
    let causes = std::iter::successors(Some(forfeit as &dyn std::error::Error), |e| e.source());
    let words: Vec<String> = causes.map(ToString::to_string).collect();
    format!(" ({})", words.join(": "))
}

/// What the players thought of their moves, for the record.
fn comments(played: &Played) -> Vec<Option<String>> {
    let opinions = played.opinions.iter();
    let mut comments: Vec<Option<String>> = opinions
        .map(|opinion| opinion.map(|it| format!("{:+} depth {}", it.score, it.depth)))
        .collect();
    if let (Some(last), true) = (comments.last_mut(), played.forfeit.is_some()) {
        *last = Some(forfeit(played).trim().to_owned());
    }
    comments
}

const fn extension(format: Format) -> &'static str {
    match format {
        Format::LittleGolem | Format::StoneSgf => "sgf",
        Format::Ccgc | Format::Engine | Format::Stones => "txt",
    }
}
