//! The slow, obvious twin of the threat board: an array of squares, nothing kept, every
//! answer found by looking at all segments. Tests compare with it and benchmarks race it.

// Each test or benchmark that includes this file uses its own part of it.
#![allow(dead_code, unreachable_pub)]

use gridproof_game::{Colour, Direction, Rules, Square, SquareSet, zobrist};

pub type Squares = Vec<Square>;

#[derive(Clone, Debug)]
pub struct NaiveBoard {
    rules: Rules,
    at: Vec<Option<Colour>>,
    /// Every k squares in a row, in the order of their direction.
    segments: Vec<Squares>,
}

/// Stones that make threats together, and how many. The larger of p + 1 and the number
/// asked for stands for more, too.
pub type NaiveAttack = (Squares, u32);

impl NaiveBoard {
    pub fn new(rules: Rules) -> Self {
        let k = i16::from(rules.in_a_row());
        let segment = |start: Square, direction: Direction| -> Option<Squares> {
            (0..k)
                .map(|i| start.step(direction.step(), i8::try_from(i).ok()?))
                .map(|square| square.filter(|s| rules.contains(*s)))
                .collect()
        };
        let segments = rules
            .squares()
            .flat_map(|start| Direction::ALL.map(|direction| segment(start, direction)))
            .flatten()
            .collect();
        Self {
            rules,
            at: vec![None; Square::COUNT],
            segments,
        }
    }

    pub fn place(&mut self, square: Square, colour: Colour) {
        assert_eq!(self.at[square.index()], None);
        self.at[square.index()] = Some(colour);
    }

    pub fn remove(&mut self, square: Square) {
        assert!(self.at[square.index()].take().is_some());
    }

    pub fn at(&self, square: Square) -> Option<Colour> {
        self.at[square.index()]
    }

    pub fn empties(&self) -> Squares {
        let empty = |s: &Square| self.at(*s).is_none();
        self.rules.squares().filter(empty).collect()
    }

    pub fn key(&self) -> u64 {
        self.rules
            .squares()
            .filter_map(|s| self.at(s).map(|colour| zobrist::stone(colour, s)))
            .fold(0, |key, stone| key ^ stone)
    }

    /// Segments without a stone of the other side and with at least `least` of this one's.
    pub fn open(&self, colour: Colour, least: i32) -> impl Iterator<Item = &Squares> {
        self.segments.iter().filter(move |segment| {
            let mut own = 0;
            for &square in *segment {
                match self.at(square) {
                    None => {}
                    Some(stone) if stone == colour => own += 1,
                    Some(_) => return false,
                }
            }
            own >= least
        })
    }

    fn k_minus(&self, stones: u32) -> i32 {
        i32::from(self.rules.in_a_row()) - stones as i32
    }

    fn p(&self) -> u32 {
        u32::from(self.rules.stones_per_turn())
    }

    pub fn has_completed(&self, colour: Colour) -> bool {
        self.open(colour, self.k_minus(0)).next().is_some()
    }

    /// Segments that one move of a side completes.
    pub fn threats(&self, colour: Colour) -> impl Iterator<Item = &Squares> {
        self.open(colour, self.k_minus(self.p()))
    }

    /// Segments that one move of a side makes threats, or that are.
    pub fn seeds(&self, colour: Colour) -> impl Iterator<Item = &Squares> {
        self.open(colour, self.k_minus(2 * self.p()))
    }

    fn empties_of(&self, segment: &[Square]) -> Squares {
        let empty = |s: &Square| self.at(*s).is_none();
        segment.iter().copied().filter(empty).collect()
    }

    pub fn threat_empties(&self, colour: Colour) -> SquareSet {
        self.threats(colour)
            .flat_map(|segment| self.empties_of(segment))
            .collect()
    }

    /// The least number of squares that hit all threats, if it is at most `most`.
    pub fn threat_number(&self, colour: Colour, most: u32) -> Option<u32> {
        let to_hit: Vec<_> = self.threats(colour).map(|s| self.empties_of(s)).collect();
        (0..=most).find(|&stones| can_hit(&to_hit, stones))
    }

    /// Tries every set of at most p squares, smallest first.
    pub fn minimal_blocks(&self, colour: Colour) -> Vec<Squares> {
        let to_hit: Vec<_> = self.threats(colour).map(|s| self.empties_of(s)).collect();
        let squares: Squares = self.threat_empties(colour).iter().collect();
        let mut found: Vec<Squares> = Vec::new();
        for set in subsets(&squares, self.p() as usize) {
            let hits_all = to_hit.iter().all(|s| s.iter().any(|x| set.contains(x)));
            if hits_all && !found.iter().any(|smaller| is_subset(smaller, &set)) {
                found.push(set);
            }
        }
        found.sort();
        found
    }

    /// The number of threats once a side also has some stones; p + 1 stands for more, too.
    pub fn threats_after(&self, colour: Colour, stones: &[Square]) -> u32 {
        let mut after = self.clone();
        for &square in stones {
            after.place(square, colour);
        }
        let p = self.p();
        after.threat_number(colour, p).unwrap_or(p + 1)
    }

    /// For `least` = 1, 2, 3 all inclusion-minimal sets of at most p stones that leave a side
    /// with at least so many threats.
    ///
    /// Tries every set, but of those squares alone that lie on a segment which p stones can
    /// make a threat: a stone elsewhere is in no threat and could be left out.
    pub fn attacks(&self, colour: Colour) -> [Vec<NaiveAttack>; 3] {
        let p = self.p();
        let seeds: Vec<(Squares, usize)> = self
            .seeds(colour)
            .map(|segment| (self.empties_of(segment), segment.len()))
            .collect();
        let useful: SquareSet = seeds.iter().flat_map(|(s, _)| s.iter().copied()).collect();
        let useful: Squares = useful.iter().collect();
        let mut found: [Vec<NaiveAttack>; 3] = Default::default();
        for set in subsets(&useful, p as usize) {
            if found[2].iter().any(|(smaller, _)| is_subset(smaller, &set)) {
                continue;
            }
            let to_hit: Vec<Squares> = seeds
                .iter()
                .map(|(empties, _)| -> Squares {
                    let left = empties.iter().copied();
                    left.filter(|x| !set.contains(x)).collect()
                })
                .filter(|left| left.len() <= p as usize)
                .collect();
            let most = p.max(found.len() as u32 - 1);
            let threats = (0..=most)
                .find(|&stones| can_hit(&to_hit, stones))
                .unwrap_or(most + 1);
            for (attacks, least) in found.iter_mut().zip(1..) {
                let minimal = || !attacks.iter().any(|(smaller, _)| is_subset(smaller, &set));
                if threats >= least && minimal() {
                    attacks.push((set.clone(), threats.min(p.max(least - 1) + 1)));
                }
            }
        }
        for attacks in &mut found {
            attacks.sort();
        }
        found
    }
}

fn is_subset(small: &[Square], large: &[Square]) -> bool {
    small.iter().all(|square| large.contains(square))
}

/// Whether this many squares can hit all sets: one of the first set's must be among them.
fn can_hit(sets: &[Squares], stones: u32) -> bool {
    let Some((first, rest)) = sets.split_first() else {
        return true;
    };
    stones > 0
        && first.iter().any(|square| {
            let left: Vec<_> = rest
                .iter()
                .filter(|s| !s.contains(square))
                .cloned()
                .collect();
            can_hit(&left, stones - 1)
        })
}

/// All subsets of at most `most` squares, smaller ones first, each in ascending order.
fn subsets(squares: &[Square], most: usize) -> Vec<Squares> {
    let mut all = vec![Squares::new()];
    let mut level = 0..1;
    for _ in 0..most {
        let end = all.len();
        for i in level {
            for &square in squares {
                if all[i].last().is_none_or(|last| *last < square) {
                    let mut larger = all[i].clone();
                    larger.push(square);
                    all.push(larger);
                }
            }
        }
        level = end..all.len();
    }
    all
}
