use gridproof_game::{Colour, Move, Position, Rules, Square, SquareSet, lines};
use smallvec::SmallVec;

use super::zone::NO_LIMIT;
use crate::place::place_of;

/// Attacker or defender, whatever their colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Attacker = 0,
    Defender = 1,
}

/// Bytes of a set of squares, one bit each.
pub(crate) const fn packed_len(rules: &Rules) -> usize {
    rules.area().div_ceil(8)
}

/// k consecutive squares, by number. It keeps its number whatever stones come onto it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentId(u16);

impl SegmentId {
    pub(crate) const fn from_index(index: u16) -> Self {
        Self(index)
    }

    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The segments of a board and which of them run through a square.
#[derive(Debug)]
struct Segments {
    squares: Vec<SmallVec<[Square; 8]>>,
    through: Vec<Vec<SegmentId>>,
}

impl Segments {
    fn new(rules: &Rules) -> Self {
        let mut through = vec![Vec::new(); Square::COUNT];
        let mut squares = Vec::new();
        for line in lines(rules) {
            for segment in line.segments(rules) {
                let id = SegmentId(squares.len() as u16);
                squares.push(segment.iter().copied().collect());
                for square in segment {
                    through[square.index()].push(id);
                }
            }
        }
        Self { squares, through }
    }
}

/// Segments that are looked at together, eight in a word: hardly any is ever within reach.
const CHUNK: usize = 64;

/// The checker's board: stones by side, and how many of each lie on every segment.
#[derive(Debug)]
pub(crate) struct Board {
    rules: Rules,
    attacker: Colour,
    segments: Segments,
    stones: [SquareSet; 2],
    /// The board's squares without a stone.
    empty: SquareSet,
    /// The stones, packed: the bits of the attacker's stones by place, then the defender's.
    packed: Box<[u8]>,
    stone_count: usize,
    /// Per side and segment.
    counts: [Vec<u8>; 2],
    /// Per side: segments all of whose squares it holds.
    completed: [u32; 2],
}

impl Board {
    pub(crate) fn new(position: &Position, attacker: Colour) -> Self {
        let rules = *position.rules();
        let segments = Segments::new(&rules);
        let none = vec![0; segments.squares.len()];
        let mut board = Self {
            rules,
            attacker,
            segments,
            stones: [SquareSet::EMPTY; 2],
            empty: rules.board(),
            packed: vec![0; 2 * packed_len(&rules)].into(),
            stone_count: 0,
            counts: [none.clone(), none],
            completed: [0; 2],
        };
        for (side, colour) in [
            (Side::Attacker, attacker),
            (Side::Defender, attacker.other()),
        ] {
            for square in position.stones(colour).iter() {
                board.place(side, square);
            }
        }
        board
    }

    pub(crate) const fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(crate) const fn colour(&self, side: Side) -> Colour {
        match side {
            Side::Attacker => self.attacker,
            Side::Defender => self.attacker.other(),
        }
    }

    #[cfg(test)]
    pub(crate) const fn stones(&self, side: Side) -> &SquareSet {
        &self.stones[side as usize]
    }

    /// The stones of both sides: equal for equal positions and for no others.
    pub(crate) const fn packed_stones(&self) -> &[u8] {
        &self.packed
    }

    fn flip_packed(&mut self, side: Side, square: Square) {
        let place = place_of(&self.rules, square);
        let from = side as usize * packed_len(&self.rules);
        self.packed[from + place / 8] ^= 1 << (place % 8);
    }

    pub(crate) fn is_empty_at(&self, square: Square) -> bool {
        self.empty.contains(square)
    }

    pub(crate) const fn empty_count(&self) -> usize {
        self.rules.area() - self.stone_count
    }

    /// Stones a side places in its turn when there is room for all.
    pub(crate) fn turn_length(&self, side: Side) -> usize {
        let first = self.stone_count == 0 && self.colour(side) == Colour::Black;
        usize::from(if first {
            self.rules.first_stones()
        } else {
            self.rules.stones_per_turn()
        })
    }

    /// The square must be empty.
    pub(crate) fn place(&mut self, side: Side, square: Square) {
        debug_assert!(self.is_empty_at(square));
        self.stones[side as usize].insert(square);
        self.empty.remove(square);
        self.flip_packed(side, square);
        self.stone_count += 1;
        for segment in &self.segments.through[square.index()] {
            let count = &mut self.counts[side as usize][segment.index()];
            *count += 1;
            self.completed[side as usize] += u32::from(*count == self.rules.in_a_row());
        }
    }

    /// The side must have a stone there.
    pub(crate) fn remove(&mut self, side: Side, square: Square) {
        debug_assert!(self.stones[side as usize].contains(square));
        self.stones[side as usize].remove(square);
        self.empty.insert(square);
        self.flip_packed(side, square);
        self.stone_count -= 1;
        for segment in &self.segments.through[square.index()] {
            let count = &mut self.counts[side as usize][segment.index()];
            self.completed[side as usize] -= u32::from(*count == self.rules.in_a_row());
            *count -= 1;
        }
    }

    pub(crate) fn play(&mut self, side: Side, mv: &Move) {
        for &square in mv.stones() {
            self.place(side, square);
        }
    }

    pub(crate) fn take_back(&mut self, side: Side, mv: &Move) {
        for &square in mv.stones() {
            self.remove(side, square);
        }
    }

    pub(crate) const fn has_completed(&self, side: Side) -> bool {
        self.completed[side as usize] > 0
    }

    pub(crate) fn segment_count(&self) -> usize {
        self.segments.squares.len()
    }

    pub(crate) fn segments_through(&self, square: Square) -> &[SegmentId] {
        &self.segments.through[square.index()]
    }

    pub(crate) fn squares_of(&self, segment: SegmentId) -> &[Square] {
        &self.segments.squares[segment.index()]
    }

    pub(crate) fn empties_of(&self, segment: SegmentId) -> impl Iterator<Item = Square> + '_ {
        let is_empty = |square: &Square| self.is_empty_at(*square);
        self.squares_of(segment).iter().copied().filter(is_empty)
    }

    /// Per segment: its empty squares less `spare` while the defender can still complete it,
    /// else [`NO_LIMIT`]. In the order of segments. No branches, so that the compiler takes many
    /// at a time: this is a fifth of what checking costs otherwise.
    #[inline]
    pub(crate) fn defender_limits(&self, spare: u8) -> impl Iterator<Item = u8> + '_ {
        let k = self.rules.in_a_row();
        let [attacker, defender] = &self.counts;
        attacker.iter().zip(defender).map(move |(&a, &d)| {
            let closed = if a == 0 { 0 } else { NO_LIMIT };
            (k - d).saturating_sub(spare) | closed
        })
    }

    /// Segments that a side can complete by placing at most `stones`, and has not yet.
    pub(crate) fn within_reach(&self, side: Side, stones: usize) -> Vec<SegmentId> {
        let k = self.rules.in_a_row();
        let least = k.saturating_sub(u8::try_from(stones).unwrap_or(u8::MAX));
        let other = match side {
            Side::Attacker => Side::Defender,
            Side::Defender => Side::Attacker,
        };
        let (own, others) = (&self.counts[side as usize], &self.counts[other as usize]);
        let fits = |(own, others): (u64, u64)| {
            at_least(own, least) & !at_least(own, k) & !at_least(others, 1)
        };
        let (own, last_own) = in_chunks(own);
        let (others, last_others) = in_chunks(others);
        let chunks = own.iter().zip(others);
        let chunks = chunks.chain(last_own.as_ref().zip(last_others.as_ref()));
        let mut found = Vec::new();
        for ((own, others), first) in chunks.zip((0u16..).step_by(CHUNK)) {
            let fitting = || words(own).zip(words(others)).map(fits);
            if fitting().fold(0, |any, fitting| any | fitting) == 0 {
                continue;
            }
            for (mut fitting, first) in fitting().zip((first..).step_by(8)) {
                while fitting != 0 {
                    found.push(SegmentId(first + (fitting.trailing_zeros() / 8) as u16));
                    fitting &= fitting - 1;
                }
            }
        }
        found
    }

    /// Segments through a square that a side holds altogether.
    pub(crate) fn completed_through(
        &self,
        side: Side,
        square: Square,
    ) -> impl Iterator<Item = SegmentId> + '_ {
        let full =
            move |id: &SegmentId| self.counts[side as usize][id.index()] == self.rules.in_a_row();
        self.segments_through(square).iter().copied().filter(full)
    }
}

/// Counts in chunks. A last one that is not whole is filled up with ones: on both sides, so that
/// nobody reaches them.
fn in_chunks(counts: &[u8]) -> (&[[u8; CHUNK]], Option<[u8; CHUNK]>) {
    let (chunks, rest) = counts.as_chunks();
    let last = (!rest.is_empty()).then(|| {
        let mut last = [1; CHUNK];
        last[..rest.len()].copy_from_slice(rest);
        last
    });
    (chunks, last)
}

#[inline(always)]
fn words(chunk: &[u8; CHUNK]) -> impl Iterator<Item = u64> + '_ {
    chunk
        .as_chunks()
        .0
        .iter()
        .map(|eight| u64::from_le_bytes(*eight))
}

/// Of eight counts in a word, those of at least so many: the highest bit of each. No segment is
/// longer than a board's side, so that none of the sums reaches the next count.
#[inline(always)]
const fn at_least(counts: u64, least: u8) -> u64 {
    let one_each = u64::MAX / 0xff;
    (counts + (0x80 - least as u64) * one_each) & (0x80 * one_each)
}

#[cfg(test)]
mod tests {
    use gridproof_game::SquareSet;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    /// Counts the stones of every segment one by one.
    fn within_reach_slowly(board: &Board, side: Side, stones: usize) -> Vec<SegmentId> {
        let own = board.stones(side);
        let on_segment = |id: &SegmentId, set: &SquareSet| {
            let squares = board.squares_of(*id);
            squares
                .iter()
                .filter(|square| set.contains(**square))
                .count()
        };
        let k = usize::from(board.rules.in_a_row());
        let fits = |id: &SegmentId| {
            let (own, free) = (on_segment(id, own), on_segment(id, &board.empty));
            own + free == k && (1..=stones).contains(&free)
        };
        let all = (0..board.segment_count() as u16).map(SegmentId);
        all.filter(fits).collect()
    }

    #[test]
    fn segments_within_reach_are_those_that_miss_few_stones_and_have_no_enemy() {
        let mut rng = StdRng::seed_from_u64(5);
        let mut found = 0;
        for (m, n, k, p) in [(19, 19, 6, 2), (8, 8, 3, 3), (4, 3, 3, 2), (32, 32, 32, 4)] {
            let rules = Rules::new(m, n, k, p, 1).expect("a game");
            for percent in [10, 50, 90] {
                let mut board = Board::new(&Position::start(rules), Colour::Black);
                for square in rules.squares() {
                    if rng.random_range(0..100) < percent {
                        let side = match rng.random_range(0..4) {
                            0 => Side::Defender,
                            _ => Side::Attacker,
                        };
                        board.place(side, square);
                    }
                }
                for side in [Side::Attacker, Side::Defender] {
                    for stones in 0..=4 {
                        let reach = board.within_reach(side, stones);
                        assert_eq!(reach, within_reach_slowly(&board, side, stones));
                        found += reach.len();
                    }
                }
            }
        }
        assert!(found > 100, "{found}");
    }
}
