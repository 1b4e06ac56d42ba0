//! The half-move evaluation of the defensive-strategy thesis, chapter 3: the influence of one
//! stone along its four lines, falling off with distance and ending at the border or at a
//! stone of the other side.

use gridproof_game::{Colour, Position, Square};

use crate::weights::HALF_MOVE;

/// The worth of a stone of `colour` on a square.
pub(crate) fn half_move(position: &Position, square: Square, colour: Colour) -> f64 {
    let mut free_directions = 0;
    let mut sum = 0.0;
    for step in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        let mut product = 1.0;
        let mut free = true;
        for sign in [1, -1] {
            for distance in 1..=HALF_MOVE.stones.len() {
                let there = square
                    .step(step, sign * distance as i8)
                    .filter(|&there| position.rules().contains(there));
                let Some(there) = there else { break };
                match position.at(there) {
                    None => product *= HALF_MOVE.empty,
                    Some(owner) if owner == colour => product *= HALF_MOVE.stones[distance - 1],
                    Some(_) => {
                        free = false;
                        break;
                    }
                }
            }
        }
        free_directions += usize::from(free);
        sum += product;
    }
    HALF_MOVE.free_directions[free_directions] * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_game::{Rules, SquareSet};

    fn at(name: &str) -> Square {
        name.parse().unwrap()
    }

    #[test]
    fn the_example_of_the_thesis_comes_out_as_printed() {
        // Two own stones at distances 2 and 3 on one side, an enemy at 3 on the other.
        let black: SquareSet = [at("L10"), at("M10")].into_iter().collect();
        let white: SquareSet = [at("G10")].into_iter().collect();
        let position = Position::of_stones(Rules::CONNECT6, &black, &white, Colour::White).unwrap();
        let horizontal = 4.0 * (2.0 * 2048.0 * 1024.0 * 4.0);
        let expected = 1.000_003_637_25 * (horizontal + 3.0 * 1024.0);
        assert_eq!(half_move(&position, at("J10"), Colour::Black), expected);
    }
}
