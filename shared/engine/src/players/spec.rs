use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use gridproof_game::Rules;

use super::connections::Connections;
use super::defensive::Defensive;
use super::one_ply::OnePly;
use super::{Beam, Effort, EnginePlayer, Player};
use crate::adapter::{EngineCommand, StdinEngine};
use crate::weights;

/// The longest that another engine may think about a move.
const ANSWER_WITHIN: Duration = Duration::from_secs(120);

/// A player as users name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerSpec {
    /// `engine` or `engine:EFFORT`, such as `engine:30000` or `engine:5s,2`: this project's own.
    Engine(Effort),
    /// `engine-1ply` or `engine-1ply:NODES`: the same without a search over turns.
    OnePly {
        /// Nodes for a move.
        nodes: u64,
    },
    /// `beam` or `beam:DEPTH,WIDTH`: the agent of the beam-search paper.
    Beam {
        /// Plies that it looks ahead.
        depth: usize,
        /// Lines of play that it keeps.
        width: usize,
    },
    /// `beam-tuned`: the same with weights made by self-play.
    BeamTuned,
    /// `defensive`: the defensive strategy, without any search.
    Defensive,
    /// `defensive-search`: the same with threat-space search.
    DefensiveSearch,
    /// `connections`: one ply by Connection types.
    Connections,
    /// `stdin:COMMAND`: another engine that takes commands on its input.
    Stdin {
        /// The program and its arguments.
        line: String,
    },
}

/// Why a text names no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no player: choose engine, engine:NODES, engine:TIME, engine:NODES,THREADS, engine:TIME,THREADS, engine-1ply:NODES, beam, beam:DEPTH,WIDTH, beam-tuned, defensive, defensive-search, connections or stdin:COMMAND"
)]
pub struct PlayerSpecError(String);

impl PlayerSpec {
    /// A new player of a game.
    #[must_use]
    pub fn player(&self, rules: Rules) -> Box<dyn Player> {
        match *self {
            Self::Stdin { ref line } => {
                let command = EngineCommand::of_words(line, ANSWER_WITHIN)
                    .expect("a spec has a program to start");
                Box::new(StdinEngine::new(command))
            }
            Self::Engine(effort) => Box::new(EnginePlayer::with_effort(rules, effort)),
            Self::OnePly { nodes } => Box::new(OnePly::new(rules, nodes)),
            Self::Beam { depth, width } => {
                Box::new(Beam::new(rules, depth, width, weights::BEAM_BY_HAND))
            }
            Self::BeamTuned => Box::new(Beam::new(rules, 1, 1, weights::BEAM_TUNED)),
            Self::Defensive => Box::new(Defensive::alone()),
            Self::DefensiveSearch => Box::new(Defensive::with_search(rules)),
            Self::Connections => Box::new(Connections::new(rules)),
        }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Engine(effort) => write!(f, "engine:{effort}"),
            Self::OnePly { nodes } => write!(f, "engine-1ply:{nodes}"),
            Self::Beam { depth, width } => write!(f, "beam:{depth},{width}"),
            Self::BeamTuned => f.write_str("beam-tuned"),
            Self::Defensive => f.write_str("defensive"),
            Self::DefensiveSearch => f.write_str("defensive-search"),
            Self::Connections => f.write_str("connections"),
            Self::Stdin { line } => write!(f, "stdin:{line}"),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = PlayerSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || PlayerSpecError(text.chars().take(60).collect());
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        match (name, rest) {
            ("engine", None) => Ok(Self::Engine(Effort::default())),
            ("engine", Some(effort)) => Ok(Self::Engine(effort.parse().map_err(|_| refuse())?)),
            ("engine-1ply", None) => Ok(Self::OnePly {
                nodes: EnginePlayer::DEFAULT_NODES,
            }),
            ("engine-1ply", Some(nodes)) => Ok(Self::OnePly {
                nodes: nodes.parse().map_err(|_| refuse())?,
            }),
            ("beam", None) => Ok(Self::Beam { depth: 1, width: 1 }),
            ("beam", Some(numbers)) => {
                let (depth, width) = numbers.split_once(',').ok_or_else(refuse)?;
                let number = |text: &str| {
                    let small = |number: &usize| (1..=100).contains(number);
                    text.parse().ok().filter(small).ok_or_else(refuse)
                };
                Ok(Self::Beam {
                    depth: number(depth)?,
                    width: number(width)?,
                })
            }
            ("beam-tuned", None) => Ok(Self::BeamTuned),
            ("defensive", None) => Ok(Self::Defensive),
            ("defensive-search", None) => Ok(Self::DefensiveSearch),
            ("connections", None) => Ok(Self::Connections),
            ("stdin", Some(line)) if !line.trim().is_empty() => Ok(Self::Stdin {
                line: line.to_owned(),
            }),
            _ => Err(refuse()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_read_back_from_their_names() {
        for text in [
            "engine:5000",
            "engine:5000,3",
            "engine:2s,2",
            "beam:3,10",
            "defensive",
            "defensive-search",
            "stdin:./engine -x",
        ] {
            assert_eq!(text.parse::<PlayerSpec>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "engine:",
            "engine:x",
            "beam:0,1",
            "beam:3",
            "defensive:1",
            "go",
        ] {
            assert!(text.parse::<PlayerSpec>().is_err(), "{text}");
        }
    }
}
