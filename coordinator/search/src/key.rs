use std::fmt;

use gridproof_game::{Colour, Position, Symmetry};
use serde::{Deserialize, Serialize};

/// What a node is known by: rules, attacker and position, equal for all positions that turn or
/// mirror into each other.
///
/// 128 bits, so that two different positions of a search never meet. Even if they did, only
/// work would be lost: a node closes by a certificate that is checked on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeKey(pub [u64; 2]);

impl NodeKey {
    /// The key of a position, its canonical form, and the symmetry that leads there.
    #[must_use]
    pub fn of(position: &Position, attacker: Colour) -> (Self, Position, Symmetry) {
        let (canonical, symmetry) = position.canonical();
        (
            Self::of_canonical(&canonical, attacker),
            canonical,
            symmetry,
        )
    }

    /// The key of a position that is in canonical form already.
    #[must_use]
    pub fn of_canonical(canonical: &Position, attacker: Colour) -> Self {
        let rules = canonical.rules();
        let game = [
            rules.columns(),
            rules.rows(),
            rules.in_a_row(),
            rules.stones_per_turn(),
            rules.first_stones(),
            attacker.index() as u8,
        ];
        let game = game.iter().fold(0u64, |bits, &n| bits << 8 | u64::from(n));
        let side = canonical.to_move().index() as u64;
        let mut second = mix(game ^ side << 56);
        for colour in Colour::BOTH {
            for square in canonical.stones(colour).iter() {
                second = mix(second ^ (square.index() as u64 * 2 + colour.index() as u64));
            }
        }
        Self([canonical.key() ^ mix(game), second])
    }
}

/// In hexadecimal, as pages and logs show it.
impl fmt::Display for NodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0[0], self.0[1])
    }
}

fn mix(bits: u64) -> u64 {
    let z = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let z = (z ^ (z >> 29)).wrapping_mul(0x9e6c_63d0_876a_3f6b);
    z ^ (z >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridproof_game::Opening;

    #[test]
    fn a_position_and_its_images_have_one_key_and_the_attacker_makes_another() {
        let position = "TX-H9".parse::<Opening>().unwrap().position();
        let (key, canonical, _) = NodeKey::of(&position, Colour::Black);
        for symmetry in Symmetry::all(position.rules()) {
            let image = position.transformed(symmetry);
            let (same, form, way) = NodeKey::of(&image, Colour::Black);
            assert_eq!((same, &form), (key, &canonical));
            assert_eq!(image.transformed(way), canonical);
        }
        assert_ne!(NodeKey::of(&position, Colour::White).0, key);
        let passed = position.clone().with_to_move(Colour::White);
        assert_ne!(NodeKey::of(&passed, Colour::Black).0, key);
    }
}
