//! What the search has found out about positions, shared by its threads without locks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use gridproof_game::{Colour, Rules, Square, Symmetry, zobrist};
use gridproof_threats::Blocks;

/// What a score says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    AtLeast,
    Exact,
    AtMost,
}

/// What is known of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) score: i16,
    pub(super) depth: i8,
    pub(super) bound: Bound,
    /// How hard a win by threats was looked for in vain.
    pub(super) effort: u8,
    /// The best move's squares, packed by [`pack`].
    pub(super) best: u32,
}

const SQUARE_BITS: u32 = 10;
const MOST_PACKED: usize = 3;

/// A move in 30 bits, each square one up so that none stands for no square; larger moves are not
/// kept.
pub(super) fn pack(stones: &[Square]) -> u32 {
    if stones.len() > MOST_PACKED {
        return 0;
    }
    stones.iter().fold(0, |packed, square| {
        packed << SQUARE_BITS | (square.index() as u32 + 1) & 0x3ff
    })
}

pub(super) fn unpack(mut packed: u32) -> Blocks {
    let mut stones = Blocks::new();
    while packed != 0 {
        let square = packed & 0x3ff;
        stones.push(Square::from_index(square as usize - 1));
        packed >>= SQUARE_BITS;
    }
    stones.sort_unstable();
    stones
}

impl Entry {
    fn to_word(self) -> u64 {
        u64::from(self.score as u16)
            | u64::from(self.depth as u8) << 16
            | (self.bound as u64) << 24
            | u64::from(self.effort & 0xf) << 26
            | u64::from(self.best) << 32
    }

    fn of_word(word: u64) -> Self {
        Self {
            score: word as u16 as i16,
            depth: (word >> 16) as u8 as i8,
            bound: match word >> 24 & 3 {
                0 => Bound::AtLeast,
                1 => Bound::Exact,
                _ => Bound::AtMost,
            },
            effort: (word >> 26 & 0xf) as u8,
            best: (word >> 32) as u32,
        }
    }
}

/// A slot's two words are written apart. The first is the key mixed with the second, so that a
/// torn slot fits no key.
#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// Slots by key; a deeper result stays unless the slot's other half is as deep.
#[derive(Debug)]
pub(super) struct Table {
    slots: Box<[Slot]>,
}

/// Slots that a key may be in.
const WAYS: usize = 2;

impl Table {
    /// A table for a search of so many nodes.
    pub(super) fn for_nodes(nodes: u64) -> Self {
        let slots = (nodes / 4).clamp(1 << 10, 1 << 22).next_power_of_two();
        Self {
            slots: (0..slots).map(|_| Slot::default()).collect(),
        }
    }

    fn ways(&self, key: u64) -> &[Slot] {
        let first = (key as usize & (self.slots.len() - 1)) & !(WAYS - 1);
        &self.slots[first..first + WAYS]
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.ways(key).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let fits = slot.check.load(Ordering::Relaxed) ^ data == key && data != 0;
            fits.then(|| Entry::of_word(data))
        })
    }

    pub(super) fn put(&self, key: u64, entry: Entry) {
        let ways = self.ways(key);
        let worth = |slot: &Slot| {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) ^ data == key {
                i32::MIN
            } else if data == 0 {
                i32::MIN + 1
            } else {
                i32::from(Entry::of_word(data).depth)
            }
        };
        let slot = ways
            .iter()
            .min_by_key(|slot| worth(slot))
            .expect("there are ways");
        let data = entry.to_word();
        slot.check.store(key ^ data, Ordering::Relaxed);
        slot.data.store(data, Ordering::Relaxed);
    }
}

/// Where each symmetry takes each square: by symmetry, then by square. Those of Connect6 are made
/// once, for a quick move takes not much longer.
fn images(rules: Rules) -> Arc<[Square]> {
    static CONNECT6: OnceLock<Arc<[Square]>> = OnceLock::new();
    let make = || {
        let images = Symmetry::all(&rules).flat_map(|symmetry| {
            (0..Square::COUNT).map(move |index| match Square::from_index(index) {
                square if rules.contains(square) => symmetry.apply(&rules, square),
                outside => outside,
            })
        });
        images.collect()
    };
    match rules == Rules::CONNECT6 {
        true => Arc::clone(CONNECT6.get_or_init(make)),
        false => make(),
    }
}

/// The keys of a position seen from all sides of the board. The lowest stands for all.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    rules: Rules,
    symmetries: Vec<Symmetry>,
    images: Arc<[Square]>,
    keys: [u64; 8],
}

impl Keys {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            symmetries: Symmetry::all(&rules).collect(),
            images: images(rules),
            keys: [0; 8],
        }
    }

    /// A stone comes or goes.
    #[inline]
    pub(super) fn toggle(&mut self, square: Square, colour: Colour) {
        for (i, key) in self.keys[..self.symmetries.len()].iter_mut().enumerate() {
            *key ^= zobrist::stone(colour, self.images[i * Square::COUNT + square.index()]);
        }
    }

    /// The key of the position with this side to move, and the symmetry that leads there.
    pub(super) fn lowest(&self, us: Colour) -> (u64, Symmetry) {
        let numbered = self.keys[..self.symmetries.len()]
            .iter()
            .zip(&self.symmetries);
        let (key, symmetry) = numbered.min_by_key(|(key, _)| **key).expect("the identity");
        let turn = match us {
            Colour::Black => 0,
            Colour::White => zobrist::WHITE_TO_MOVE,
        };
        (key ^ turn, *symmetry)
    }

    /// Stones seen from another side of the board.
    pub(super) fn seen(&self, stones: &[Square], symmetry: Symmetry) -> Blocks {
        let mut seen: Blocks = stones
            .iter()
            .map(|&square| symmetry.apply(&self.rules, square))
            .collect();
        seen.sort_unstable();
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_moves_read_back() {
        let table = Table::for_nodes(0);
        let stones: Vec<Square> = ["A1", "T19", "J10"]
            .map(|name| name.parse().unwrap())
            .into();
        for (i, bound) in [Bound::AtLeast, Bound::Exact, Bound::AtMost]
            .into_iter()
            .enumerate()
        {
            let entry = Entry {
                score: -29_990 + i as i16,
                depth: -1 + i as i8,
                bound,
                effort: 7,
                best: pack(&stones[..=i]),
            };
            table.put(17 + i as u64, entry);
            assert_eq!(table.get(17 + i as u64), Some(entry));
            let mut sorted = stones[..=i].to_vec();
            sorted.sort_unstable();
            assert_eq!(unpack(entry.best)[..], sorted);
        }
        assert_eq!(table.get(99), None);
        assert!(unpack(0).is_empty());
    }

    #[test]
    fn turned_positions_share_a_key_and_a_move_is_turned_with_them() {
        let rules = Rules::CONNECT6;
        let stones = ["K9", "C4", "Q17"].map(|name| name.parse::<Square>().unwrap());
        for symmetry in Symmetry::all(&rules) {
            let (mut here, mut there) = (Keys::new(rules), Keys::new(rules));
            for square in stones {
                here.toggle(square, Colour::White);
                there.toggle(symmetry.apply(&rules, square), Colour::White);
            }
            let (key, to) = here.lowest(Colour::Black);
            let (same, from) = there.lowest(Colour::Black);
            assert_eq!(key, same);
            let lowest = here.seen(&stones, to);
            let turned = there.seen(&lowest, from.inverse());
            assert_eq!(turned, here.seen(&stones, symmetry));
            assert_ne!(key, here.lowest(Colour::White).0);
        }
    }
}
