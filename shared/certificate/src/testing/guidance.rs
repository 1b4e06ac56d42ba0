//! The guide beats every defender, also one that plays what no proof lists.

use gridproof_game::{Colour, Move, Position, State};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::{VARIANTS, drawn, prove, random, random_position, rules, squares};
use crate::guide::{Explanation, Guide, GuideError};
use crate::proof::Proof;

const ATTACKER: Colour = Colour::Black;

fn random_move(position: &Position, random: &mut SmallRng) -> Move {
    let mut empties: Vec<_> = position.empties().iter().collect();
    empties.shuffle(random);
    Move::full(empties.into_iter().take(position.move_len()))
}

/// Plays to the end; the reasons that were given on the way.
fn play(proof: &Proof, mut reply: impl FnMut(&Guide<'_>) -> Move) -> Vec<Explanation> {
    let mut guide = Guide::new(proof).unwrap();
    let mut reasons = Vec::new();
    while !guide.is_over() {
        if guide.attacker_to_move() {
            guide.attack().unwrap();
        } else {
            let mv = reply(&guide);
            reasons.push(guide.defend(&mv).unwrap());
        }
    }
    assert_eq!(guide.position().state(), State::Won(ATTACKER));
    reasons
}

#[test]
fn the_attacker_wins_against_moves_by_chance() {
    let mut random = random(31);
    let (mut games, mut unlisted) = (0, 0);
    for variant in VARIANTS {
        for _ in 0..25 {
            let to_move = Colour::BOTH[random.random_range(0..2)];
            let start = random_position(rules(variant), 11, to_move, &mut random);
            let Some(proof) = prove(&start, ATTACKER, random.random()) else {
                continue;
            };
            for _ in 0..5 {
                let reasons = play(&proof, |guide| random_move(guide.position(), &mut random));
                games += 1;
                unlisted += reasons
                    .iter()
                    .filter(|why| **why != Explanation::Listed)
                    .count();
            }
        }
    }
    println!("{games} games, {unlisted} unlisted moves");
    assert!(games > 300 && unlisted > 200);
}

#[test]
fn the_main_line_follows_the_moves_that_hold_out_longest() {
    let start = drawn(
        rules((3, 3, 3, 1, 1)),
        &["B..", "...", "..."],
        Colour::Black,
    );
    let proof = prove(&start, ATTACKER, 1).unwrap();
    let mut plies = 0;
    let reasons = play(&proof, |guide| {
        plies += 1;
        let reply = guide.hardest_reply().expect("it is the defender's turn");
        assert!(guide.listed().contains(&&reply) || reply.is_null());
        reply
    });
    assert_eq!(reasons.len(), plies);
}

#[test]
fn what_cannot_be_played_changes_nothing() {
    let rows = ["BB.", "WW.", "..."];
    let start = drawn(rules((3, 3, 3, 1, 1)), &rows, Colour::Black);
    let proof = prove(&start, ATTACKER, 1).unwrap();
    let mut guide = Guide::new(&proof).unwrap();
    assert_eq!(
        guide.defend(&Move::full(squares("A1"))),
        Err(GuideError::NotTheTurn(Colour::White))
    );
    assert_eq!(guide.attack().unwrap(), Move::full(squares("C3")));
    assert_eq!(guide.attack(), Err(GuideError::NotTheTurn(Colour::Black)));
    assert!(guide.is_over());
    assert_eq!(guide.hardest_reply(), None);
}

#[test]
fn a_threat_left_open_is_completed() {
    let rows = ["..BB...WB", "..BB...BW", "..BB...WB"];
    let start = drawn(rules((9, 3, 5, 2, 1)), &rows, Colour::Black);
    let mut builder = crate::builder::ProofBuilder::new(start, ATTACKER);
    let after = builder.defend(Vec::new()).unwrap();
    let root = builder
        .attack(Move::full(squares("E1 E2")), Some(after))
        .unwrap();
    let proof = builder.finish(root).unwrap();
    let mut guide = Guide::new(&proof).unwrap();
    guide.attack().unwrap();
    assert!(matches!(
        guide.defend(&Move::full(squares("E1 A1"))),
        Err(GuideError::Illegal(_))
    ));
    let why = guide.defend(&Move::full(squares("B1 F1"))).unwrap();
    assert_eq!(
        why,
        Explanation::LeavesThreat(squares("A2")[0], squares("E2")[0])
    );
    assert_eq!(guide.attack().unwrap(), Move::full(squares("A2 B2")));
    assert_eq!(guide.position().state(), State::Won(ATTACKER));
}
