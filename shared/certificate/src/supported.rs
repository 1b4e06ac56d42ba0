use gridproof_game::Rules;

/// Games with more stones a turn have more ways to block than a checker should list.
const MAX_STONES_PER_TURN: u8 = 4;

/// A game whose proofs cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is not supported: proofs can be checked for at most {MAX_STONES_PER_TURN} stones a \
     turn, the first turn too"
)]
pub struct UnsupportedRules(pub Rules);

/// Whether proofs of a game can be checked. Ask before a search is begun: a proof of any other
/// game is refused.
pub fn supports(rules: &Rules) -> Result<(), UnsupportedRules> {
    if rules.stones_per_turn().max(rules.first_stones()) > MAX_STONES_PER_TURN {
        return Err(UnsupportedRules(*rules));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_up_to_four_stones_a_turn_are_supported() {
        let supports = |p, q| supports(&Rules::new(9, 9, 6, p, q).expect("a game"));
        assert_eq!(supports(2, 1), Ok(()));
        assert_eq!(supports(4, 4), Ok(()));
        for (p, q) in [(5, 1), (2, 5)] {
            let refused = supports(p, q).expect_err("more than the checker lists");
            let words = refused.to_string();
            let said = "proofs can be checked for at most 4 stones a turn, the first turn too";
            assert!(words.contains(said), "{words}");
            assert!(words.contains(&refused.0.to_string()), "{words}");
        }
    }
}
