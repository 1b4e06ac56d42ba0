//! For tests only: the plain truth about small boards, by looking at every move.
//!
//! It knows no threats, no zones and no null moves, so it cannot share a mistake with what
//! it is there to test.

use gridproof_game::{Colour, Position, Rules, SquareSet, State, lines};
use rustc_hash::FxHashMap;

/// Solves positions of one small game exactly, and remembers them.
#[derive(Debug)]
pub struct Oracle {
    rules: Rules,
    segments: Vec<u64>,
    known: FxHashMap<(u64, u64, Colour, Colour), bool>,
}

impl Oracle {
    /// # Panics
    /// If the board has more than 64 squares.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        assert!(rules.area() <= 64, "the oracle looks at small boards only");
        let bit = |square| 1u64 << index(&rules, square);
        let segments = lines(&rules)
            .iter()
            .flat_map(|line| {
                line.segments(&rules)
                    .map(|s| s.iter().map(|&s| bit(s)).sum())
                    .collect::<Vec<u64>>()
            })
            .collect();
        Self {
            rules,
            segments,
            known: FxHashMap::default(),
        }
    }

    /// Whether the attacker wins against every defence.
    pub fn wins(&mut self, position: &Position, attacker: Colour) -> bool {
        assert_eq!(*position.rules(), self.rules);
        match position.state() {
            State::Won(colour) => return colour == attacker,
            State::Drawn => return false,
            State::Open => {}
        }
        let mask = |set: &SquareSet| set.iter().map(|s| 1u64 << index(&self.rules, s)).sum();
        let own = mask(position.stones(attacker));
        let other = mask(position.stones(attacker.other()));
        self.solve(
            own,
            other,
            position.to_move(),
            attacker,
            position.move_len() as u32,
        )
    }

    fn solve(
        &mut self,
        own: u64,
        other: u64,
        to_move: Colour,
        attacker: Colour,
        stones: u32,
    ) -> bool {
        let key = (own, other, to_move, attacker);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let all = if self.rules.area() == 64 {
            u64::MAX
        } else {
            (1 << self.rules.area()) - 1
        };
        let attacks = to_move == attacker;
        let (mover, waiter) = if attacks { (own, other) } else { (other, own) };
        let wins = if all & !(own | other) == 0 {
            false
        } else if self.completes(mover, waiter, stones) {
            attacks
        } else {
            // With the attacker to move one good move is enough; else one bad one.
            self.any_move(
                own,
                other,
                all & !(own | other),
                0,
                to_move,
                attacker,
                stones,
                attacks,
            ) == attacks
        };
        self.known.insert(key, wins);
        wins
    }

    fn completes(&self, mover: u64, waiter: u64, stones: u32) -> bool {
        self.segments
            .iter()
            .any(|&s| s & waiter == 0 && (s & !mover).count_ones() <= stones)
    }

    /// Whether some choice of the remaining stones from `free` leads to `wanted`.
    #[allow(clippy::too_many_arguments)]
    fn any_move(
        &mut self,
        own: u64,
        other: u64,
        free: u64,
        placed: u64,
        to_move: Colour,
        attacker: Colour,
        stones: u32,
        wanted: bool,
    ) -> bool {
        let empties = !(own | other);
        if stones == 0 || free == 0 && placed != 0 && empties & !placed & self.board() == 0 {
            let (own, other) = if to_move == attacker {
                (own | placed, other)
            } else {
                (own, other | placed)
            };
            let p = u32::from(self.rules.stones_per_turn());
            return self.solve(own, other, to_move.other(), attacker, p) == wanted;
        }
        let mut rest = free;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            if self.any_move(
                own,
                other,
                rest,
                placed | bit,
                to_move,
                attacker,
                stones - 1,
                wanted,
            ) {
                return true;
            }
        }
        false
    }

    fn board(&self) -> u64 {
        if self.rules.area() == 64 {
            u64::MAX
        } else {
            (1 << self.rules.area()) - 1
        }
    }
}

fn index(rules: &Rules, square: gridproof_game::Square) -> u32 {
    u32::from(square.row()) * u32::from(rules.columns()) + u32::from(square.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact values of whole games, one stone a turn, that everybody knows.
    #[test]
    fn tic_tac_toe_is_a_draw_and_one_column_more_is_not() {
        for (m, n, black) in [(3, 3, false), (4, 3, true)] {
            let rules = Rules::new(m, n, 3, 1, 1).unwrap();
            let start = Position::start(rules);
            let mut oracle = Oracle::new(rules);
            assert_eq!(oracle.wins(&start, Colour::Black), black);
            assert!(!oracle.wins(&start, Colour::White));
        }
    }

    #[test]
    fn two_stones_from_the_first_turn_and_four_in_a_row_on_four_by_four_are_a_draw() {
        let rules = Rules::new(4, 4, 4, 2, 2).unwrap();
        let start = Position::start(rules);
        let mut oracle = Oracle::new(rules);
        assert!(
            Colour::BOTH
                .iter()
                .all(|&colour| !oracle.wins(&start, colour))
        );
    }

    #[test]
    fn two_stones_a_turn_and_three_in_a_row_are_easy_for_black() {
        for (m, n) in [(3, 3), (4, 3), (4, 4)] {
            let rules = Rules::new(m, n, 3, 2, 1).unwrap();
            assert!(Oracle::new(rules).wins(&Position::start(rules), Colour::Black));
        }
    }
}
