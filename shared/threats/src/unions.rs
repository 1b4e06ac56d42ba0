//! Attacks for any p and beside threats that exist already: every move of use is a union of
//! small sets, each of which fills what one segment lacks.

use gridproof_game::{Square, SquareSet};
use smallvec::SmallVec;

use crate::attack::{Attack, AttackList, Wanted};
use crate::block::{Blocks, single};
use crate::board::ThreatBoard;
use crate::geometry::LineId;
use crate::shape::Shape;
use crate::windows::{Windows, all_cells, covering, lowest, offsets};

/// Sets by their number of stones, from none on.
type BySize = Vec<Vec<Blocks>>;

impl<S: Shape> ThreatBoard<S> {
    /// Goes from small sets to large ones. More stones never leave fewer threats: so what is
    /// an attack is not made larger, and an attack is minimal if no stone can be left out.
    pub(crate) fn unions_into(&self, wanted: Wanted, found: &mut AttackList) {
        let most = wanted.stones as usize;
        let makers = self.makers(wanted);
        let mut unions: BySize = vec![Vec::new(); most + 1];
        // Makers that are no attacks.
        let mut parts: Vec<&Blocks> = Vec::new();
        for size in 1..=most {
            let mut sets = std::mem::take(&mut unions[size]);
            sets.extend_from_slice(&makers[size]);
            sets.sort_unstable();
            sets.dedup();
            sets.retain(|stones| !self.keep_if_attack(stones, wanted, found));
            if size == most {
                break;
            }
            let still_part = |maker: &&Blocks| sets.binary_search(maker).is_ok();
            parts.extend(makers[size].iter().filter(still_part));
            // Parts of more stones than these come first in the unions that they are in.
            for first in &sets {
                for second in &parts {
                    let union = united(first, second);
                    if (size + 1..=most).contains(&union.len()) {
                        unions[union.len()].push(union);
                    }
                }
            }
        }
        found.sort_unstable();
    }

    /// Whether stones make threats enough; they are kept if none can be left out.
    fn keep_if_attack(&self, stones: &Blocks, wanted: Wanted, found: &mut AttackList) -> bool {
        let pending = self.pending_after(wanted.colour, stones);
        if !pending.needs(self, wanted.least) {
            return false;
        }
        let enough_without = |i: usize| {
            let mut others = stones.clone();
            others.remove(i);
            let pending = self.pending_after(wanted.colour, &others);
            pending.needs(self, wanted.least)
        };
        if !(0..stones.len()).any(enough_without) {
            found.push(Attack {
                stones: stones.clone(),
                threats: pending.number(self, wanted.count_to),
            });
        }
        true
    }

    /// The sets that all others are unions of, each once and in order: single squares that
    /// make a threat, or that lie on one (a stone there makes no new threat, but takes away a
    /// square to block it on), and stones that make a threat together on one line.
    fn makers(&self, wanted: Wanted) -> BySize {
        let most = wanted.stones;
        let mut makers: BySize = vec![Vec::new(); most as usize + 1];
        let mut singles = SquareSet::EMPTY;
        let shape = self.shape();
        let threat = shape.in_a_row() as i32 - shape.stones_per_turn() as i32;
        for line in self.seed_lines(wanted.colour).iter() {
            let open = self.open_on(line, wanted.colour);
            let windows = Windows::count(shape, self.stones_on(line, wanted.colour));
            let empties = self.empties_on(line);
            let by_one = self.threats_on(line, wanted.colour) | self.near_on(line, wanted.colour);
            let offsets = all_cells(shape, by_one) & empties;
            singles.extend(self.geometry().squares_of(line, offsets));
            // By what they lack to be threats: at index r, those that r stones make threats.
            let lacking: SmallVec<[u32; 5]> = (0..=most as i32)
                .map(|r| windows.at_least(threat - r) & !windows.at_least(threat - r + 1) & open)
                .collect();
            let more = lacking.iter().skip(2).fold(0, |all, some| all | some);
            if more != 0 {
                let line = LineMakers {
                    board: self,
                    line,
                    lacking: &lacking,
                };
                let cells = all_cells(shape, more) & empties;
                line.collect(more, cells, Chosen::default(), &mut makers);
            }
        }
        if most > 0 {
            makers[1].extend(singles.iter().map(single));
        }
        for sets in &mut makers {
            sets.sort_unstable();
            sets.dedup();
        }
        makers
    }
}

struct LineMakers<'a, S: Shape> {
    board: &'a ThreatBoard<S>,
    line: LineId,
    lacking: &'a [u32],
}

#[derive(Clone, Copy, Default)]
struct Chosen {
    offsets: u32,
    count: usize,
}

impl<S: Shape> LineMakers<'_, S> {
    /// Adds the sets of two stones or more, `chosen` and some of `cells`, that fill what one
    /// of some segments lacks.
    fn collect(&self, segments: u32, cells: u32, chosen: Chosen, sets: &mut BySize) {
        let shape = self.board.shape();
        for offset in offsets(cells) {
            let within = segments & covering(shape, offset);
            if within == 0 {
                continue;
            }
            let chosen = Chosen {
                offsets: chosen.offsets | 1 << offset,
                count: chosen.count + 1,
            };
            if chosen.count >= 2 && self.lacking[chosen.count] & within != 0 {
                let geometry = self.board.geometry();
                let mut stones: Blocks = geometry.squares_of(self.line, chosen.offsets).collect();
                stones.sort_unstable();
                sets[chosen.count].push(stones);
            }
            if chosen.count + 1 < self.lacking.len() {
                let higher = cells & !lowest(u32::from(offset) + 1);
                self.collect(within, higher & all_cells(shape, within), chosen, sets);
            }
        }
    }
}

/// All stones of two sets, in order.
fn united(a: &[Square], b: &[Square]) -> Blocks {
    let mut union = Blocks::from_slice(a);
    union.extend(b.iter().copied().filter(|stone| !a.contains(stone)));
    union.sort_unstable();
    union
}
