//! Which replies to the attacker's second turn are hard to answer: learnt from proofs.
//!
//! Early in a game hardly any two replies look alike to a solver, and yet one in eight costs more
//! than all others together. A small linear model over the lines and the distances of the stones
//! guesses which.

use std::fmt::Write as _;
use std::sync::LazyLock;

use gridproof_game::{Colour, Position, Rules, Square};

use super::Status;

/// What is counted of a position with the attacker to move. A segment is open to a side if the
/// other has no stone on it.
pub const FEATURES: [&str; 14] = [
    "one",
    "own-1",
    "own-2",
    "own-3",
    "other-1",
    "other-2",
    "other-3",
    "other-4",
    "has-other-3",
    "has-other-4",
    "near-1",
    "near-2",
    "near-3",
    "near-4",
];

/// Counts in the order of [`FEATURES`].
pub type Features = [i32; FEATURES.len()];

/// Weights are in so many parts of a unit of the logit.
pub const UNIT: i32 = 1 << 16;

const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// How hard replies are: weights that were learnt, in whole numbers, so that all machines agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyModel {
    weights: Features,
}

/// Why a file of weights cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected `{expected} NUMBER`")]
pub struct ModelError {
    line: usize,
    expected: &'static str,
}

/// What the logits below these say of a reply: of such, up to 6, 25, 40 and 60 in a hundred resist
/// the first look.
const STEPS: [(i32, Status); 4] = [
    (-180_000, Status::Strong1),
    (-72_000, Status::Unclear),
    (-26_500, Status::Weak1),
    (26_500, Status::Weak2),
];

impl ReplyModel {
    #[must_use]
    pub const fn new(weights: Features) -> Self {
        Self { weights }
    }

    /// The weights that come with the program.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static MODEL: LazyLock<ReplyModel> = LazyLock::new(|| {
            let text = include_str!("../../weights/replies.txt");
            ReplyModel::parse(text).expect("a test reads it")
        });
        &MODEL
    }

    /// One line a feature, its name and its weight; lines that begin with # are comments.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let mut weights = [0; FEATURES.len()];
        let lines = (1..).zip(text.lines());
        let mut lines = lines.filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
        for (weight, expected) in weights.iter_mut().zip(FEATURES) {
            let (line, words) = lines.next().unwrap_or_default();
            let number = words.strip_prefix(expected).map(str::trim);
            let number = number.and_then(|number| number.parse().ok());
            *weight = number.ok_or(ModelError { line, expected })?;
        }
        Ok(Self { weights })
    }

    /// As [`Self::parse`] reads it.
    #[must_use]
    pub fn file(&self, comment: &str) -> String {
        let mut text = String::new();
        for line in comment.lines() {
            writeln!(text, "# {line}").expect("memory takes any text");
        }
        for (name, weight) in FEATURES.iter().zip(self.weights) {
            writeln!(text, "{name} {weight}").expect("memory takes any text");
        }
        text
    }

    /// How hard a position is, in the logit's parts: the more, the harder.
    #[must_use]
    pub fn logit(&self, features: &Features) -> i32 {
        let parts = self.weights.iter().zip(features);
        parts.fold(0i32, |sum, (weight, count)| {
            sum.saturating_add(weight.saturating_mul(*count))
        })
    }

    /// What to think of the position after a reply.
    #[must_use]
    pub fn status(&self, after: &Position, attacker: Colour) -> Status {
        let Some(features) = features(after, attacker) else {
            return Status::Unclear;
        };
        let logit = self.logit(&features);
        let step = STEPS.iter().find(|(most, _)| logit < *most);
        step.map_or(Status::Weak3, |(_, status)| *status)
    }
}

/// The counts of a position that the model is for: of Connect6, with the attacker to move, who has
/// had two turns.
#[must_use]
pub fn features(position: &Position, attacker: Colour) -> Option<Features> {
    let rules = position.rules();
    let turns = usize::from(rules.first_stones() + rules.stones_per_turn());
    let own = position.stones(attacker);
    let is_meant =
        *rules == Rules::CONNECT6 && position.to_move() == attacker && own.len() == turns;
    if !is_meant {
        return None;
    }
    let other = position.stones(attacker.other());
    let k = rules.in_a_row() as i8;
    // By the number of stones, of the segments that are open to a side.
    let mut open = [[0i32; 7]; 2];
    for start in rules.board().iter() {
        for direction in DIRECTIONS {
            let last = start.step(direction, k - 1);
            if !last.is_some_and(|last| rules.contains(last)) {
                continue;
            }
            let (mut ours, mut theirs) = (0, 0);
            for square in (0..k).filter_map(|steps| start.step(direction, steps)) {
                ours += usize::from(own.contains(square));
                theirs += usize::from(other.contains(square));
            }
            match (ours, theirs) {
                (_, 0) => open[0][ours] += 1,
                (0, _) => open[1][theirs] += 1,
                _ => {}
            }
        }
    }
    let mut near = [0; 5];
    for stone in other.iter() {
        let steps = own.iter().map(|mine| steps_between(stone, mine)).min();
        if let Some(count) = steps.and_then(|steps| near.get_mut(steps)) {
            *count += 1;
        }
    }
    let [ours, theirs] = open;
    Some([
        1,
        ours[1],
        ours[2],
        ours[3],
        theirs[1],
        theirs[2],
        theirs[3],
        theirs[4],
        i32::from(theirs[3] > 0),
        i32::from(theirs[4] > 0),
        near[1],
        near[2],
        near[3],
        near[4],
    ])
}

/// Steps of a king from one square to another.
fn steps_between(a: Square, b: Square) -> usize {
    let columns = a.column().abs_diff(b.column());
    usize::from(columns.max(a.row().abs_diff(b.row())))
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Symmetry, read_game};

    use super::*;

    fn position(moves: &str) -> Position {
        let game = read_game(moves.as_bytes()).expect("a game");
        game.position().clone()
    }

    #[test]
    fn lines_and_distances_are_counted() {
        let position = position("j10 k7,m7 i11,j12 n7,l7");
        let counts = features(&position, Colour::Black).expect("an early position");
        let of = |name| counts[FEATURES.iter().position(|it| *it == name).unwrap()];
        assert_eq!(of("one"), 1);
        assert_eq!(
            of("other-4"),
            3,
            "H7 to N7 and further, as far as the four are together"
        );
        assert_eq!((of("has-other-4"), of("has-other-3")), (1, 1));
        assert_eq!(
            (of("near-1"), of("near-2"), of("near-3"), of("near-4")),
            (0, 0, 3, 1)
        );
    }

    #[test]
    fn a_turned_position_is_as_hard() {
        let position = position("j10 k7,m7 i11,j12 h9,l8");
        let counts = features(&position, Colour::Black);
        for symmetry in Symmetry::all(position.rules()) {
            let turned = position.transformed(symmetry);
            assert_eq!(features(&turned, Colour::Black), counts);
        }
    }

    #[test]
    fn other_positions_are_not_judged() {
        let model = ReplyModel::built_in();
        for moves in ["j10 k7,m7 i11,j12", "j10 k7,m7 i11,j12 h9,l8 g9,g10 a1,a2"] {
            let position = position(moves);
            assert_eq!(features(&position, Colour::Black), None);
            assert_eq!(model.status(&position, Colour::Black), Status::Unclear);
        }
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let mut weights = [0; FEATURES.len()];
        weights.iter_mut().zip(-3..).for_each(|(it, n)| *it = n);
        let model = ReplyModel::new(weights);
        let text = model.file("made by\na command");
        assert_eq!(ReplyModel::parse(&text), Ok(model));
        let error = ReplyModel::parse(&text.replace("own-2", "own-9")).unwrap_err();
        assert_eq!(error.to_string(), "line 5: expected `own-2 NUMBER`");
    }
}
