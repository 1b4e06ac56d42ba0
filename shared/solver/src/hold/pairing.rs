//! Looks for a pairing: disjoint groups of p + 1 empty squares, one within each segment that is
//! still open to the opponent. See `docs/theory.md`, "Draws".

use smallvec::SmallVec;

use super::board::{Geometry, Stones};

/// Groups that are tried before a position is taken to have no pairing.
const TRIES: u32 = 400;

/// A pairing of a position, if a short look finds one.
pub(super) fn find(geometry: &Geometry, stones: Stones) -> Option<Vec<u128>> {
    if !geometry.allows_pairing(stones) {
        return None;
    }
    let size = geometry.stones_per_turn() + 1;
    let mut open: SmallVec<[u128; 64]> = SmallVec::new();
    // Each line needs groups of its own: two lines share one square at most.
    let (mut groups, mut line, mut last) = (0, u16::MAX, 0u128);
    for segment in &geometry.segments {
        if segment.squares & stones.holder != 0 {
            continue;
        }
        let empties = segment.squares & !stones.opponent;
        if empties.count_ones() < size {
            return None;
        }
        if line != segment.line || last & !empties != 0 {
            line = segment.line;
            last = highest(empties, size);
            groups += 1;
        }
        open.push(empties);
    }
    let free = geometry.empties(stones);
    if groups * size > free.count_ones() {
        return None;
    }
    // A segment within another is the harder of the two.
    open.sort_unstable_by_key(|empties| empties.count_ones());
    let mut needed: SmallVec<[u128; 64]> = SmallVec::new();
    for empties in open {
        if needed.iter().all(|smaller| smaller & !empties != 0) {
            needed.push(empties);
        }
    }
    let mut search = Pairing {
        size,
        tries: TRIES,
        groups: Vec::new(),
    };
    search.pair(&needed, free).then_some(search.groups)
}

/// The highest squares of a set; on every line these are its last ones.
fn highest(squares: u128, count: u32) -> u128 {
    let mut rest = squares;
    while rest.count_ones() > count {
        rest &= rest - 1;
    }
    rest
}

struct Pairing {
    size: u32,
    tries: u32,
    groups: Vec<u128>,
}

impl Pairing {
    fn pair(&mut self, needed: &[u128], free: u128) -> bool {
        // The segment with the fewest squares left is the hardest to find a group for.
        let Some(hardest) = needed
            .iter()
            .min_by_key(|empties| (*empties & free).count_ones())
        else {
            return true;
        };
        let squares = hardest & free;
        if squares.count_ones() < self.size {
            return false;
        }
        let mut choices: SmallVec<[(usize, u128); 32]> = SmallVec::new();
        subsets(squares, self.size, 0, &mut |group| {
            let serves = needed
                .iter()
                .filter(|empties| group & !**empties == 0)
                .count();
            choices.push((serves, group));
        });
        choices.sort_unstable_by_key(|&(serves, group)| (std::cmp::Reverse(serves), group));
        for (_, group) in choices {
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            let left: SmallVec<[u128; 64]> = needed
                .iter()
                .copied()
                .filter(|empties| group & !empties != 0)
                .collect();
            self.groups.push(group);
            if self.pair(&left, free & !group) {
                return true;
            }
            self.groups.pop();
        }
        false
    }
}

fn subsets(squares: u128, count: u32, chosen: u128, found: &mut impl FnMut(u128)) {
    if count == 0 {
        found(chosen);
        return;
    }
    let mut rest = squares;
    while rest.count_ones() >= count {
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        subsets(rest, count - 1, chosen | bit, found);
    }
}
