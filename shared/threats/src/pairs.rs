//! Attacks for p = 1 and p = 2 where no threat exists yet, as in nearly every search.
//!
//! Then the threats after one stone or two are those on the lines through them, and two lines
//! meet in one square at most. So numbers add up line by line, up to a common blocking square,
//! and no search for hitting sets is needed.

use gridproof_game::{Square, SquareSet};
use smallvec::SmallVec;

use crate::attack::{Attack, AttackList, Wanted};
use crate::block::{pair, single};
use crate::board::ThreatBoard;
use crate::geometry::{Geometry, LineId, LineRef, MAX_LINES};
use crate::pending::number_on_line;
use crate::shape::Shape;
use crate::windows::{all_cells, common_cells, covering, offsets};

/// A square that makes threats alone.
#[derive(Clone, Copy, Debug)]
struct Single {
    square: Square,
    at: [LineRef; 4],
    /// The threats it makes on each line.
    on_line: [u8; 4],
    threats: u32,
    /// If it makes one threat: the squares that block it. A threat that one stone makes has p
    /// empty squares, so there are no more. The square itself stands for none.
    blocks: [Square; 2],
}

impl Single {
    fn blocked_with(&self, other: &Self) -> bool {
        let [a, b] = self.blocks;
        let is = |block: Square, own: Square| block != own && other.blocks.contains(&block);
        is(a, self.square) || is(b, self.square)
    }

    /// The direction in which both lie on one line.
    #[inline(always)]
    fn line_with(&self, other: &Self, geometry: &Geometry) -> Option<usize> {
        (0..4).find(|&d| {
            let line = self.at[d].line;
            line == other.at[d].line && geometry.is_real(line)
        })
    }
}

/// What pairs are made from.
struct Material {
    /// Singles that make too few threats alone.
    singles: SmallVec<[Single; 32]>,
    /// All singles, by their offsets on each line.
    single_on: [u32; MAX_LINES],
}

impl<S: Shape> ThreatBoard<S> {
    pub(crate) fn pairs_into(&self, wanted: Wanted, found: &mut AttackList) {
        if wanted.stones == 0 {
            return;
        }
        let material = self.singles_into(wanted, found);
        if wanted.stones < 2 {
            return;
        }
        let mut keep = |a: Square, b: Square, threats: u32| {
            if threats >= wanted.least {
                let stones = pair(a, b);
                found.push(Attack { stones, threats });
            }
        };
        for (i, a) in material.singles.iter().enumerate() {
            for b in &material.singles[i + 1..] {
                keep(a.square, b.square, self.of_two_singles(a, b, wanted));
            }
            self.with_a_single(a, &material, wanted, &mut keep);
        }
        if wanted.least <= 2 {
            for line in self.seed_lines(wanted.colour).iter() {
                self.without_single(line, &material, wanted, &mut keep);
            }
        }
    }

    /// Segments that two stones make threats (p = 2).
    #[inline(always)]
    fn lacking_two(&self, line: LineId, wanted: Wanted) -> u32 {
        self.seeds_on(line, wanted.colour) & !self.near_on(line, wanted.colour)
    }

    /// Keeps the singles that make threats enough and returns the others.
    fn singles_into(&self, wanted: Wanted, found: &mut AttackList) -> Material {
        let mut squares = SquareSet::EMPTY;
        for line in self.seed_lines(wanted.colour).iter() {
            let near = self.near_on(line, wanted.colour);
            let offsets = all_cells(self.shape(), near) & self.empties_on(line);
            squares.extend(self.geometry().squares_of(line, offsets));
        }
        let mut material = Material {
            singles: SmallVec::new(),
            single_on: [0; MAX_LINES],
        };
        for square in squares.iter() {
            let made = self.single(square, wanted);
            for at in made.at {
                material.single_on[at.line.index()] |= 1 << at.offset;
            }
            if made.threats >= wanted.least {
                found.push(Attack {
                    stones: single(square),
                    threats: made.threats,
                });
            } else {
                material.singles.push(made);
            }
        }
        material
    }

    #[inline(always)]
    fn single(&self, square: Square, wanted: Wanted) -> Single {
        let mut single = Single {
            square,
            at: *self.geometry().on_lines(square),
            on_line: [0; 4],
            threats: 0,
            blocks: [square; 2],
        };
        for (i, LineRef { line, offset }) in single.at.into_iter().enumerate() {
            let made = self.near_on(line, wanted.colour) & covering(self.shape(), offset);
            if made == 0 {
                continue;
            }
            let empties = self.empties_on(line) & !(1 << offset);
            let common = common_cells(self.shape(), made) & empties;
            let number = if common != 0 {
                for (block, offset) in single.blocks.iter_mut().zip(offsets(common)) {
                    *block = self.geometry().square(line, offset);
                }
                1
            } else {
                number_on_line(self.shape(), made, empties, wanted.count_to)
            };
            single.on_line[i] = number as u8;
            single.threats += number;
        }
        // Lines through one square meet nowhere else: no stone blocks on two of them.
        single.threats = single.threats.min(wanted.count_to);
        single
    }

    /// The threats of a pair on the line where both lie.
    #[inline(always)]
    fn on_common_line(&self, a: LineRef, b: LineRef, wanted: Wanted) -> u32 {
        let shape = self.shape();
        let (by_a, by_b) = (covering(shape, a.offset), covering(shape, b.offset));
        let made = (self.near_on(a.line, wanted.colour) & (by_a | by_b))
            | (self.lacking_two(a.line, wanted) & by_a & by_b);
        let empties = self.empties_on(a.line) & !(1 << a.offset | 1 << b.offset);
        number_on_line(shape, made, empties, wanted.count_to)
    }

    #[inline(always)]
    fn of_two_singles(&self, a: &Single, b: &Single, wanted: Wanted) -> u32 {
        if a.threats > 1 || b.threats > 1 {
            return self.count_after(wanted.colour, &[a.square, b.square], wanted.count_to);
        }
        // Each makes one threat, on one line.
        let apart = |a_makes: u8, b_makes: u8| match a_makes + b_makes {
            2 if a.blocked_with(b) => 1,
            sum => u32::from(sum),
        };
        match a.line_with(b, self.geometry()) {
            None => apart(1, 1),
            Some(d) => {
                let together = self.on_common_line(a.at[d], b.at[d], wanted);
                (together + apart(1 - a.on_line[d], 1 - b.on_line[d])).min(wanted.count_to)
            }
        }
    }

    /// Pairs of a single and a stone that makes no threat without it, on a common line.
    #[inline(always)]
    fn with_a_single(
        &self,
        single: &Single,
        material: &Material,
        wanted: Wanted,
        keep: &mut impl FnMut(Square, Square, u32),
    ) {
        let shape = self.shape();
        for (d, at) in single.at.into_iter().enumerate() {
            let LineRef { line, offset } = at;
            let lacking = self.lacking_two(line, wanted) & covering(shape, offset);
            if lacking == 0 {
                continue;
            }
            let elsewhere = single.threats - u32::from(single.on_line[d]);
            let mut partners = all_cells(shape, lacking)
                & self.empties_on(line)
                & !material.single_on[line.index()];
            if elsewhere == 0 && wanted.least == 2 {
                // What blocks the single's threat must not block all that the pair adds.
                for block in single.blocks.into_iter().filter(|b| *b != single.square) {
                    let block = self.geometry().on_lines(block)[d];
                    partners &= all_cells(shape, lacking & !covering(shape, block.offset));
                }
            }
            for partner in offsets(partners) {
                let other = LineRef {
                    line,
                    offset: partner,
                };
                let threats = self.on_common_line(at, other, wanted) + elsewhere;
                let square = self.geometry().square(line, partner);
                keep(single.square, square, threats.min(wanted.count_to));
            }
        }
    }

    /// Pairs that make threats only together, so on their line alone: one threat or two.
    #[inline(always)]
    fn without_single(
        &self,
        line: LineId,
        material: &Material,
        wanted: Wanted,
        keep: &mut impl FnMut(Square, Square, u32),
    ) {
        let lacking = self.lacking_two(line, wanted);
        if lacking == 0 {
            return;
        }
        let k = self.shape().in_a_row();
        let empties = self.empties_on(line) & !material.single_on[line.index()];
        let stones = self.stones_on(line, wanted.colour);
        let doubles = Doubles::new(k, lacking, stones, empties);
        let farthest = if wanted.least == 1 {
            k
        } else {
            k.saturating_sub(2)
        };
        for distance in 1..farthest {
            let double = doubles.at_distance(distance);
            let pairs = if wanted.least == 1 {
                spread(lacking, k - distance) & empties & empties >> distance
            } else {
                double
            };
            for lower in offsets(pairs) {
                let square = |offset| self.geometry().square(line, offset);
                let threats = 1 + (double >> lower & 1);
                keep(square(lower), square(lower + distance as u8), threats);
            }
        }
    }
}

/// Pairs that make two threats on a line, of squares that make none alone.
///
/// All threats that such a pair makes contain both its squares. So two of them have no
/// blocking square in common if what they share is full: the pair and stones without a gap.
/// Three cannot, as the one between would lie within the other two and be full.
struct Doubles {
    stones: u32,
    /// Squares where the pair may begin, as a segment begins there or at stones right before.
    lower: u32,
    /// Squares where it may end, as a segment ends there or at stones right after.
    upper: u32,
}

impl Doubles {
    #[inline(always)]
    fn new(k: u32, lacking: u32, stones: u32, empties: u32) -> Self {
        let (mut begins, mut ends) = (lacking, lacking << (k - 1));
        // The pair and k - 4 stones are all that a segment can hold if it is not yet near.
        for _ in 4..k {
            begins |= (begins & stones) << 1;
            ends |= (ends & stones) >> 1;
        }
        Self {
            stones,
            lower: begins & empties,
            upper: ends & empties,
        }
    }

    /// The lower squares of such pairs.
    #[inline(always)]
    fn at_distance(&self, distance: u32) -> u32 {
        (1..distance).fold(self.lower & self.upper >> distance, |pairs, i| {
            pairs & self.stones >> i
        })
    }
}

/// A mask united with itself moved up by 1, 2, ... `count` - 1.
#[inline(always)]
fn spread(mask: u32, count: u32) -> u32 {
    (0..count).fold(0, |all, by| all | mask << by)
}
