//! Each guard is there for a reason: with it broken, and all others whole, the checker falls
//! for something false, and as it is it does not.

use gridproof_game::{Colour, Position, SquareSet};

use super::prover::Outcome;
use super::{Oracle, Prover, drawn, random, rules, squares, with_stones};
use crate::check::testing::Guard;
use crate::check::{Guards, check, check_with};
use crate::proof::Proof;

const ATTACKER: Colour = Colour::Black;

/// A position where a broken checker can be had.
struct Trap {
    game: (u32, u32, u32, u32, u32),
    rows: &'static [&'static str],
    to_move: Colour,
}

impl Trap {
    fn position(&self) -> Position {
        drawn(rules(self.game), self.rows, self.to_move)
    }

    fn is_small(&self) -> bool {
        rules(self.game).area() <= 25
    }

    /// Proofs that the attacker wins, by the rules that `guards` leaves.
    fn proofs(&self, guards: Guards) -> impl Iterator<Item = Proof> {
        let position = self.position();
        let width = if self.is_small() { usize::MAX } else { 8 };
        (0..200).filter_map(move |seed| {
            match Prover::prove_within(&position, ATTACKER, guards, random(seed), width) {
                Outcome::Proof(proof) => Some(*proof),
                _ => None,
            }
        })
    }

    /// By trying everything, or on a larger board by a proof that the other side wins.
    fn assert_not_won(&self, position: &Position) {
        if self.is_small() {
            assert!(!Oracle::new(*position.rules()).wins(position, ATTACKER));
            return;
        }
        let other = ATTACKER.other();
        let outcome = Prover::prove_within(position, other, Guards::default(), random(1), 30);
        let Outcome::Proof(proof) = outcome else {
            panic!("no proof that {other} wins");
        };
        check(&proof).unwrap();
    }

    /// Without the guard there is a proof that the attacker wins here, and it does not.
    fn makes_a_false_win_without(&self, guard: Guard) {
        let broken = Guards::all_but(guard);
        let proof = self
            .proofs(broken)
            .next()
            .expect("a proof by the broken rules");
        self.assert_not_won(proof.start());
        check_with(&proof, broken).expect("the broken checker falls for it");
        let refusal = check(&proof).expect_err("the whole checker does not");
        println!("{} nodes; {refusal}", proof.len());
    }

    /// Without the guard there is a proof whose zone excuses stones that do harm.
    fn makes_a_false_zone_without(&self, guard: Guard, stones: &str) {
        let stones: SquareSet = squares(stones).into_iter().collect();
        let broken = Guards::all_but(guard);
        let deceived = self.proofs(Guards::default()).any(|proof| {
            let whole = check(&proof).unwrap();
            assert!(!whole.excuses(&stones), "the whole checker's zone is wrong");
            check_with(&proof, broken).unwrap().excuses(&stones)
        });
        assert!(deceived, "the zone is as it should be without the guard");
        self.assert_not_won(&with_stones(&self.position(), ATTACKER.other(), &stones));
    }
}

const fn trap(
    game: (u32, u32, u32, u32, u32),
    to_move: Colour,
    rows: &'static [&'static str],
) -> Trap {
    Trap {
        game,
        rows,
        to_move,
    }
}

#[test]
fn a_defender_who_can_complete_a_line_is_not_lost() {
    trap(
        (5, 4, 4, 1, 1),
        Colour::White,
        &["B.W.B", "..BBB", "WW.WB", "W..B."],
    )
    .makes_a_false_win_without(Guard::DefenderCannotComplete);
}

#[test]
fn threats_are_as_many_as_the_stones_that_hit_them() {
    trap(
        (7, 3, 6, 2, 1),
        Colour::White,
        &[".B.BBB.", ".BBB.BB", ".BWW.W."],
    )
    .makes_a_false_win_without(Guard::ThreatsAreHitNotCounted);
}

#[test]
fn relaxed_defences_count() {
    trap(
        (4, 4, 4, 2, 1),
        Colour::White,
        &["..B.", ".B.B", "B..W", "B..."],
    )
    .makes_a_false_win_without(Guard::RelaxedDefences);
}

#[test]
fn a_stone_on_a_square_that_must_stay_free_is_not_excused() {
    trap((3, 3, 3, 1, 1), Colour::White, &["B..", "...", "..."])
        .makes_a_false_win_without(Guard::SinglesOnMustStayFree);
}

#[test]
fn a_stone_that_reaches_a_limit_is_not_excused() {
    trap(
        (4, 4, 3, 1, 1),
        Colour::White,
        &["..B.", "B.WB", "..B.", ".W.."],
    )
    .makes_a_false_win_without(Guard::SinglesOnLimits);
}

/// On the left every segment holds two black stones, so that Black needs only a turn; on the
/// right every segment holds one white stone, so that White needs two stones on one of them
/// to strike first.
#[test]
fn stones_that_reach_a_limit_together_are_not_excused() {
    trap(
        (20, 5, 5, 2, 1),
        Colour::White,
        &[
            "..BB...BB......W....",
            "B...BB...BB.W....W..",
            ".BB...BB...B..W....W",
            "...BB...BB......W...",
            "BB...BB...BB.W....W.",
        ],
    )
    .makes_a_false_win_without(Guard::GroupsOnLimits);
}

#[test]
fn null_stones_lower_the_limits() {
    trap(
        (17, 5, 5, 2, 1),
        Colour::White,
        &[
            "..B.W..BB....W...",
            "B.W.BB....W....W.",
            ".B....BB....W....",
            ".B.B.W..BW....W..",
            "BB...BB....W....W",
        ],
    )
    .makes_a_false_zone_without(Guard::NullStonesLowerLimits, "M2");
}

#[test]
fn the_attackers_squares_must_stay_free() {
    trap(
        (5, 4, 4, 1, 1),
        Colour::White,
        &["..B.B", "B....", "W.WBW", "B.WB."],
    )
    .makes_a_false_win_without(Guard::AttackSquaresStayFree);
}

#[test]
fn the_completing_squares_must_stay_free() {
    trap(
        (5, 4, 4, 2, 2),
        Colour::Black,
        &[".....", ".WW.B", "BB.B.", "..WB."],
    )
    .makes_a_false_zone_without(
        Guard::CompletionSquaresStayFree,
        "A1 B1 E1 C2 E2 A3 A4 B4 C4 E4",
    );
}

#[test]
fn a_completed_line_limits_the_defender() {
    trap(
        (5, 4, 4, 2, 2),
        Colour::Black,
        &[".....", ".WW.B", "BB.B.", "..WB."],
    )
    .makes_a_false_zone_without(Guard::CompletionLimits, "A3 D3");
}

#[test]
fn the_squares_of_threats_must_stay_free() {
    trap(
        (4, 4, 4, 2, 1),
        Colour::White,
        &[".B..", "..B.", "..BW", "BW.."],
    )
    .makes_a_false_win_without(Guard::ThreatSquaresStayFree);
}

#[test]
fn a_threat_limits_the_defender() {
    trap(
        (5, 4, 4, 1, 1),
        Colour::White,
        &["..BB.", ".B...", ".WWBW", "BWB.."],
    )
    .makes_a_false_win_without(Guard::ThreatLimits);
}

#[test]
fn a_replay_needs_its_squares_free() {
    trap((3, 3, 3, 1, 1), Colour::White, &["B..", "...", "..."])
        .makes_a_false_win_without(Guard::ReplayKeepsSquaresFree);
}

#[test]
fn a_replay_keeps_below_the_limits() {
    trap(
        (5, 4, 4, 1, 1),
        Colour::White,
        &["..BB.", ".B...", ".WWBW", "BWB.."],
    )
    .makes_a_false_win_without(Guard::ReplayKeepsLimits);
}

#[test]
fn a_replay_lowers_the_limits() {
    trap(
        (17, 5, 5, 2, 1),
        Colour::White,
        &[
            "W.BB...W....W....",
            "B...BB..BW....W..",
            ".BB...BB...W....W",
            "...BW...B....W...",
            "BBW.WBB...W....W.",
        ],
    )
    .makes_a_false_zone_without(Guard::ReplayLowersLimits, "I5");
}
