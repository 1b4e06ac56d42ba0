//! How good a position looks, and what the proof search makes of it.

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

/// The proof and the disproof number that a new node starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers {
    pub proof: u32,
    pub disproof: u32,
}

impl Numbers {
    /// What a search without opinions starts with.
    pub const PLAIN: Self = Self {
        proof: 1,
        disproof: 1,
    };

    const fn new(proof: u32, disproof: u32) -> Self {
        Self { proof, disproof }
    }

    const fn mirrored(self) -> Self {
        Self::new(self.disproof, self.proof)
    }
}

impl Status {
    /// The first numbers of a node with this status in a search that wants `attacker` to win.
    /// This is the one table of them. A win that is only claimed gets no 0: a search takes
    /// that from a checked proof alone.
    #[must_use]
    pub fn first_numbers(self, attacker: Colour) -> Numbers {
        let (side, numbers) = match self {
            Self::Won(side) => (side, Numbers::new(1, 24)),
            Self::AlmostWon(side) => (side, Numbers::new(1, 18)),
            Self::Strong(side, Strength::Three) => (side, Numbers::new(2, 12)),
            Self::Strong(side, Strength::Two) => (side, Numbers::new(3, 10)),
            Self::Strong(side, Strength::One) => (side, Numbers::new(4, 8)),
            Self::Quiet => return Numbers::new(6, 6),
            Self::Unclear => return Numbers::new(5, 5),
        };
        if side == attacker {
            numbers
        } else {
            numbers.mirrored()
        }
    }

    /// The same opinion with the sides changed.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Won(side) => Self::Won(side.other()),
            Self::AlmostWon(side) => Self::AlmostWon(side.other()),
            Self::Strong(side, strength) => Self::Strong(side.other(), strength),
            even => even,
        }
    }

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

    #[test]
    fn the_table_is_its_own_mirror_and_settles_nothing() {
        for status in all() {
            let ours = status.first_numbers(Colour::Black);
            assert_eq!(status.mirrored().first_numbers(Colour::White), ours);
            assert_eq!(status.first_numbers(Colour::White), ours.mirrored());
            assert!(ours.proof > 0 && ours.disproof > 0);
            assert!(ours.proof < u32::MAX && ours.disproof < u32::MAX);
        }
    }

    #[test]
    fn a_better_status_is_nearer_to_a_proof() {
        let side = Colour::White;
        let order = [
            Status::Won(side),
            Status::AlmostWon(side),
            Status::Strong(side, Strength::Three),
            Status::Strong(side, Strength::Two),
            Status::Strong(side, Strength::One),
            Status::Quiet,
            Status::Strong(side.other(), Strength::One),
            Status::Won(side.other()),
        ];
        let numbers = order.map(|status| status.first_numbers(side));
        assert!(numbers.windows(2).all(|pair| {
            pair[0].proof <= pair[1].proof && pair[0].disproof >= pair[1].disproof
        }));
    }
}
