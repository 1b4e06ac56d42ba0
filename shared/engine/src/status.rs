//! How good a position looks.

use std::fmt;

use gridproof_game::Colour;

/// What an engine thinks of a position. An opinion only: nothing is proved by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// This side wins.
    Won(Colour),
    /// This side wins, as far as a short look can tell.
    AlmostWon(Colour),
    /// This side stands better.
    Strong(Colour, Strength),
    /// Nobody has anything at hand.
    Quiet,
    /// Both have something at hand.
    Unclear,
}

/// How much better a side stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// A little.
    One,
    Two,
    /// Much.
    Three,
}

impl Status {
    /// Reads the comment of a job-style engine: `B:w`, `W:a_w`, `B3`, `stable`, `unstable`.
    #[must_use]
    pub fn from_comment(comment: &str) -> Option<Self> {
        match comment.trim() {
            "stable" => return Some(Self::Quiet),
            "unstable" => return Some(Self::Unclear),
            _ => {}
        }
        let mut letters = comment.trim().chars();
        let side = match letters.next()? {
            'B' => Colour::Black,
            'W' => Colour::White,
            _ => return None,
        };
        Some(match letters.as_str() {
            ":w" => Self::Won(side),
            ":a_w" => Self::AlmostWon(side),
            "3" => Self::Strong(side, Strength::Three),
            "2" => Self::Strong(side, Strength::Two),
            "1" => Self::Strong(side, Strength::One),
            _ => return None,
        })
    }
}

/// As job-style engines comment it.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Won(side) => format!("{}:w", side.letter()),
            Self::AlmostWon(side) => format!("{}:a_w", side.letter()),
            Self::Strong(side, strength) => {
                let number = match strength {
                    Strength::One => 1,
                    Strength::Two => 2,
                    Strength::Three => 3,
                };
                format!("{}{number}", side.letter())
            }
            Self::Quiet => "stable".to_owned(),
            Self::Unclear => "unstable".to_owned(),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Status> {
        let mut all = vec![Status::Quiet, Status::Unclear];
        for side in Colour::BOTH {
            all.extend([Status::Won(side), Status::AlmostWon(side)]);
            for strength in [Strength::One, Strength::Two, Strength::Three] {
                all.push(Status::Strong(side, strength));
            }
        }
        all
    }

    #[test]
    fn every_status_reads_back_from_its_comment() {
        for status in all() {
            assert_eq!(Status::from_comment(&status.to_string()), Some(status));
        }
        for text in ["", "B", "B4", "b:w", "B:w!", "W:", "steady"] {
            assert_eq!(Status::from_comment(text), None, "{text}");
        }
    }
}
