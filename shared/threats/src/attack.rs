//! Moves that make threats.

use gridproof_game::{Colour, Square, SquareSet};
use smallvec::SmallVec;

use crate::block::{Blocks, Pending};
use crate::board::ThreatBoard;
use crate::geometry::LineId;
use crate::shape::Shape;
use crate::windows::{Windows, all_cells, common_cells, covering, offsets};

/// Stones that make threats together. The move's other stones, if any, are free.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attack {
    /// In ascending order.
    pub stones: Blocks,
    /// The number of threats on the board after these stones. The larger of p + 1 and the
    /// number asked for stands for more, too.
    pub threats: u32,
}

pub type AttackList = Vec<Attack>;

impl<S: Shape> ThreatBoard<S> {
    /// All inclusion-minimal sets of at most p stones after which a side has at least `least`
    /// threats (1 or more). Every move that makes so many contains one of them.
    #[must_use]
    pub fn attacks(&self, colour: Colour, least: u32) -> AttackList {
        let mut found = AttackList::new();
        self.attacks_into(colour, least, &mut found);
        found
    }

    /// As [`ThreatBoard::attacks`], into a list that is cleared first.
    pub fn attacks_into(&self, colour: Colour, least: u32, found: &mut AttackList) {
        debug_assert!(least > 0);
        found.clear();
        let count_to = least.max(self.shape().stones_per_turn() + 1);
        if self.has_threats(colour, least) {
            let stones = Blocks::new();
            let threats = self.count_after(colour, &stones, count_to);
            found.push(Attack { stones, threats });
            return;
        }
        let makers = self.makers(colour);
        let mut enough = SquareSet::EMPTY;
        for square in makers.singles.iter() {
            let stones = Blocks::from_slice(&[square]);
            let threats = self.count_after(colour, &stones, count_to);
            if threats >= least {
                enough.insert(square);
                found.push(Attack { stones, threats });
            }
        }
        let p = self.shape().stones_per_turn() as usize;
        if p == 1 {
            return;
        }
        let alone = !self.can_complete(colour);
        let mut consider = |stones: Blocks, known: Option<u32>| {
            if stones.iter().any(|&square| enough.contains(square)) {
                return;
            }
            let threats = known.unwrap_or_else(|| self.count_after(colour, &stones, count_to));
            if threats >= least {
                found.push(Attack { stones, threats });
            }
        };
        for maker in &makers.sets {
            let singles = maker
                .stones
                .iter()
                .filter(|&&s| makers.singles.contains(s))
                .count();
            // Without a single among them, these stones make threats on their own line only.
            let known = (alone && singles == 0 && p == 2).then_some(maker.threats_on_line);
            if singles < maker.stones.len() || p > 2 {
                consider(maker.stones.clone(), known);
            }
        }
        self.unions(&makers, p, &mut consider);
        if p > 2 {
            found.sort_unstable();
            found.dedup();
            keep_minimal(found);
        }
    }

    /// Moves that are unions of several makers, each adding a stone.
    fn unions(&self, makers: &Makers, p: usize, consider: &mut impl FnMut(Blocks, Option<u32>)) {
        let singles: SmallVec<[Square; 32]> = makers.singles.iter().collect();
        if p == 2 {
            for (i, &a) in singles.iter().enumerate() {
                for &b in &singles[i + 1..] {
                    consider(Blocks::from_slice(&[a, b]), None);
                }
            }
            return;
        }
        let mut all: Vec<Blocks> = singles.iter().map(|&s| Blocks::from_slice(&[s])).collect();
        all.extend(makers.sets.iter().map(|maker| maker.stones.clone()));
        let mut level = all.clone();
        loop {
            let mut next = Vec::new();
            for set in &level {
                for more in &all {
                    let mut union: Blocks = set.iter().chain(more).copied().collect();
                    union.sort_unstable();
                    union.dedup();
                    if union.len() > set.len() && union.len() <= p {
                        next.push(union);
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return;
            }
            for union in &next {
                consider(union.clone(), None);
            }
            level = next;
        }
    }

    /// The number of threats of a side after it places some stones; p + 1 stands for more, too.
    #[must_use]
    pub fn threats_after(&self, colour: Colour, stones: &[Square]) -> u32 {
        self.count_after(colour, stones, self.shape().stones_per_turn() + 1)
    }

    /// As [`ThreatBoard::threats_after`], but `most` stands for more.
    fn count_after(&self, colour: Colour, stones: &[Square], most: u32) -> u32 {
        let (pending, added) = self.pending_after(colour, stones);
        if pending.is_empty() {
            return 0;
        }
        let empties_on = |line: LineId| {
            let taken = added
                .iter()
                .find(|(at, _)| *at == line)
                .map_or(0, |(_, mask)| *mask);
            self.empties_on(line) & !taken
        };
        (1..most)
            .find(|&count| self.blockable(&pending, &empties_on, count))
            .unwrap_or(most)
    }

    /// Threat segments after some stones, and those stones by line.
    #[inline]
    fn pending_after(&self, colour: Colour, stones: &[Square]) -> (Pending, LineMasks) {
        let mut added = LineMasks::new();
        for &square in stones {
            for at in self.geometry().on_lines(square) {
                match added.iter_mut().find(|(line, _)| *line == at.line) {
                    Some((_, mask)) => *mask |= 1 << at.offset,
                    None => added.push((at.line, 1 << at.offset)),
                }
            }
        }
        let mut pending = Pending::default();
        for &(line, mask) in &added {
            pending.push(line, self.threats_with(line, colour, mask));
        }
        for line in self.threat_lines(colour).iter() {
            if added.iter().all(|(touched, _)| *touched != line) {
                pending.push(line, self.threats_on(line, colour));
            }
        }
        (pending, added)
    }

    /// Threat segments of a line once a side also has stones at the offsets of a mask.
    #[inline(always)]
    fn threats_with(&self, line: LineId, colour: Colour, added: u32) -> u32 {
        let least = self.shape().in_a_row() as i32 - self.shape().stones_per_turn() as i32;
        let stones = self.stones_on(line, colour) | added;
        Windows::count(self.shape(), stones).at_least(least) & self.open_on(line, colour)
    }

    fn makers(&self, colour: Colour) -> Makers {
        let mut makers = Makers {
            singles: SquareSet::EMPTY,
            sets: Vec::new(),
        };
        let shape = self.shape();
        let (k, p) = (shape.in_a_row() as i32, shape.stones_per_turn() as i32);
        for line in self.seed_lines(colour).iter() {
            let open = self.open_on(line, colour);
            let windows = Windows::count(shape, self.stones_on(line, colour));
            let empties = self.empties_on(line);
            // lacking[r]: segments that r stones more make a threat.
            let lacking: SmallVec<[u32; 4]> = (0..=p)
                .map(|r| windows.at_least(k - p - r) & !windows.at_least(k - p - r + 1) & open)
                .collect();
            if p >= 1 {
                // A stone on a threat makes no new one, but takes a square to block it on.
                let offsets =
                    all_cells(shape, self.threats_on(line, colour) | lacking[1]) & empties;
                makers
                    .singles
                    .extend(self.geometry().squares_of(line, offsets));
            }
            let more = lacking
                .iter()
                .skip(2)
                .fold(0, |all, segments| all | segments);
            if more != 0 {
                let mut chosen = SmallVec::<[u8; 4]>::new();
                let cells = all_cells(shape, more) & empties;
                self.sets_on(
                    line,
                    colour,
                    &lacking,
                    more,
                    cells,
                    &mut chosen,
                    &mut makers.sets,
                );
            }
        }
        makers
    }

    /// Collects the sets of two or more stones on one line that fill a segment's lack.
    #[allow(clippy::too_many_arguments)]
    fn sets_on(
        &self,
        line: LineId,
        colour: Colour,
        lacking: &[u32],
        segments: u32,
        cells: u32,
        chosen: &mut SmallVec<[u8; 4]>,
        sets: &mut Vec<Maker>,
    ) {
        for offset in offsets(cells) {
            let within = segments & covering(self.shape(), offset);
            if within == 0 {
                continue;
            }
            chosen.push(offset);
            let count = chosen.len();
            if count >= 2 && lacking[count] & within != 0 {
                let mask = chosen.iter().fold(0u32, |mask, &offset| mask | 1 << offset);
                let made = self.threats_with(line, colour, mask);
                let blocking = common_cells(self.shape(), made) & self.empties_on(line) & !mask;
                let mut stones: Blocks = self.geometry().squares_of(line, mask).collect();
                stones.sort_unstable();
                sets.push(Maker {
                    stones,
                    threats_on_line: if blocking != 0 {
                        1
                    } else {
                        self.on_line(line, made, mask)
                    },
                });
            }
            if count + 1 < lacking.len() {
                let higher = cells & !(u32::MAX >> (31 - u32::from(offset)));
                let reach = all_cells(self.shape(), within);
                self.sets_on(line, colour, lacking, within, higher & reach, chosen, sets);
            }
            chosen.pop();
        }
    }

    /// The number of threats on one line alone, known to be two or more.
    fn on_line(&self, line: LineId, segments: u32, added: u32) -> u32 {
        let mut pending = Pending::default();
        pending.push(line, segments);
        let empties_on = |_| self.empties_on(line) & !added;
        let p = self.shape().stones_per_turn();
        (2..=p)
            .find(|&count| self.blockable(&pending, &empties_on, count))
            .unwrap_or(p + 1)
    }
}

type LineMasks = SmallVec<[(LineId, u32); 8]>;

/// Sets of stones that make at least one threat, of which larger ones are made up.
struct Makers {
    /// Squares that make a threat alone.
    singles: SquareSet,
    /// Two stones or more that make a threat together on one line.
    sets: Vec<Maker>,
}

struct Maker {
    stones: Blocks,
    threats_on_line: u32,
}

fn keep_minimal(found: &mut AttackList) {
    let sets: Vec<Blocks> = found.iter().map(|attack| attack.stones.clone()).collect();
    found.retain(|attack| {
        !sets.iter().any(|set| {
            set.len() < attack.stones.len() && set.iter().all(|s| attack.stones.contains(s))
        })
    });
}
