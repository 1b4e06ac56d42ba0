//! Which defender moves a verifier must look at, given the zone of a cheaper one.

use std::fmt;
use std::str::FromStr;

use gridproof_game::{Colour, Square, SquareSet};
use gridproof_threats::{Shape, ThreatBoard};

use crate::mutation::{Rule, holds};
use crate::zone::{Stones, Zone, sets_on_segments};

/// The rule by which a verifier turns a zone into the moves that it does not excuse.
///
/// All are sound; the later ones skip more. The first four are the published ones, kept so
/// that their tables can be set beside ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub enum Coverage {
    /// The null-move method of 2005: one zone, and double threats only.
    Wu,
    /// VC6: a first stone in Z2, then a second in Z1 of what it left.
    Vc6,
    /// VC6-O1: a stone in Z1, or two in Z2.
    O1,
    /// VC6-O2: a stone in Z1, or two in Z2 on a common segment.
    O2,
    /// Per segment: a stone in Z1, or two on a segment that two stones harm.
    #[default]
    Segment,
}

impl Coverage {
    /// All rules, those that skip more last.
    pub const ALL: [Self; 5] = [Self::Wu, Self::Vc6, Self::O1, Self::O2, Self::Segment];

    /// Whether sets of two or more stones that the rule names are excused by the zones of
    /// smaller ones once those are known.
    pub(crate) fn leaves_sets_to_singles(self) -> bool {
        matches!(self, Self::Wu | Self::Vc6)
    }

    /// Sets of at most `free` empty squares such that every choice of `free` squares that harms
    /// the proof contains one of them.
    pub(crate) fn needed<S: Shape>(
        self,
        board: &ThreatBoard<S>,
        defender: Colour,
        zone: &Zone,
        free: usize,
        mut found: impl FnMut(Stones),
    ) {
        if free == 0 {
            return;
        }
        let empties = board.empties();
        let first = match self {
            Self::Wu | Self::Vc6 => free,
            Self::O1 | Self::O2 | Self::Segment => 1,
        };
        let harmful = match holds(Rule::SinglesOnSegments) {
            true => zone.squares(board, 1),
            false => *zone.keep_free(),
        };
        let singles = match first {
            1 => harmful,
            limit => zone.squares(board, limit),
        };
        let singles = singles.intersection(&empties);
        for square in singles.iter() {
            found(Stones::from_slice(&[square]));
        }
        let others = empties.difference(&harmful);
        for count in 2..=if holds(Rule::SetsOnSegments) { free } else { 0 } {
            let wide = || {
                zone.squares(board, count)
                    .intersection(&empties)
                    .difference(&singles)
            };
            match self {
                Self::O1 => subsets(&wide(), count, &mut found),
                Self::O2 => {
                    let open = |line| board.open_on(line, defender);
                    sets_on_segments(board, count, &wide(), open, &mut found);
                }
                // The published rule leaves these to the zones of their single stones: they are
                // named to complete the proof, and a verifier comes to them last.
                Self::Wu | Self::Vc6 | Self::Segment => {
                    let limited = |line| zone.limited(line, count);
                    sets_on_segments(board, count, &others, limited, &mut found);
                }
            }
        }
    }
}

/// All sets of `count` squares out of some.
fn subsets(squares: &SquareSet, count: usize, found: &mut impl FnMut(Stones)) {
    fn go(rest: &[Square], count: usize, chosen: &mut Stones, found: &mut impl FnMut(Stones)) {
        if chosen.len() == count {
            found(chosen.clone());
            return;
        }
        for (i, &square) in rest.iter().enumerate() {
            chosen.push(square);
            go(&rest[i + 1..], count, chosen, found);
            chosen.pop();
        }
    }
    let all: Vec<_> = squares.iter().collect();
    go(&all, count, &mut Stones::new(), found);
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wu => "wu",
            Self::Vc6 => "vc6",
            Self::O1 => "o1",
            Self::O2 => "o2",
            Self::Segment => "segment",
        })
    }
}

/// Why a text names no coverage rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no coverage rule: choose wu, vc6, o1, o2 or segment")]
pub struct ParseCoverageError(String);

impl FromStr for Coverage {
    type Err = ParseCoverageError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.to_string().eq_ignore_ascii_case(text))
            .ok_or_else(|| ParseCoverageError(text.to_owned()))
    }
}
