use std::sync::LazyLock;

use crate::patterns::connection::Connection;
use crate::patterns::kind::ConnectionType;
use crate::pending::number_on_line;
use crate::shape::{AnyShape, Shape};
use crate::windows::{Windows, lowest, offsets};

use gridproof_game::Rules;

/// Connections up to this length have an entry; longer ones, on larger boards than the
/// usual, are classified when asked for.
const LONGEST: u32 = 19;

/// The type of every Connection: the paper's knowledge base.
#[derive(Debug)]
pub struct Catalogue {
    shape: AnyShape,
    /// k itself: the shape's stops at 32, and no Connection is as long as a longer row.
    in_a_row: u8,
    /// All shapes of k squares, then of k + 1, and so on.
    types: Vec<ConnectionType>,
}

/// Why a game has no catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Connection types are defined for two stones a turn, and {0} has {p}: \
     evaluate it by segments instead",
    p = .0.stones_per_turn()
)]
pub struct NoConnectionTypes(pub Rules);

static CONNECT6: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::new(&Rules::CONNECT6).expect("Connect6 has two stones a turn"));

impl Catalogue {
    /// The catalogue of Connect6, made at the first call and kept.
    #[must_use]
    pub fn connect6() -> &'static Self {
        &CONNECT6
    }

    /// Makes the catalogue of a game with two stones a turn, whatever its k and board.
    pub fn new(rules: &Rules) -> Result<Self, NoConnectionTypes> {
        let refuse = || NoConnectionTypes(*rules);
        if rules.stones_per_turn() != 2 {
            return Err(refuse());
        }
        let shape = AnyShape::of(rules).ok_or_else(refuse)?;
        let side = u32::from(rules.columns().max(rules.rows()));
        let mut types = Vec::new();
        for length in shape.in_a_row()..=side.min(LONGEST) {
            push_types(shape, length, &mut types);
        }
        Ok(Self {
            shape,
            in_a_row: rules.in_a_row(),
            types,
        })
    }

    /// How many Connections have an entry: 2^(n+1) - 2^k up to length n.
    #[must_use]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether no line of the board is long enough to win on.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// What a Connection is worth to its owner.
    #[must_use]
    #[inline]
    pub fn type_of(&self, connection: &Connection) -> ConnectionType {
        let (k, length) = (self.shape.in_a_row(), u32::from(connection.length));
        if connection.length < self.in_a_row {
            return ConnectionType::Other;
        }
        // 2^length - 2^k: as many shapes are shorter. The paper's h has 2^(length+1), which
        // is the end of the shapes of this length and not their beginning.
        let shorter = (1 << length.min(LONGEST)) - (1 << k.min(LONGEST));
        match self.types.get(shorter + connection.stones as usize) {
            Some(entry) if length <= LONGEST => *entry,
            _ => classify(self.shape, connection),
        }
    }
}

/// What can be seen of a Connection at once.
#[derive(Clone, Copy)]
struct Grade {
    /// Stones missing from the best segment.
    missing: u32,
    /// Up to three.
    threats: u32,
}

impl Grade {
    #[inline(always)]
    fn of(shape: AnyShape, length: u32, stones: u32) -> Self {
        let k = shape.in_a_row();
        let windows = Windows::count(shape, stones);
        let starts = lowest(length - k + 1);
        let with = |least: u32| windows.at_least(least as i32) & starts;
        let best = (0..=k).rev().find(|&least| with(least) != 0).unwrap_or(0);
        let segments = with(k.saturating_sub(shape.stones_per_turn()));
        Self {
            missing: k - best,
            threats: number_on_line(shape, segments, lowest(length) & !stones, 3),
        }
    }

    fn reach(self) -> Reach {
        Reach {
            live: self.threats >= 2,
            live_five: self.threats >= 2 && self.missing <= 1,
        }
    }
}

/// Whether some number of stones leads to two threats, and to such that one stone completes.
#[derive(Clone, Copy, Default)]
struct Reach {
    live: bool,
    live_five: bool,
}

impl Reach {
    fn or(self, other: Self) -> Self {
        Self {
            live: self.live | other.live,
            live_five: self.live_five | other.live_five,
        }
    }
}

/// The paper's definitions, from what is seen at once and what one stone and two lead to.
fn decide(grade: Grade, by_one: Reach, by_two: Reach) -> ConnectionType {
    use ConnectionType::*;
    match (grade.missing, grade.threats) {
        (0, _) => Win,
        (1 | 2, 3..) => DefinitelyWin,
        (1, 2) => Live5,
        (1, _) => Dead5,
        (2, 2) => Live4,
        (2, _) if by_one.live_five => Sleep4,
        (2, _) => Dead4,
        (3, _) if by_one.live => Live3,
        (3, _) if by_two.live_five => Sleep3,
        (3, _) => Dead3,
        (4, _) if by_two.live => Live2,
        _ => Other,
    }
}

fn classify(shape: AnyShape, connection: &Connection) -> ConnectionType {
    let length = u32::from(connection.length);
    let grade = |stones| Grade::of(shape, length, stones);
    let (mut by_one, mut by_two) = (Reach::default(), Reach::default());
    for first in offsets(connection.empties()) {
        let after = connection.with_stone(first);
        by_one = by_one.or(grade(after.stones).reach());
        for second in offsets(after.empties()) {
            by_two = by_two.or(grade(after.with_stone(second).stones).reach());
        }
    }
    decide(grade(connection.stones), by_one, by_two)
}

/// Adds the types of all Connections of a length. Those with a stone more come first, so what
/// one stone and two lead to is looked up and not worked out.
fn push_types(shape: AnyShape, length: u32, types: &mut Vec<ConnectionType>) {
    let first = types.len();
    let shapes = 1usize << length;
    types.resize(first + shapes, ConnectionType::Other);
    let mut now = vec![Reach::default(); shapes];
    let mut by_one = vec![Reach::default(); shapes];
    for stones in (0..shapes).rev() {
        let grade = Grade::of(shape, length, stones as u32);
        let mut by_two = Reach::default();
        for offset in offsets(lowest(length) & !(stones as u32)) {
            let after = stones | 1 << offset;
            by_one[stones] = by_one[stones].or(now[after]);
            by_two = by_two.or(by_one[after]);
        }
        now[stones] = grade.reach();
        types[first + stones] = decide(grade, by_one[stones], by_two);
    }
}
