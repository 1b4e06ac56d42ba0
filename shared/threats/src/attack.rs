//! Moves that make threats.

use gridproof_game::{Colour, Rules, Square};

use crate::block::Blocks;
use crate::board::ThreatBoard;
use crate::shape::Shape;

/// Stones that make threats together. The move's other stones, if any, are free.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attack {
    /// In ascending order.
    pub stones: Blocks,
    /// The number of threats on the board after these stones. The larger of p + 1 and the
    /// number asked for stands for more, too.
    pub threats: u32,
}

/// All inclusion-minimal ways to attack.
pub type AttackList = Vec<Attack>;

/// A game in which the attacks of some positions are too many to list: the lists are exact,
/// so there is no shorter one to give.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} has positions with millions of moves that make threats, too many to list: where k is less \
     than 2p, a board may have at most {THREE_A_TURN} squares for 3 stones a turn, {FOUR_A_TURN} \
     for 4, and more stones a turn are not known"
)]
pub struct TooManyAttacks(pub Rules);

/// Squares of a board on which a list takes some seconds at most.
const THREE_A_TURN: usize = 361;
const FOUR_A_TURN: usize = 64;

impl TooManyAttacks {
    /// Refuses games that searches, which list attacks at every step, should not be asked about.
    ///
    /// From k = 2p on it takes all stones of a turn to make a threat where there is nothing.
    /// Below, a turn makes several, each wherever it likes, and nearly every move is an attack.
    pub fn check(rules: &Rules) -> Result<(), Self> {
        let p = rules.stones_per_turn();
        let most = match p {
            _ if u16::from(rules.in_a_row()) >= 2 * u16::from(p) => usize::MAX,
            0..=2 => usize::MAX,
            3 => THREE_A_TURN,
            4 => FOUR_A_TURN,
            _ => 0,
        };
        if rules.area() > most {
            return Err(Self(*rules));
        }
        Ok(())
    }
}

impl<S: Shape> ThreatBoard<S> {
    /// All inclusion-minimal sets of at most p stones after which a side has at least `least`
    /// threats (1 or more). Every move that makes so many contains one of them. There can be
    /// more than memory holds, in games that [`TooManyAttacks::check`] refuses.
    #[must_use]
    pub fn attacks(&self, colour: Colour, least: u32) -> AttackList {
        let mut found = AttackList::new();
        self.attacks_into(colour, least, &mut found);
        found
    }

    /// As [`ThreatBoard::attacks`], into a list that is cleared first.
    pub fn attacks_into(&self, colour: Colour, least: u32, found: &mut AttackList) {
        let p = self.shape().stones_per_turn();
        self.attacks_of_at_most(p, colour, least, found);
    }

    /// As [`ThreatBoard::attacks_into`], but of at most `stones` stones (p or fewer).
    pub fn attacks_of_at_most(
        &self,
        stones: u32,
        colour: Colour,
        least: u32,
        found: &mut AttackList,
    ) {
        let p = self.shape().stones_per_turn();
        debug_assert!(least > 0 && stones <= p);
        found.clear();
        let wanted = Wanted {
            colour,
            stones,
            least,
            count_to: least.max(p + 1),
        };
        if self.has_threats(colour, least) {
            let stones = Blocks::new();
            let threats = self.count_after(colour, &stones, wanted.count_to);
            found.push(Attack { stones, threats });
        } else if p <= 2 && !self.can_complete(colour) {
            self.pairs_into(wanted, found);
        } else {
            self.unions_into(wanted, found);
        }
    }

    /// The number of threats of a side after it places some stones; p + 1 stands for more, too.
    #[must_use]
    pub fn threats_after(&self, colour: Colour, stones: &[Square]) -> u32 {
        self.count_after(colour, stones, self.shape().stones_per_turn() + 1)
    }

    /// As [`ThreatBoard::threats_after`], but `most` stands for more.
    pub(crate) fn count_after(&self, colour: Colour, stones: &[Square], most: u32) -> u32 {
        self.pending_after(colour, stones).number(self, most)
    }
}

/// What attacks to find.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) colour: Colour,
    /// No more stones than these.
    pub(crate) stones: u32,
    /// No fewer threats than these.
    pub(crate) least: u32,
    /// This many threats stand for more, too.
    pub(crate) count_to: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_with_too_many_attacks_are_refused_with_the_rule() {
        let check = |text: &str| TooManyAttacks::check(&text.parse().unwrap());
        for known in [
            "19,19,6,2,1",
            "32,32,3,2,1",
            "19,19,5,3,1",
            "32,32,6,3,1",
            "8,8,6,4,1",
            "19,19,8,4,1",
        ] {
            assert_eq!(check(known), Ok(()), "{known}");
        }
        for unknown in ["32,32,5,3,1", "19,19,6,4,1", "6,6,6,5,1", "32,32,32,255,1"] {
            let error = check(unknown).unwrap_err().to_string();
            assert!(error.contains("where k is less than 2p"), "{error}");
        }
    }
}
