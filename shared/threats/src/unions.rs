//! Attacks for any p and beside threats that exist already: every move of use is a union of
//! small sets, each of which fills what one segment lacks.

use gridproof_game::SquareSet;
use smallvec::SmallVec;

use crate::attack::{Attack, AttackList, Wanted};
use crate::block::Blocks;
use crate::board::ThreatBoard;
use crate::geometry::LineId;
use crate::shape::Shape;
use crate::windows::{Windows, all_cells, covering, lowest, offsets};

/// Of these sets all larger ones are made up.
struct Makers {
    /// Squares that make a threat alone, or that lie on one: a stone there makes no new
    /// threat, but takes away a square to block it on.
    singles: SquareSet,
    /// Two stones or more that make a threat together on one line.
    sets: Vec<Blocks>,
}

impl<S: Shape> ThreatBoard<S> {
    pub(crate) fn unions_into(&self, wanted: Wanted, found: &mut AttackList) {
        let most = wanted.stones as usize;
        let makers = self.makers(wanted);
        let mut all: Vec<Blocks> = makers
            .singles
            .iter()
            .map(|square| Blocks::from_slice(&[square]))
            .collect();
        all.extend(makers.sets);
        all.retain(|set| set.len() <= most);
        let mut level = all.clone();
        while !level.is_empty() {
            level.retain(|stones| {
                let threats = self.count_after(wanted.colour, stones, wanted.count_to);
                if threats >= wanted.least {
                    let stones = Blocks::from_slice(stones);
                    found.push(Attack { stones, threats });
                }
                threats < wanted.least
            });
            level = larger_unions(&level, &all, most);
        }
        found.sort_unstable();
        found.dedup();
        keep_minimal(found);
    }

    fn makers(&self, wanted: Wanted) -> Makers {
        let mut makers = Makers {
            singles: SquareSet::EMPTY,
            sets: Vec::new(),
        };
        let shape = self.shape();
        let (k, p) = (shape.in_a_row() as i32, shape.stones_per_turn() as i32);
        for line in self.seed_lines(wanted.colour).iter() {
            let open = self.open_on(line, wanted.colour);
            let windows = Windows::count(shape, self.stones_on(line, wanted.colour));
            let empties = self.empties_on(line);
            let singles = self.threats_on(line, wanted.colour) | self.near_on(line, wanted.colour);
            let squares = self
                .geometry()
                .squares_of(line, all_cells(shape, singles) & empties);
            makers.singles.extend(squares);
            // By what they lack to be threats: at index r, those that r stones make threats.
            let lacking: SmallVec<[u32; 4]> = (0..=p)
                .map(|r| windows.at_least(k - p - r) & !windows.at_least(k - p - r + 1) & open)
                .collect();
            let more = lacking.iter().skip(2).fold(0, |all, some| all | some);
            if more != 0 {
                let line = LineMakers {
                    board: self,
                    line,
                    lacking: &lacking,
                };
                line.collect(
                    more,
                    all_cells(shape, more) & empties,
                    Chosen::default(),
                    &mut makers.sets,
                );
            }
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
    fn collect(&self, segments: u32, cells: u32, chosen: Chosen, sets: &mut Vec<Blocks>) {
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
                sets.push(stones);
            }
            if chosen.count + 1 < self.lacking.len() {
                let higher = cells & !lowest(u32::from(offset) + 1);
                self.collect(within, higher & all_cells(shape, within), chosen, sets);
            }
        }
    }
}

/// The unions of one set of each kind that are larger than the first.
fn larger_unions(firsts: &[Blocks], seconds: &[Blocks], most: usize) -> Vec<Blocks> {
    let mut unions = Vec::new();
    for first in firsts.iter().filter(|first| first.len() < most) {
        for second in seconds {
            let mut union = Blocks::from_slice(first);
            union.extend_from_slice(second);
            union.sort_unstable();
            union.dedup();
            if union.len() > first.len() && union.len() <= most {
                unions.push(union);
            }
        }
    }
    unions.sort_unstable();
    unions.dedup();
    unions
}

fn keep_minimal(found: &mut AttackList) {
    let sets: Vec<Blocks> = found.iter().map(|attack| attack.stones.clone()).collect();
    found.retain(|attack| {
        !sets.iter().any(|set| {
            set.len() < attack.stones.len() && set.iter().all(|s| attack.stones.contains(s))
        })
    });
}
