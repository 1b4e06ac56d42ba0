//! Many positions at once: JSON lines in, JSON lines out.

use std::io::{self, BufRead as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::Args;
use gridproof_certificate::{FILE_ENDING, IfExists, save};
use gridproof_game::records::Format;
use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::exit::BadInput;
use super::prove::{Goal, ProofOutcome, SearchLimits};
use super::values::parallel;
use super::{Failure, output};

#[derive(Debug, Args)]
pub(super) struct Batch {
    /// A file of JSON lines, - for standard input, each {"id":…,"m":9,"n":9,"k":6,"p":2,"q":1,
    /// "rows":["..B.",…, top row first],"to_move":"B"} or {"id":…,"moves":"j10,k11,i11"}
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    batch: Option<PathBuf>,
    /// Positions to search at the same time
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = parallel::<NonZeroUsize>,
        conflicts_with = "position"
    )]
    threads: NonZeroUsize,
    /// Write the proof of each won position into this folder, named after its id
    #[arg(long, value_name = "DIR", conflicts_with = "position")]
    certificates: Option<PathBuf>,
}

/// What a thread does with each line.
struct Question {
    goal: Goal,
    limits: SearchLimits,
    if_exists: IfExists,
}

/// A line of input.
#[derive(Debug, Deserialize)]
struct Line {
    m: Option<u32>,
    n: Option<u32>,
    k: Option<u32>,
    p: Option<u32>,
    q: Option<u32>,
    rows: Option<Vec<String>>,
    to_move: Option<String>,
    moves: Option<String>,
}

/// A line of output.
#[derive(Debug, Serialize)]
struct Answer {
    id: Value,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<char>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    mv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Answer {
    fn new(id: Value, result: &'static str) -> Self {
        Self {
            id,
            result,
            winner: None,
            mv: None,
            nodes: None,
            lambda: None,
            checked: None,
            open: Vec::new(),
            error: None,
        }
    }
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("the position needs \"moves\", or \"rows\" with m, n, k, p, q and \"to_move\"")]
    NoPosition,
    #[error("the game needs all of m, n, k, p and q")]
    NoRules,
    #[error("there are {found} rows; n is {expected}")]
    Rows { found: usize, expected: u8 },
    #[error("row {row} from the top has {found} squares; m is {expected}")]
    Columns {
        row: usize,
        found: usize,
        expected: u8,
    },
    #[error("row {row} from the top has \"{found}\": write B, W or . for each square")]
    Square { row: usize, found: char },
    #[error("\"to_move\" must be \"B\" or \"W\"")]
    ToMove,
    #[error("\"moves\" is for 19x19 Connect6; give other games as \"rows\"")]
    MovesOfOtherGame,
}

impl Batch {
    pub(super) fn run(
        &self,
        goal: Goal,
        limits: SearchLimits,
        if_exists: IfExists,
    ) -> Result<(), Failure> {
        let path = self
            .batch
            .as_deref()
            .ok_or_else(|| BadInput("give a position, or --batch FILE".to_owned()))?;
        let input = output::open_input(path)?;
        if let Some(folder) = &self.certificates {
            output::make_folder(folder)?;
        }
        // By bytes: a line that is no text is an error of its own, not of all the others.
        let lines = Mutex::new(input.split(b'\n'));
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.threads.get() {
                scope.spawn(|| {
                    // The lock is held for the reading alone, not while a position is searched.
                    let next = || lines.lock().ok()?.next();
                    let question = Question {
                        goal,
                        limits,
                        if_exists,
                    };
                    while let Some(line) = next() {
                        if let Err(error) = self.answer_line(&question, line) {
                            if let Ok(mut failed) = failed.lock() {
                                failed.get_or_insert(error);
                            }
                            return;
                        }
                    }
                });
            }
        });
        match failed.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Prints the answer to one line as soon as it is known.
    fn answer_line(&self, question: &Question, line: io::Result<Vec<u8>>) -> Result<(), Failure> {
        let file = self.batch.as_deref().unwrap_or(Path::new("-"));
        let line = line.map_err(|source| output::ReadFileError::new(file, source))?;
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let parsed: Result<Value, _> = serde_json::from_slice(&line);
        let id = parsed
            .as_ref()
            .ok()
            .and_then(|value| value.get("id"))
            .cloned();
        let id = id.unwrap_or(Value::Null);
        let answer = parsed
            .map_err(|error| format!("this line is no JSON: {error}").into())
            .and_then(|value| self.answer(question, &id, value))
            .unwrap_or_else(|error| Answer {
                error: Some(super::exit::with_causes(&*error)),
                ..Answer::new(id, "error")
            });
        let mut text = serde_json::to_string(&answer)?;
        text.push('\n');
        output::print(text.as_bytes())
    }

    fn answer(&self, question: &Question, id: &Value, value: Value) -> Result<Answer, Failure> {
        let line: Line = serde_json::from_value(value)?;
        let position = line.position()?;
        let Question { goal, limits, .. } = *question;
        let (outcome, nodes) = goal.run(&position, limits, None)?;
        let id = id.clone();
        Ok(match outcome {
            ProofOutcome::Won { proof, checked } => {
                if let Some(folder) = &self.certificates {
                    save(&proof, &folder.join(file_name(&id)), question.if_exists)?;
                }
                Answer {
                    winner: Some(goal.attacker(&position).letter()),
                    mv: checked.first_move.as_ref().map(lower_case),
                    nodes: Some(nodes),
                    lambda: Some(checked.lambda),
                    checked: Some(true),
                    ..Answer::new(id, "won")
                }
            }
            ProofOutcome::NoWin => Answer {
                nodes: Some(nodes),
                ..Answer::new(id, "unknown")
            },
            ProofOutcome::Unknown { open } => Answer {
                nodes: Some(nodes),
                open: open.iter().map(lower_case).collect(),
                ..Answer::new(id, "unknown")
            },
        })
    }
}

fn lower_case(mv: &Move) -> String {
    mv.to_string().to_lowercase()
}

/// A file name of an id: whatever is no plain letter or digit becomes a dash.
fn file_name(id: &Value) -> String {
    let text = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let name: String = text.chars().map(plain).take(100).collect();
    format!("{}.{FILE_ENDING}", name.trim_start_matches('.'))
}

impl Line {
    fn position(&self) -> Result<Position, Failure> {
        let rules = self.rules()?;
        match (&self.rows, &self.moves) {
            (Some(rows), None) => self.of_rows(rules.ok_or(LineError::NoRules)?, rows),
            (None, Some(moves)) => match rules {
                None | Some(Rules::CONNECT6) => {
                    Ok(Format::Stones.read(moves.as_bytes())?.position().clone())
                }
                Some(_) => Err(LineError::MovesOfOtherGame.into()),
            },
            _ => Err(LineError::NoPosition.into()),
        }
    }

    fn rules(&self) -> Result<Option<Rules>, Failure> {
        match [self.m, self.n, self.k, self.p, self.q] {
            [None, None, None, None, None] => Ok(None),
            [Some(m), Some(n), Some(k), Some(p), Some(q)] => Ok(Some(Rules::new(m, n, k, p, q)?)),
            _ => Err(LineError::NoRules.into()),
        }
    }

    fn of_rows(&self, rules: Rules, rows: &[String]) -> Result<Position, Failure> {
        let to_move = match self.to_move.as_deref() {
            Some("B" | "b") => Colour::Black,
            Some("W" | "w") => Colour::White,
            _ => return Err(LineError::ToMove.into()),
        };
        if rows.len() != usize::from(rules.rows()) {
            return Err(LineError::Rows {
                found: rows.len(),
                expected: rules.rows(),
            }
            .into());
        }
        let mut stones = [SquareSet::EMPTY; 2];
        for ((text, row), from_top) in rows.iter().zip((0..rules.rows()).rev()).zip(1..) {
            let found = text.chars().count();
            if found != usize::from(rules.columns()) {
                let expected = rules.columns();
                return Err(LineError::Columns {
                    row: from_top,
                    found,
                    expected,
                }
                .into());
            }
            for (found, column) in text.chars().zip(0..) {
                match (found, Colour::from_letter(found)) {
                    ('.', _) => {}
                    (_, Some(colour)) => stones[colour.index()].insert(Square::new(column, row)),
                    _ => {
                        return Err(LineError::Square {
                            row: from_top,
                            found,
                        }
                        .into());
                    }
                }
            }
        }
        Ok(Position::of_game_stones(
            rules, &stones[0], &stones[1], to_move,
        )?)
    }
}
