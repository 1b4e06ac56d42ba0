use gridproof_game::{Colour, Position, Rules, Square, SquareSet, lines};
use rustc_hash::FxHashMap;

use crate::check::Side;
use crate::place::place_of;

/// Says of any position of a small board whether the attacker wins: by trying every full
/// move of both sides, with a table of positions seen and nothing else.
pub(crate) struct Brute {
    rules: Rules,
    attacker: Colour,
    lines: Vec<u64>,
    known: FxHashMap<(u64, u64, bool), bool>,
}

impl Brute {
    pub(crate) fn new(rules: Rules, attacker: Colour) -> Self {
        assert!(rules.area() <= 64);
        let mask = |squares: &[Square]| {
            squares
                .iter()
                .map(|square| 1u64 << place_of(&rules, *square))
                .sum()
        };
        let lines = lines(&rules)
            .iter()
            .flat_map(|line| line.segments(&rules).map(mask).collect::<Vec<u64>>())
            .collect();
        Self {
            rules,
            attacker,
            lines,
            known: FxHashMap::default(),
        }
    }

    pub(crate) fn attacker_wins(&mut self, position: &Position) -> bool {
        assert_eq!(position.rules(), &self.rules);
        let bits = |colour| self.bits(position.stones(colour));
        let (own, other) = (bits(self.attacker), bits(self.attacker.other()));
        let side = match position.to_move() == self.attacker {
            true => Side::Attacker,
            false => Side::Defender,
        };
        match position.state() {
            gridproof_game::State::Open => self.wins(own, other, side),
            state => state == gridproof_game::State::Won(self.attacker),
        }
    }

    pub(crate) fn bits(&self, set: &SquareSet) -> u64 {
        set.iter()
            .map(|square| 1u64 << place_of(&self.rules, square))
            .sum()
    }

    /// Nobody has won yet.
    fn wins(&mut self, attacker: u64, defender: u64, to_move: Side) -> bool {
        let empties = !(attacker | defender) & (u64::MAX >> (64 - self.rules.area()));
        let room = empties.count_ones();
        if room == 0 {
            return false;
        }
        let key = (attacker, defender, to_move == Side::Attacker);
        if let Some(&wins) = self.known.get(&key) {
            return wins;
        }
        let colour = match to_move {
            Side::Attacker => self.attacker,
            Side::Defender => self.attacker.other(),
        };
        let wanted = match attacker | defender == 0 && colour == Colour::Black {
            true => self.rules.first_stones(),
            false => self.rules.stones_per_turn(),
        };
        let stones = room.min(wanted.into());
        let (own, other) = match to_move {
            Side::Attacker => (attacker, defender),
            Side::Defender => (defender, attacker),
        };
        let completes = |line: &u64| line & other == 0 && (line & !own).count_ones() <= stones;
        let wins = if self.lines.iter().any(completes) {
            to_move == Side::Attacker
        } else {
            let mut moves = Subsets::new(empties, stones);
            match to_move {
                Side::Attacker => moves.any(|m| self.wins(attacker | m, defender, Side::Defender)),
                Side::Defender => moves.all(|m| self.wins(attacker, defender | m, Side::Attacker)),
            }
        };
        self.known.insert(key, wins);
        wins
    }
}

/// The subsets of a set that have a given size.
struct Subsets {
    members: Vec<u64>,
    chosen: Option<Vec<usize>>,
}

impl Subsets {
    fn new(set: u64, size: u32) -> Self {
        let members = (0..64)
            .map(|i| 1 << i)
            .filter(|bit| set & bit != 0)
            .collect();
        Self {
            members,
            chosen: Some((0..size as usize).collect()),
        }
    }
}

impl Iterator for Subsets {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let chosen = self.chosen.as_mut()?;
        let subset = chosen.iter().map(|i| self.members[*i]).sum();
        let (count, size) = (self.members.len(), chosen.len());
        match (0..size).rev().find(|i| chosen[*i] < count - size + i) {
            None => self.chosen = None,
            Some(place) => {
                let first = chosen[place] + 1;
                for (offset, i) in (place..size).enumerate() {
                    chosen[i] = first + offset;
                }
            }
        }
        Some(subset)
    }
}

#[test]
fn the_exact_solver_knows_the_small_games() {
    let value = |(m, n, k, p, q)| {
        let rules = super::rules((m, n, k, p, q));
        let start = Position::start(rules);
        let wins = |colour| Brute::new(rules, colour).attacker_wins(&start);
        match (wins(Colour::Black), wins(Colour::White)) {
            (true, false) => 'B',
            (false, true) => 'W',
            (false, false) => '=',
            (true, true) => panic!("both sides win"),
        }
    };
    assert_eq!(value((3, 3, 3, 1, 1)), '=');
    assert_eq!(value((4, 3, 3, 1, 1)), 'B');
    assert_eq!(value((3, 3, 3, 2, 1)), 'B');
    assert_eq!(value((4, 3, 3, 2, 1)), 'B');
    assert_eq!(value((4, 4, 4, 2, 2)), '=');
}
