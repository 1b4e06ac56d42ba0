use std::path::PathBuf;

use clap::Args;
use gridproof_game::{Colour, Position, Rules};
use gridproof_solver::Budget;
use indicatif::HumanCount;
use serde::Serialize;

use super::Failure;
use super::exit::{Exit, Quietly};
use super::output::{self, JsonOption};
use super::value::{Files, Found, find};
use super::values::Count;

/// What small games come to: wins, losses and draws, each with its certificate
///
/// Without games it goes through those whose values are published, and more. Each value has
/// certificates that `gridproof check` accepts: one of a win, or one for each side of a draw that
/// says that it does not lose.
#[derive(Debug, Args)]
pub(super) struct Family {
    /// Games: connect6, gomoku, tictactoe, or m,n,k,p,q like 5,5,4,1,1 [default: a list of small
    /// ones]
    #[arg(value_name = "GAME")]
    games: Vec<Rules>,
    /// Nodes to look at for each game before giving up
    #[arg(long, value_name = "N", default_value_t = Count(4_000_000))]
    nodes: Count,
    /// Keep the certificates in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

/// A value that somebody else has published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Published {
    Black,
    White,
    Draw,
}

/// The games of the table: m, n, k, p, q, and what is published of them. With one stone a turn:
/// the table in Liu's thesis (docs/theory.md, Works). With two: found by an exact search that tries
/// all moves.
const GAMES: [([u32; 5], Option<Published>); 50] = {
    use Published::{Black, Draw, White};
    [
        ([3, 3, 3, 1, 1], Some(Draw)),
        ([4, 3, 3, 1, 1], Some(Black)),
        ([4, 4, 3, 1, 1], Some(Black)),
        ([5, 3, 3, 1, 1], Some(Black)),
        ([5, 5, 3, 1, 1], Some(Black)),
        ([4, 4, 4, 1, 1], Some(Draw)),
        ([5, 4, 4, 1, 1], Some(Draw)),
        ([6, 4, 4, 1, 1], Some(Draw)),
        ([7, 4, 4, 1, 1], Some(Draw)),
        ([8, 4, 4, 1, 1], Some(Draw)),
        ([5, 5, 4, 1, 1], Some(Draw)),
        ([6, 5, 4, 1, 1], Some(Black)),
        ([6, 6, 4, 1, 1], Some(Black)),
        ([7, 5, 4, 1, 1], Some(Black)),
        ([7, 7, 4, 1, 1], Some(Black)),
        ([8, 8, 4, 1, 1], Some(Black)),
        ([9, 9, 4, 1, 1], Some(Black)),
        ([15, 15, 4, 1, 1], None),
        ([32, 32, 4, 1, 1], None),
        ([5, 5, 5, 1, 1], Some(Draw)),
        ([6, 5, 5, 1, 1], Some(Draw)),
        ([6, 6, 5, 1, 1], Some(Draw)),
        ([7, 5, 5, 1, 1], None),
        ([7, 6, 5, 1, 1], None),
        ([7, 7, 6, 1, 1], None),
        ([8, 8, 6, 1, 1], None),
        ([9, 9, 7, 1, 1], None),
        ([8, 8, 8, 1, 1], Some(Draw)),
        ([11, 11, 8, 1, 1], Some(Draw)),
        ([3, 3, 3, 2, 1], Some(Black)),
        ([4, 3, 3, 2, 1], Some(Black)),
        ([4, 4, 3, 2, 1], Some(Black)),
        ([4, 4, 4, 2, 1], Some(Draw)),
        ([5, 4, 4, 2, 1], Some(Draw)),
        ([5, 5, 4, 2, 1], Some(Draw)),
        ([6, 4, 4, 2, 1], Some(White)),
        ([7, 4, 4, 2, 1], Some(White)),
        ([6, 5, 4, 2, 1], Some(White)),
        ([7, 7, 4, 2, 1], Some(White)),
        ([4, 4, 4, 2, 2], Some(Draw)),
        ([5, 4, 4, 2, 2], Some(Black)),
        ([6, 4, 4, 2, 2], Some(Black)),
        ([5, 5, 4, 2, 2], Some(Black)),
        ([5, 5, 5, 2, 2], Some(Draw)),
        ([7, 5, 5, 2, 1], Some(Draw)),
        ([6, 6, 5, 2, 1], Some(Draw)),
        ([6, 6, 3, 3, 1], None),
        ([12, 12, 3, 3, 1], None),
        ([5, 5, 5, 3, 1], None),
        ([6, 6, 6, 3, 2], None),
    ]
};

impl Published {
    const fn words(self) -> &'static str {
        match self {
            Self::Black => "Black",
            Self::White => "White",
            Self::Draw => "draw",
        }
    }

    /// Whether what was found says something else.
    fn contradicts(self, found: &Found) -> bool {
        let said = match self {
            Self::Black => Some(Colour::Black),
            Self::White => Some(Colour::White),
            Self::Draw => None,
        };
        found.is_settled() && found.winner() != said
    }
}

/// A line of the table.
#[derive(Debug, Serialize)]
struct Row {
    game: String,
    value: String,
    published: Option<&'static str>,
    nodes: u64,
    certificate_nodes: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    certificates: Vec<String>,
}

impl Family {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut rows = Vec::new();
        let mut contradictions = Vec::new();
        if !self.json.json {
            let columns = ["game", "value", "published", "nodes", "certificate"];
            output::print(line(columns.map(str::to_owned)).as_bytes())?;
        }
        for (rules, published) in self.games()? {
            let mut budget = Budget::of_nodes(self.nodes.0);
            let found = find(&Position::start(rules), &mut budget)?;
            let mut names = Vec::new();
            if let Some(folder) = &self.out {
                let files = Files::In(folder.clone());
                found.save(&files)?;
                names = found.names(&files);
            }
            if published.is_some_and(|published| published.contradicts(&found)) {
                contradictions.push(rules.to_string());
            }
            let row = Row {
                game: rules.to_string(),
                value: found.short(),
                published: published.map(Published::words),
                nodes: budget.spent(),
                certificate_nodes: found.certificate_nodes(),
                certificates: names,
            };
            if !self.json.json {
                output::print(row.line().as_bytes())?;
            }
            rows.push(row);
        }
        if self.json.json {
            output::print_json(&rows)?;
        }
        if !contradictions.is_empty() {
            let games = contradictions.join(", ");
            return Err(format!("other values than published: {games}").into());
        }
        let is_known = |row: &Row| row.value != "unknown" && !row.value.contains("not lose");
        match rows.iter().all(is_known) {
            true => Ok(()),
            false => Err(Quietly(Exit::Unknown).into()),
        }
    }

    fn games(&self) -> Result<Vec<(Rules, Option<Published>)>, Failure> {
        let mut known = Vec::new();
        for ([m, n, k, p, q], published) in GAMES {
            known.push((Rules::new(m, n, k, p, q)?, published));
        }
        if self.games.is_empty() {
            return Ok(known);
        }
        let published = |rules: &Rules| {
            let mut known = known.iter();
            known.find(|(other, _)| other == rules)?.1
        };
        let games = self.games.iter();
        Ok(games.map(|rules| (*rules, published(rules))).collect())
    }
}

impl Row {
    fn line(&self) -> String {
        let mut certificate = format!("{} nodes", HumanCount(self.certificate_nodes as u64));
        if !self.certificates.is_empty() {
            certificate += &format!(": {}", self.certificates.join(", "));
        }
        line([
            self.game.clone(),
            self.value.clone(),
            self.published.unwrap_or("").to_owned(),
            HumanCount(self.nodes).to_string(),
            certificate,
        ])
    }
}

fn line([game, value, published, nodes, certificate]: [String; 5]) -> String {
    format!("{game:22} {value:20} {published:10} {nodes:>10}  {certificate}\n")
}
