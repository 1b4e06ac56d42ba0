//! A small board as bits.

use gridproof_game::{Colour, Position, Rules, Square, SquareSet, Symmetry, lines};
use smallvec::SmallVec;

use super::Number;

/// Who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Turn {
    Holder,
    Opponent,
}

impl Turn {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Holder => Self::Opponent,
            Self::Opponent => Self::Holder,
        }
    }

    pub(super) const fn colour(self, holder: Colour) -> Colour {
        match self {
            Self::Holder => holder,
            Self::Opponent => holder.other(),
        }
    }
}

/// The stones of both sides, a bit a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Stones {
    pub(super) holder: u128,
    pub(super) opponent: u128,
}

impl Stones {
    pub(super) const fn with(mut self, turn: Turn, mv: u128) -> Self {
        match turn {
            Turn::Holder => self.holder |= mv,
            Turn::Opponent => self.opponent |= mv,
        }
        self
    }
}

/// A position up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    stones: Stones,
    turn: Turn,
}

impl Key {
    pub(super) const fn of_canonical(stones: Stones, turn: Turn) -> Self {
        Self { stones, turn }
    }
}

/// The board: its squares as bits, its segments, its symmetries.
#[derive(Debug)]
pub(super) struct Geometry {
    rules: Rules,
    board: u128,
    pub(super) segments: Vec<Segment>,
    images: Vec<Image>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) squares: u128,
    /// Segments of one line stand side by side, from its beginning on.
    pub(super) line: u16,
}

/// Where a symmetry takes squares, eight at a time.
#[derive(Debug)]
struct Image {
    symmetry: Symmetry,
    of_byte: Vec<[u128; 256]>,
}

impl Image {
    fn new(rules: &Rules, symmetry: Symmetry) -> Self {
        let bit = |square| 1u128 << index(rules, square);
        let targets: Vec<u128> = rules
            .squares()
            .map(|square| bit(symmetry.apply(rules, square)))
            .collect();
        let of_byte = targets.chunks(8).map(|eight| {
            let mut table = [0; 256];
            for (byte, image) in table.iter_mut().enumerate() {
                let set = (0..eight.len()).filter(|at| byte >> at & 1 == 1);
                *image = set.fold(0, |image, at| image | eight[at]);
            }
            table
        });
        Self {
            symmetry,
            of_byte: of_byte.collect(),
        }
    }

    fn of(&self, squares: u128) -> u128 {
        let bytes = squares.to_le_bytes();
        let images = self.of_byte.iter().zip(bytes);
        images.fold(0, |image, (table, byte)| image | table[usize::from(byte)])
    }

    fn of_stones(&self, stones: Stones) -> Stones {
        Stones {
            holder: self.of(stones.holder),
            opponent: self.of(stones.opponent),
        }
    }
}

impl Geometry {
    pub(super) fn new(rules: Rules) -> Self {
        let bit = |square: &Square| 1u128 << index(&rules, *square);
        let segments = lines(&rules)
            .into_iter()
            .zip(0..)
            .flat_map(|(line, number)| {
                let squares = |segment: &[Square]| segment.iter().map(bit).sum();
                let of_line = line.segments(&rules).map(|segment| Segment {
                    squares: squares(segment),
                    line: number,
                });
                of_line.collect::<Vec<_>>()
            });
        let segments = segments.collect();
        Self {
            rules,
            board: rules.squares().map(|square| bit(&square)).sum(),
            segments,
            images: Symmetry::all(&rules)
                .map(|symmetry| Image::new(&rules, symmetry))
                .collect(),
        }
    }

    pub(super) fn stones_per_turn(&self) -> u32 {
        u32::from(self.rules.stones_per_turn())
    }

    pub(super) fn stones_of(&self, position: &Position, holder: Colour) -> Stones {
        let bits = |set: &SquareSet| set.iter().map(|s| 1u128 << index(&self.rules, s)).sum();
        Stones {
            holder: bits(position.stones(holder)),
            opponent: bits(position.stones(holder.other())),
        }
    }

    pub(super) fn empties(&self, stones: Stones) -> u128 {
        self.board & !(stones.holder | stones.opponent)
    }

    /// Stones of the turn at hand.
    pub(super) fn turn_length(&self, stones: Stones, colour: Colour) -> u32 {
        let empties = self.empties(stones);
        let wanted = match empties == self.board && colour == Colour::Black {
            true => self.rules.first_stones(),
            false => self.rules.stones_per_turn(),
        };
        empties.count_ones().min(u32::from(wanted))
    }

    /// Whether a pairing may begin: not before a first turn of more stones than usual.
    pub(super) fn allows_pairing(&self, stones: Stones) -> bool {
        self.empties(stones) != self.board
            || self.rules.first_stones() <= self.rules.stones_per_turn()
    }

    /// The position's least image.
    pub(super) fn key(&self, stones: Stones, turn: Turn) -> Key {
        let (stones, _) = self.canonical(stones);
        Key { stones, turn }
    }

    /// The least image of some stones, and the symmetry that leads there.
    pub(super) fn canonical(&self, stones: Stones) -> (Stones, Symmetry) {
        let mut least = (stones, Symmetry::IDENTITY);
        for image in &self.images[1..] {
            let turned = image.of_stones(stones);
            if turned < least.0 {
                least = (turned, image.symmetry);
            }
        }
        least
    }

    /// Squares that complete a line of `own`, at most so many.
    pub(super) fn completing(&self, own: u128, other: u128, stones: u32) -> Option<u128> {
        let missing = |segment: &Segment| {
            let missing = segment.squares & !own;
            (segment.squares & other == 0 && missing.count_ones() <= stones).then_some(missing)
        };
        self.segments.iter().find_map(missing)
    }

    /// The empty squares of each segment that `own` completes with at most so many stones.
    pub(super) fn threats(&self, own: u128, other: u128, stones: u32) -> SmallVec<[u128; 8]> {
        let missing = |segment: &Segment| {
            let missing = segment.squares & !own;
            (segment.squares & other == 0 && missing.count_ones() <= stones).then_some(missing)
        };
        self.segments.iter().filter_map(missing).collect()
    }

    /// All moves of so many stones that take a square of each threat.
    pub(super) fn blocking_moves(
        &self,
        stones: Stones,
        length: u32,
        threats: &[u128],
    ) -> Vec<u128> {
        let mut moves = Vec::new();
        choose(self.empties(stones), length, 0, threats, &mut moves);
        moves
    }

    /// How bad a position looks for the side that has just moved: what the other side can still
    /// make of its segments, less what the mover can.
    pub(super) fn guess(&self, stones: Stones, moved: Turn) -> Number {
        let (own, other) = match moved {
            Turn::Holder => (stones.holder, stones.opponent),
            Turn::Opponent => (stones.opponent, stones.holder),
        };
        let k = u32::from(self.rules.in_a_row());
        let mut worth = 0i64;
        for segment in &self.segments {
            let (mine, theirs) = (segment.squares & own, segment.squares & other);
            let weight = |stones: u128| 1i64 << (12 / k * stones.count_ones()).min(24);
            if mine == 0 {
                worth += weight(theirs);
            }
            if theirs == 0 {
                worth -= weight(mine);
            }
        }
        // Numbers are small: a doubling of the worth is a step.
        let steps = match worth {
            0.. => 24 + (64 - (worth as u64 + 1).leading_zeros()),
            _ => 24u32.saturating_sub(64 - (worth.unsigned_abs() + 1).leading_zeros()),
        };
        1 + steps / 4
    }

    pub(super) fn square(&self, bit: u32) -> Square {
        let columns = u32::from(self.rules.columns());
        Square::new((bit % columns) as u8, (bit / columns) as u8)
    }

    pub(super) fn squares(&self, mut bits: u128) -> impl Iterator<Item = Square> + '_ {
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros())?;
            bits &= bits - 1;
            Some(self.square(bit))
        })
    }
}

/// All ways to choose so many of some squares that take one of each threat.
fn choose(free: u128, more: u32, chosen: u128, threats: &[u128], found: &mut Vec<u128>) {
    if more == 0 {
        if threats.iter().all(|threat| threat & chosen != 0) {
            found.push(chosen);
        }
        return;
    }
    if more == 1 {
        let open = threats.iter().filter(|threat| *threat & chosen == 0);
        let mut squares = open.fold(free, |free, threat| free & threat);
        while squares != 0 {
            found.push(chosen | squares & squares.wrapping_neg());
            squares &= squares - 1;
        }
        return;
    }
    let mut rest = free;
    while rest.count_ones() >= more {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        choose(rest, more - 1, chosen | bit, threats, found);
    }
}

fn index(rules: &Rules, square: Square) -> u32 {
    u32::from(square.row()) * u32::from(rules.columns()) + u32::from(square.column())
}
